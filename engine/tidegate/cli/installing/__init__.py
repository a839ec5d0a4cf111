"""Hooks in the settings of agent CLIs: what stands there, putting it in, and taking it out, without losing anything."""
