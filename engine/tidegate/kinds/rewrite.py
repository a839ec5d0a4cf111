"""`rewrite`: change arguments before any rule judges them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from attrs import frozen

from ..kernel.json_values import same_json, snapshot
from ..kind import Case, CommandText, Example, Kind, Phase, Rewrite, Setting, Veto, param
from ..pointers import NoPlace, changed, parse_pointer
from ..rewriting.options import Forced, compile_forced
from ..rewriting.steps import overlap, put
from ..rewriting.values import Bounds, Prefixes, Tables, compile_values
from ..rewriting.wrapping import Wrapper, compile_wrapper
from ..shown import quote

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


@frozen
class Rewriting:
    """Change arguments: set and remove them, bring numbers into a range, wrap commands, add options to them.

    **Values.** Arguments are named by JSON pointers; `*` as a segment stands for each item of an array or each value
    of an object. Outer pointers come before those beneath them, and of those at one depth `remove` comes first, then
    `default`, `set`, `clamp` and `replace_prefix`. A text that begins with `old` begins with `new` afterwards; one that
    begins with `new` already is left. The beginnings are texts, not folders: write `/srv/old/` where `/srv/older` is
    not meant.

    **Commands.** What a binding calls a command can be changed as well, after the values. `options` adds options to
    each simple command of a program where it stands as a plain word, also behind `sudo`, `xargs` or `&&`, unless it has
    them; several words name a subcommand (`"npm install"`). `wrap` makes the whole text one quoted argument of the same
    shell behind another command: with `timeout 60`, the text `make; ls` becomes `timeout 60 bash -c 'make; ls'`, and
    the words of a command without a shell (`argv`) get these before them. `{root}` in `wrap` is the root of the call.
    All rules see through it: a wrapper through which no command could be read is refused when the rule is loaded. What
    a shell that lives on between calls would keep (`cd`, `export`) ends with a wrapped command.

    The rules after it, and the tool, see the new arguments only. A rule applied to its own outcome changes nothing. A
    rule changes arguments and never the tool that is called.

    What cannot be done refuses the call: a value on the way that is no object or array, an object that should get
    a key and is missing, an array that would have to grow or to lose an item, a number or text that is something else
    (text such as `"10"`, a boolean, null). So does an option that the command has with another value, that would have
    to go into a quoted text (`bash -c "curl …"`), or that words which are not known could bring in again; a text that
    cannot be read; and a tool of which no binding names a command. So does all that may undo the option: its negation
    (`--no-ignore-scripts`), `true` or `false` behind it, an option of which the program takes the last (`rm -i -f`),
    one that reads options from a file (`curl -K`), and any that the program's entry does not have or that is cut
    short. Where there are no items under a `*` there is nothing to do, and what is missing is neither clamped nor
    replaced: give it a default as well.

    The rule knows values, not meaning: it does not see a number inside a text or a limit under another name, and
    the new arguments are validated only where the tool or another rule does so. Scripts and other code that a call
    only names are not read: no option is added to what they run.
    """

    set: Mapping[str, Any] | None = param("Values by pointer that replace what the call says.", default=None)
    default: Mapping[str, Any] | None = param("Values by pointer for what the call leaves out.", default=None)
    remove: tuple[str, ...] | None = param("Pointers to keys that are taken out.", default=None)
    clamp: Mapping[str, Bounds] | None = param("Ranges by pointer, each with `min`, `max` or both.", default=None)
    replace_prefix: Mapping[str, Prefixes] | None = param(
        "Beginnings of texts by pointer, each with `old` and `new`.", default=None
    )
    options: Mapping[str, str] | None = param("Options that each command of a program gets, by program.", default=None)
    wrap: str | None = param("A command behind which all commands run: `timeout 60`.", default=None)


def compile_rewrite(fields: Rewriting, setting: Setting) -> Rewrite:
    """Make one list of steps, outermost first, and what is done to commands."""
    tables = Tables(
        fields.set or {}, fields.default or {}, fields.remove or (), fields.clamp or {}, fields.replace_prefix or {}
    )
    if not any(tables) and not fields.options and fields.wrap is None:
        setting.problem((), "missing-key", *_NOTHING)
    found = compile_values(tables, setting)
    forced = tuple(compile_forced(fields.options or {}, setting))
    wrapper = None if fields.wrap is None else compile_wrapper(fields.wrap, setting)

    def apply(case: Case) -> Mapping[str, Any]:
        before = case.call.arguments
        after: Any = before
        for step in found:
            try:
                after = changed(after, step.pointer, step.change, needed=step.needed)
            except NoPlace as error:
                raise Veto(f"{quote(error.place)} {error.why}{_SO[step.needed]}") from error
        if forced or wrapper is not None:
            after = _commands(after, case, forced, wrapper)
        return before if after is before or same_json(after, before) else _frozen(after)

    return Rewrite(apply)


_SO = {True: ", so that a value beneath it cannot be set", False: ", so that nothing beneath it can be changed"}


def _commands(arguments: Any, case: Case, forced: tuple[Forced, ...], wrapper: Wrapper | None) -> Any:
    """The arguments with options in their commands and the wrapper around them."""
    texts = None if case.commands is None else case.commands(arguments)
    if texts is None:
        raise Veto("no binding says which argument of this tool is a command")
    for text in texts:
        if not text.sure:
            raise Veto(f"whether {quote(text.pointer[1:])} is a command cannot be told")
        value = _command(text, case, forced, wrapper)
        if value is not text.value:
            arguments = changed(arguments, parse_pointer(text.pointer), put(value), needed=True)
    return arguments


def _command(text: CommandText, case: Case, forced: tuple[Forced, ...], wrapper: Wrapper | None) -> Any:
    for one in forced:
        text = text._replace(value=one.added_to(text, case.places.scene))
    return text.value if wrapper is None else wrapper.around(text, case.places.root)


def _frozen(arguments: Any) -> Mapping[str, Any]:
    frozen: Mapping[str, Any] = snapshot(arguments)
    return frozen


_NOTHING = (
    "the rule changes nothing",
    "a rewrite that names no change leaves every call as it is",
    "add `set`, `default`, `remove`, `clamp`, `replace_prefix`, `options` or `wrap`, or remove the rule",
)


def _strategy() -> SearchStrategy[Rewriting]:
    from hypothesis import strategies as st

    keys = st.sampled_from(["a", "b", "limit", "0", "*"])
    pointers = st.lists(keys, min_size=1, max_size=3).map(lambda names: "/" + "/".join(names))
    numbers = st.integers(-100, 100) | st.floats(-100, 100)
    texts = st.text("ab/", max_size=5)
    values = st.none() | st.booleans() | numbers | texts | st.dictionaries(st.sampled_from("ab"), numbers)
    bounds = st.tuples(numbers, numbers).map(lambda two: Bounds(min(two), max(two)))
    changes = st.one_of(
        st.fixed_dictionaries({"set": values}),
        st.fixed_dictionaries({"default": values}),
        st.fixed_dictionaries({"clamp": bounds}),
        st.just({"remove": None}),
        st.fixed_dictionaries({"replace_prefix": st.builds(Prefixes, texts, texts)}),
        bounds.map(lambda range_: {"default": range_.max, "clamp": range_}),
    )
    commands = st.fixed_dictionaries(
        {},
        optional={
            "options": st.sampled_from([{"curl": "--max-time 30"}, {"npm install": "--ignore-scripts"}, {"ls": "-l"}]),
            "wrap": st.sampled_from(["timeout 60", "nice -n 10", "env TZ=UTC"]),
        },
    )
    tables = st.dictionaries(pointers, changes, min_size=1, max_size=4)
    return st.builds(_fields_of, tables, st.just({}) | commands)


def _fields_of(changes: Mapping[str, Mapping[str, Any]], commands: Mapping[str, Any]) -> Rewriting:
    """Fields that make these changes, without those that a rule may not have beside others."""
    tables: dict[str, dict[str, Any]] = {"set": {}, "default": {}, "clamp": {}, "replace_prefix": {}, "remove": {}}
    for pointer, change in changes.items():
        for key, value in change.items():
            tables["set" if key == "default" and pointer.endswith("*") else key][pointer] = value
    constants = [parse_pointer(one) for one in (*tables["set"], *tables["default"])]
    removed = [
        one for one in map(parse_pointer, tables["remove"]) if all(each[: len(one)] != one for each in constants)
    ]
    replaced: dict[str, Any] = {}
    for pointer, prefixes in tables["replace_prefix"].items():
        others = map(parse_pointer, (*tables["clamp"], *replaced))
        if not any(overlap(parse_pointer(pointer), other) for other in others):
            replaced[pointer] = prefixes
    return Rewriting(
        set=tables["set"] or None,
        default=tables["default"] or None,
        remove=tuple(text for text in tables["remove"] if parse_pointer(text) in removed) or None,
        clamp=tables["clamp"] or None,
        replace_prefix=replaced or None,
        options=commands.get("options", None if removed or replaced or constants or tables["clamp"] else {"ls": "-l"}),
        wrap=commands.get("wrap"),
    )


KIND = Kind(
    name="rewrite",
    phase=Phase.REWRITE,
    fields=Rewriting,
    compile=compile_rewrite,
    examples=(
        Example(
            "At most a hundred results",
            """\
