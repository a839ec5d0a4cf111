"""What programs do: a table in TOML, the reading of one simple command, and patterns over the result."""
