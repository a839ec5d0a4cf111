"""Parts of rules made straight from a kind's fields, and calls to try them on."""

from tidegate.kernel.json_values import snapshot
from tidegate.kind import Call, Case, Kind, Setting, Tool
from tidegate.meaning.commands.table import Table

NOW = 1_000.0


def made(kind: Kind, **fields):
    """The part that a rule with these fields becomes; it must have no problem."""
    return of_fields(kind, kind.fields(**fields))


def of_fields(kind: Kind, fields):
    """The part that a rule with these fields becomes; it must have no problem."""
    setting = Setting("the-rule", "deny", None, Table.builtin())
    part = kind.compile(fields, setting)
    assert setting.problems == []
    return part


def problems(kind: Kind, **fields):
    """The code and key of each problem of a rule with these fields."""
    setting = Setting("the-rule", "deny", None, Table.builtin())
    kind.compile(kind.fields(**fields), setting)
    return [(problem.code, problem.path) for problem in setting.problems]


def case(arguments=None, *, tool="a_tool", effects=(), places=None, commands=None, **about):
    """A call with these arguments."""
    named = tool if isinstance(tool, Tool) else Tool(tool)
    return Case(
        Call(named, snapshot({} if arguments is None else arguments), **about), effects, places, NOW, None, commands
    )