[[rule]]
id = "small-searches"
kind = "rewrite"
tools = ["web_search"]
default = { "/limit" = 10 }
clamp = { "/limit" = { min = 1, max = 100 } }

[[rule.example]]
call = { tool = "web_search", args = { query = "tides", limit = 5000 } }
expect_arguments = { query = "tides", limit = 100 }

[[rule.example]]
call = { tool = "web_search", args = { query = "tides" } }
expect_arguments = { query = "tides", limit = 10 }

[[rule.example]]
call = { tool = "web_search", args = { query = "tides", limit = "5000" } }
expect = "deny"
why = "a text is no number, whatever it says"
""",
        ),
        Example(
            "Mail goes out as a draft",
            """\
[[rule]]
id = "drafts-only"
kind = "rewrite"
tools = ["send_email"]
set = { "/draft" = true, "/headers/x-sent-by" = "agent" }

[[rule.example]]
call = { tool = "send_email", args = { to = "a@example.com", draft = false, headers = {} } }
expect_arguments = { to = "a@example.com", draft = true, headers = { x-sent-by = "agent" } }

[[rule.example]]
call = { tool = "send_email", args = { to = "a@example.com" } }
expect = "deny"
why = "there are no headers in which the second value could stand"
""",
        ),
        Example(
            "Each edit says its encoding",
            """\
