"""The codes of findings about the text of rule files, each with what it means; `docs/findings.md` is made from this."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "bad-id": "The `id` of a rule is not made of small letters, digits, `.`, `_` and `-`.",
        "bad-include": "An entry of `include` is neither a pack nor a path or glob with `/`.",
        "bad-value": "A key has a value of the right type that it does not take.",
        "byte-order-mark": "The file begins with a byte order mark.",
        "duplicate-id": "Two rules of one namespace have the same `id`.",
        "duplicate-key": "A key is written twice, or a table is opened again after it was complete.",
        "duplicate-override": "Two overrides set the same field of one rule.",
        "empty-list": "An array has no items.",
        "file-too-large": "The file is larger than a rule file may be.",
        "fixed-field": "An override sets a field that no override may change.",
        "idle-override": "An override changes nothing (a warning).",
        "include-cycle": "A file includes itself, directly or through others.",
        "include-missing": "An entry of `include` names a file that is not there, or a glob that matches none.",
        "include-too-deep": "A file is included through too many other files.",
        "include-too-wide": "A glob of `include` would search too many folders.",
        "layer-loosens": "A lower layer gives an argument another meaning than a higher layer does.",
        "misplaced-key": "A key stands in a file or layer that may not set it.",
        "missing-file": "The rule file is not there.",
        "missing-key": "A key that is required is missing.",
        "nesting-too-deep": "Tables and arrays are nested deeper than a rule file may be.",
        "not-a-file": "A folder, device or pipe stands where a rule file should be.",
        "not-overridable": "An override names a rule of a higher layer that is not marked `overridable`.",
        "not-utf8": "The file is not UTF-8.",
        "nul-character": "A string or key holds a NUL character.",
        "override-reach": "An override names a rule that its file does not include.",
        "toml-syntax": "The file is not valid TOML.",
        "unknown-key": "A key is not one that this table takes.",
        "unknown-pack": "An entry of `include` names a pack that does not exist.",
        "unknown-rule": "An override names a rule that does not exist.",
        "unreadable-file": "The operating system refuses to read the file or folder.",
        "wrong-type": "A value has another type than the key takes; nothing is converted.",
    }
)
