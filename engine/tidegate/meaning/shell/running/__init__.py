"""A syntax tree becomes effects: an interpreter that keeps to what is known."""
