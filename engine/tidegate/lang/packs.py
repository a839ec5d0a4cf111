"""The rule packs that are shipped with the package: TOML files in one folder, each named by its file."""

from __future__ import annotations

import importlib.resources
from collections.abc import Mapping
from pathlib import Path


def shipped() -> Path:
    """The folder of the packs that came with this package.

    In a checkout it is reached through a symlink; where git cannot make symlinks, a small file stands there
    instead that holds the symlink's target.
    """
    folder = Path(str(importlib.resources.files("tidegate").joinpath("policies")))
    return folder.parent / folder.read_text(encoding="utf-8").strip() if folder.is_file() else folder


def listed(folder: Path) -> Mapping[str, Path]:
    """The packs in *folder* by name, sorted; none if there is no such folder."""
    return {file.stem: file for file in sorted(folder.glob("*.toml"))}
