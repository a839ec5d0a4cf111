"""Decision records and where they go."""
