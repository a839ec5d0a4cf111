"""Recorded calls are judged again, never executed: what new rules make of what has happened."""

from .judge import Judge

__all__ = ["Judge"]
