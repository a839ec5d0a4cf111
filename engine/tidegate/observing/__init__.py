"""What happens in a session: calls that rules wait for, and what shows that one of them succeeded."""
