"""One file for each harness whose tool calls tidegate judges."""
