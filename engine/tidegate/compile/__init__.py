"""Rule files become plans: tables are structured, patterns compiled, examples run, and all that is wrong is found."""
