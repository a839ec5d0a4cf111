"""What a call does: arguments become effects. Knows no rule, no registry and no TOML of rules."""
