"""The tables under `[tools.NAME]`: what the arguments of a tool mean."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Literal

import tomli
from attrs import frozen

from ..errors import Finding
from ..kind import Problem, Setting
from ..lang import RawBinding
from ..meaning.commands.table import Table
from ..meaning.names import name_test
from ..meaning.sql.dialects import Dialect
from ..param import param
from ..plan.binding import Access, Binding, Role
from ..pointers import BadPointer, pointer_to
from ..shown import quote
from .conditions import compile_condition
from .fields import ConditionFields
from .structure import structure


@frozen
class BindingFields:
    """What one argument means."""

    role: Role = param("What the argument is; `text` is content that no rule about paths, URLs or commands looks into.")
    access: Access | tuple[Access, ...] | None = param(
        "What is done to a path; the role `path` needs it.", default=None
    )
    recursive: bool = param("Whether everything beneath the path is meant as well.", default=False)
    shell: Literal["bash", "sh", "dash", "zsh", "ksh", "powershell", "cmd"] = param(
        "The shell that really runs the text of a command.", default="bash"
    )
    session: Literal["fresh", "persistent"] = param(
        "Whether each command has a shell of its own, or one shell lives on between calls.", default="fresh"
    )
    dialect: Dialect | None = param("What the database behind SQL speaks.", default=None)
    default: str | None = param("What the tool takes where the argument is left out.", default=None)
    when: ConditionFields | None = param("The argument means this only where this holds.", default=None)


_NEEDS: dict[str, tuple[str, ...]] = {
    "access": ("path",),
    "recursive": ("path",),
    "shell": ("command",),
    "session": ("command",),
    "dialect": ("sql",),
}


def compile_binding(raw: RawBinding, setting: Setting) -> tuple[Binding | None, list[Finding]]:
    """Compile one binding of a rule file, or say what is wrong with it."""
    binding, problems = _binding(raw.tool, raw.argument, dict(raw.table), setting)
    findings = [
        raw.finding(
            problem.path,
            problem.code,
            f"{problem.what} in the binding of {quote(raw.argument)} of tool {quote(raw.tool)}",
            why=problem.why,
            mend=problem.mend,
            of="key" if problem.code in ("unknown-key", "missing-key", "misplaced-key") else "value",
        )
        for problem in problems
    ]
    return binding, findings


@cache
def well_known() -> tuple[Binding, ...]:
    """The bindings of tools whose arguments everybody knows, from `plan/known_tools.toml`."""
    text = files("tidegate.plan").joinpath("known_tools.toml").read_text(encoding="utf-8")
    bindings = []
    for tool, arguments in tomli.loads(text)["tools"].items():
        for argument, table in arguments.items():
            binding, problems = _binding(tool, argument, table, Setting("", "deny", None, Table.builtin()))
            if binding is None:
                raise AssertionError(f"{tool}.{argument}: {problems}")
            bindings.append(binding)
    return tuple(bindings)


def _binding(tool: str, argument: str, table: dict[str, Any], setting: Setting) -> tuple[Binding | None, list[Problem]]:
    fields, problems = structure(table, BindingFields)
    if fields is None:
        return None, problems
    problems = [
        _misplaced(key, fields.role) for key, roles in _NEEDS.items() if key in table and fields.role not in roles
    ]
    if fields.role == "path" and fields.access is None:
        problems.append(
            Problem(
                (),
                "missing-key",
                "the key `access` is missing",
                "a rule about reading must not see a write, and the other way round",
                'add `access = "read"`, `"write"`, `"delete"` or `"list"`, or an array of them',
            )
        )
    try:
        pointer = pointer_to(argument)
    except BadPointer as bad:
        why = "an argument that cannot be found would mean nothing"
        return None, [Problem((), "bad-pointer", str(bad), why, bad.mend)]
    when = compile_condition(fields.when, setting, ("when",)) if fields.when is not None else None
    problems += setting.problems
    setting.problems = []
    if problems:
        return None, problems
    binding = Binding(
        tool=name_test([tool]),
        pointer=pointer,
        role=fields.role,
        exact="*" not in tool and "?" not in tool,
        access=_many(fields.access),
        recursive=fields.recursive,
        shell=fields.shell,
        persistent=fields.session == "persistent",
        default=fields.default,
        dialect=fields.dialect,
        when=when,
    )
    return binding, []


def _many(access: Access | tuple[Access, ...] | None) -> tuple[Access, ...]:
    return access if isinstance(access, tuple) else () if access is None else (access,)


def _misplaced(key: str, role: str) -> Problem:
    return Problem(
        (key,),
        "misplaced-key",
        f"`{key}` means nothing for the role `{role}`",
        "a key that nobody reads makes the binding look stricter than it is",
        f"leave `{key}` out, or write the role `{_NEEDS[key][0]}`",
    )
