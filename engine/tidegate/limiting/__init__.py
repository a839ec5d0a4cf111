"""What the kinds of limits have in common: how limits are written, what they are counted by, and where."""
