"""Text to values: TOML with positions, includes, packs, layers and overrides. Knows no tool, no kind, no meaning."""

from .codes import CODES
from .document import Document, Span
from .keys import TOP_KEYS
from .layers import in_file_order, load, loads
from .nearest import nearest
from .ruleset import (
    LAYERS,
    Entry,
    Layer,
    Loaded,
    Origin,
    RawBinding,
    RawCommand,
    RawRule,
    RuleSet,
    Settings,
    Source,
)
from .scan import KeyPath

__all__ = [
    "CODES",
    "LAYERS",
    "TOP_KEYS",
    "Document",
    "Entry",
    "KeyPath",
    "Layer",
    "Loaded",
    "Origin",
    "RawBinding",
    "RawCommand",
    "RawRule",
    "RuleSet",
    "Settings",
    "Source",
    "Span",
    "in_file_order",
    "load",
    "loads",
    "nearest",
]
