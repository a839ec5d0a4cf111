"""Permissions of other tools become rules: of equal meaning, stricter, or with a finding that says what is left out."""
