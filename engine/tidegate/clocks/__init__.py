"""Clocks on the wall: time zones, and stretches of their days."""
