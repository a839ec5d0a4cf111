"""Short programs in other languages, understood only where they plainly compute."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ..effects import Effect
from ..scene import Scene
from ..shell.command import Nested, SimpleCommand
from .code_effects import CodeEffects
from .code_perl import read_perl

_JQ_RISK = re.compile(r"\b(?:import|include|input_filename|get_search_list)\b|\$__prog_args")
_VIM_PLAIN = re.compile(
    r":?(?:w?q!?|x!?|wq!?|qa!?|wqa!?|w!?|set\s[\w\s=.,+-]+|syntax\s+\w+|\d+|[gG]+|%?s/[^|!]*|/[^|!]*|normal\s[^|!]*|)"
)
_JS_PLAIN = re.compile(
    r"""\s*console\.log\(\s*(?:process\.versions?(?:\.\w+)?|process\.(?:arch|platform)|-?\d+(?:\.\d+)?(?:\s*[-+*/%]\s*\d+(?:\.\d+)?)*|'[^'\\]*'|"[^"\\]*")\s*\)\s*;?\s*"""
)
_OUTER_COMMAND = re.compile(r":?\s*!(.*)", re.DOTALL)


def read_jq(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Understand filters: they compute, unless they import modules."""
    return _unknown("jq", command, scene) if _JQ_RISK.search(text) else []


def read_javascript(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Understand the printing of a constant or of a version."""
    return [] if _JS_PLAIN.fullmatch(text) else _unknown("javascript", command, scene)


def read_vim(text: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    """Understand leaving, writing, settings and substitutions; `!` runs a shell."""
    outer = _OUTER_COMMAND.fullmatch(text)
    if outer is not None:
        said = CodeEffects(command, scene, "vim")
        said.shell(outer[1])
        return said.effects
    return [] if _VIM_PLAIN.fullmatch(text) else _unknown("vim", command, scene)


def _unknown(language: str, command: SimpleCommand, scene: Scene) -> list[Effect | Nested]:
    said = CodeEffects(command, scene, language)
    said.unknown(f"the {language} code is not understood")
    return said.effects


OTHERS: Mapping[str, Callable[[str, SimpleCommand, Scene], list[Effect | Nested]]] = {
    "javascript": read_javascript,
    "jq": read_jq,
    "perl": read_perl,
    "vim": read_vim,
}
