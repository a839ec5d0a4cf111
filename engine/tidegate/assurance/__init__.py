"""What rules do before they ship: tests, coverage, comparison and search for holes."""
