"""The resident: one process per user that stays and answers hooks, and what asks it."""