[[rule]]
id = "edits-in-utf-8"
kind = "rewrite"
tools = ["edit_files"]
default = { "/edits/*/encoding" = "utf-8" }

[[rule.example]]
call = { tool = "edit_files", args = { edits = [{ path = "a" }, { path = "b", encoding = "latin-1" }] } }
expect_arguments = { edits = [{ path = "a", encoding = "utf-8" }, { path = "b", encoding = "latin-1" }] }

[[rule.example]]
call = { tool = "edit_files", args = { edits = [] } }
expect = "pass"
""",
        ),
        Example(
            "Out of the old folder, and no ticket without its number",
            """\
[[rule]]
id = "moved"
kind = "rewrite"
tools = ["file_ticket"]
remove = ["/assignee"]

[rule.replace_prefix]
"/attachments/*" = { old = "/srv/old/", new = "/srv/new/" }
"/title" = { old = "", new = "[agent] " }

[[rule.example]]
call = { tool = "file_ticket", args = { title = "Tide", assignee = "kim", attachments = ["/srv/old/a", "/srv/older"] } }
expect_arguments = { title = "[agent] Tide", attachments = ["/srv/new/a", "/srv/older"] }

[[rule.example]]
call = { tool = "file_ticket", args = { title = "[agent] Tide", attachments = [] } }
expect = "pass"
why = "what was done once has nothing left to do"

[[rule.example]]
call = { tool = "file_ticket", args = { title = 7 } }
expect = "deny"
""",
        ),
        Example(
            "No command runs for longer than a minute",
            """\
[[rule]]
id = "one-minute"
kind = "rewrite"
tools = ["run_bash", "start_process"]
wrap = "timeout 60"

[[rule.example]]
call = { tool = "run_bash", args = { command = "make; ls" } }
expect_arguments = { command = "timeout 60 bash -c 'make; ls'" }

[[rule.example]]
call = { tool = "run_bash", args = { command = "timeout 60 bash -c 'make all'" } }
expect = "pass"
why = "it is wrapped already"

[[rule.example]]
call = { tool = "start_process", args = { program = "make" } }
expect = "deny"
why = "no binding says what of it is a command"
""",
        ),
        Example(
            "Downloads end, and packages run nothing when they are installed",
            """\
[[rule]]
id = "options"
kind = "rewrite"
tools = ["run_bash"]
options = { curl = "--max-time 30", "npm install" = "--ignore-scripts" }

[[rule.example]]
call = { tool = "run_bash", args = { command = "cd a && npm install left-pad; curl -s https://a.test" } }
expect_arguments = { command = "cd a && npm install --ignore-scripts left-pad; curl --max-time 30 -s https://a.test" }

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -m 30 https://a.test/; npm test" } }
expect = "pass"
why = "`-m` is the same option"

[[rule.example]]
call = { tool = "run_bash", args = { command = "curl -m 900 https://a.test/" } }
expect = "deny"

[[rule.example]]
call = { tool = "run_bash", args = { command = "sh -c 'curl https://a.test/'" } }
expect = "deny"
why = "the option would have to go into the quoted text"
""",
        ),
    ),
    strategy=_strategy,
)
