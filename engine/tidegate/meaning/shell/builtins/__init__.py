"""The builtins of the shell that change its state or run text in it."""
