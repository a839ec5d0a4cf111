"""`tidegate new kind`: a package with a kind of one's own, to start from."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path
from string import Template

import click

from ..kinds import builtin_names
from .jsonlines import dump
from .loading import FILE
from .terminal import output

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@click.command("kind", short_help="Write a package with a kind of your own.")
@click.argument("name")
@click.option("--out", type=FILE, help="The folder to make; by default it has the name of the package.")
@click.option("--json", "as_json", is_flag=True, help="Write one JSON object.")
def kind(name: str, out: Path | None, *, as_json: bool) -> int:
    """Write a package that offers the kind NAME: one file, its test, and a `pyproject.toml` with the entry point.

    Install it (`pip install -e FOLDER`), name the kind under `kinds` in the top rule file, and use it in rules. An
    existing folder is never changed.
    """
    if not _NAME.fullmatch(name):
        raise click.UsageError("a kind's name is made of small letters and digits, with single `-` between words")
    if name in builtin_names():
        raise click.UsageError(f"there is a kind `{name}` already, which ships with tidegate")
    folder = out or Path(f"tidegate-kind-{name}")
    if folder.exists():
        raise click.UsageError(f"`{folder}` is there already; name another folder with `--out`")
    made = scaffold(name)
    for path, text in made.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
    screen = output()
    if as_json:
        screen.line(dump({"wrote": str(folder), "files": list(made)}))
        return 0
    screen.line(f"wrote {folder}; next:")
    screen.line(f"  pip install pytest -e {folder}")
    screen.line(f"  python -m pytest {folder}")
    screen.line(f'and in the top rule file: kinds = ["{name}"]')
    return 0


def scaffold(name: str) -> dict[str, str]:
    """The files of the package by their paths in it."""
    module = f"tidegate_kind_{name.replace('-', '_')}"
    words = {
        "name": name,
        "package": f"tidegate-kind-{name}",
        "module": module,
        "fields": "".join(word.capitalize() for word in name.split("-")),
        "function": f"compile_{name.replace('-', '_')}",
    }
    return {
        "pyproject.toml": _filled("pyproject.toml", words),
        f"{module}.py": _filled("kind.py", words),
        f"tests/test_{module}.py": _filled("test.py", words),
    }


def _filled(template: str, words: dict[str, str]) -> str:
    text = files(__package__).joinpath("templates", f"{template}.txt").read_text(encoding="utf-8")
    return Template(text).substitute(words)
