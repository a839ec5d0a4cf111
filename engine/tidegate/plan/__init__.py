"""Rules compiled, and how they judge: the plan."""
