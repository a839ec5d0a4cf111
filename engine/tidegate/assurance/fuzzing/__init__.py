"""Fuzzing of a compiled policy: calls made of what its rules mention, and properties that must hold of them."""
