"""What imported rules allow, their source allows too: each source has a small evaluator of its own here.

Commands are made of plain words, and an option stands behind them: a grant of ours is about what a command
does, so that it also covers other spellings of the same, of which a source that compares text knows nothing.
"""

import json
import re

import jsonschema
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.importing.importers import effect, imported, plan_of

# So few words that rules are often about the same commands.
WORDS = st.sampled_from(["status", "push", "main", "x"])
PROGRAMS = st.sampled_from(["git", "git", "make"])
COMMANDS = st.builds(lambda program, words: " ".join([program, *words]), PROGRAMS, st.lists(WORDS, max_size=2))
PARTS = st.lists(st.builds(str.__add__, COMMANDS, st.sampled_from(["", "", " -v"])), min_size=1, max_size=2)
LINES = st.lists(st.tuples(PARTS, st.sampled_from([" && ", "; ", " | "])), min_size=4, max_size=8)
"""Commands of one rule set, each in parts, and what stands between the parts."""

COSTLY = settings(max_examples=60)
"""Each example compiles rules over the table of commands twice, and judges several commands by them."""

EFFECTS = st.sampled_from(["allow", "allow", "ask", "deny"])
STRICT = {"allow": 0, "ask": 1, "deny": 2}


def allowed_parts(made, tool, lines):
    """The parts of those commands that the rules allow."""
    note(made.text)
    plan = plan_of(made)
    return [
        part for parts, between in lines if effect(plan, tool, command=between.join(parts)) == "allow" for part in parts
    ]


def strictest(effects):
    """The strictest of several."""
    return max(effects, key=STRICT.__getitem__)


def wild(pattern, text):
    """Whether a text is what a pattern with `*` and `?` says."""
    made = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    return re.fullmatch(made, text, re.DOTALL) is not None


def begins(prefix, command):
    """Whether a command begins with these words."""
    return command == prefix or command.startswith(f"{prefix} ")


# Claude Code: the strictest list counts; `:*` and ` *` at the end stand for further words, or none.

SPECS = st.builds(lambda command, end: f"{command}{end}", COMMANDS, st.sampled_from(["", ":*", " *", "*"])) | (
    st.builds(lambda program, word: f"{program} * {word}", PROGRAMS, WORDS) | st.just("*")
)


def claude_matches(spec, command):
    """Whether a rule of Claude Code is about a command."""
    if spec.endswith((":*", " *")):
        return begins(spec[:-2], command) or wild(f"{spec[:-2]} *", command)
    return wild(spec, command)


@COSTLY
@given(rules=st.lists(st.tuples(EFFECTS, SPECS), max_size=6), lines=LINES)
def test_claude_code_allows_what_imported_rules_allow(rules, lines):
    """A command that imported rules allow is one whose parts Claude Code allows, each by a rule, and none refused."""
    lists = {name: [f"Bash({spec})" for one, spec in rules if one == name] for name in STRICT}
    made = imported("claude-code", json.dumps({"permissions": lists}))
    for part in allowed_parts(made, "Bash", lines):
        about = [name for name, spec in rules if claude_matches(spec, part)]

        assert about
        assert strictest(about) == "allow"


PATHS = [
    "src/a.py",
    "src/b/c.py",
    ".env",
    "a/.env",
    "secrets/k.pem",
    "docs/x.md",
    "k.pem",
    "/etc/hosts",
    "/home/dev/x/y",
]
GLOBS = [
    "src/**",
    "/src/*.py",
    "//etc/**",
    ".env",
    "*.pem",
    "secrets/",
    "~/x/**",
    "docs/*",
    "src/b/c.py",
    "/docs/**",
    "**/k.pem",
]


def ignored(glob, path):
    """Whether a pattern in the manner of `.gitignore` is about a path, seen from the project."""
    full = path if path.startswith("/") else f"/srv/shop/{path}"
    if glob.startswith("//"):
        glob = glob[1:]
    elif glob.startswith("~/"):
        glob = f"/home/dev{glob[1:]}"
    else:
        inner = glob.strip("/")
        anywhere = "/" not in inner and not glob.startswith("/")
        glob = f"/srv/shop/{'**/' if anywhere else ''}{inner}{'/**' if glob.endswith('/') else ''}"
    made = re.escape(glob).replace(r"\*\*/", "(?:.*/)?").replace(r"\*\*", ".*").replace(r"\*", "[^/]*")
    return re.fullmatch(f"{made}(?:/.*)?", full) is not None


@given(rules=st.lists(st.tuples(EFFECTS, st.sampled_from(GLOBS)), max_size=5))
def test_claude_code_reads_what_imported_rules_let_be_read(rules):
    """A file that imported rules let be read is one that a rule of Claude Code allows, and none refuses."""
    lists = {name: [f"Read({glob})" for one, glob in rules if one == name] for name in STRICT}
    made = imported("claude-code", json.dumps({"permissions": lists}))
    note(made.text)
    plan = plan_of(made)
    for path in [path for path in PATHS if effect(plan, "Read", file_path=path) == "allow"]:
        about = [name for name, glob in rules if ignored(glob, path)]

        assert about
        assert strictest(about) == "allow"


# Codex: the strictest of the rules whose words a command begins with.

PREFIXES = st.lists(st.one_of(WORDS, st.lists(WORDS, min_size=1, max_size=2)), max_size=2)


@COSTLY
@given(
    rules=st.lists(
        st.tuples(st.sampled_from(["allow", "allow", "prompt", "forbidden"]), PROGRAMS, PREFIXES), max_size=5
    ),
    lines=LINES,
)
def test_codex_allows_what_imported_rules_allow(rules, lines):
    """A command that imported rules allow begins, in each part, with words of a rule that allows, and of no other."""
    source = "\n".join(f"prefix_rule(pattern={[p, *words]!r}, decision={word!r})" for word, p, words in rules)
    made = imported("codex", source)
    for part in allowed_parts(made, "Bash", lines):
        about = {word for word, program, words in rules if _has_words([program, *words], part.split())}

        assert about == {"allow"}


def _has_words(pattern, words):
    choices = [choice if isinstance(choice, list) else [choice] for choice in pattern]
    return len(words) >= len(choices) and all(word in choice for word, choice in zip(words, choices, strict=False))


# Gemini CLI: the rule of the highest priority counts; the first in the file among equals.

PREFIXED = st.lists(COMMANDS, min_size=1, max_size=2)
ABOUT = st.one_of(PREFIXED, PREFIXED, PREFIXED, st.none())
GEMINI = st.tuples(st.sampled_from(["allow", "allow", "ask_user", "deny"]), ABOUT, st.integers(0, 5))


@COSTLY
@given(rules=st.lists(GEMINI, max_size=5), lines=LINES)
def test_gemini_allows_what_imported_rules_allow(rules, lines):
    """A command that imported rules allow is allowed, in each part, by the strongest rule that is about it."""
    source = "".join(
        f"[[rule]]\ntoolName = 'run_shell_command'\nallowRedirection = true\ndecision = '{word}'\npriority = {order}\n"
        + (f"commandPrefix = {json.dumps(prefixes)}\n" if prefixes else "")
        for word, prefixes, order in rules
    )
    made = imported("gemini", source)
    for part in allowed_parts(made, "run_shell_command", lines):
        about = [(order, word) for word, prefixes, order in rules
                 if prefixes is None or any(begins(prefix, part) for prefix in prefixes)]  # fmt: skip

        assert about
        highest = max(order for order, _ in about)

        assert "allow" in {word for order, word in about if order == highest}


# opencode: the last line that is about a call counts.

RESOURCES = st.builds(lambda command, end: f"{command}{end}", COMMANDS, st.sampled_from(["", " *", "*"])) | st.just("*")


@COSTLY
@given(rules=st.lists(st.tuples(RESOURCES, EFFECTS), max_size=6, unique_by=lambda rule: rule[0]), lines=LINES,
       new=st.booleans())  # fmt: skip
def test_opencode_allows_what_imported_rules_allow(rules, lines, new):
    """A command that imported rules allow is allowed, in each part, by the last line that is about it."""
    listed = [{"action": "shell", "resource": resource, "effect": word} for resource, word in rules]
    made = imported("opencode", json.dumps({"permissions": listed} if new else {"permission": {"bash": dict(rules)}}))
    for part in allowed_parts(made, "bash", lines):
        last = "ask" if new else "allow"
        for resource, word in rules:
            if wild(resource, part) or (resource.endswith(" *") and part == resource[:-2]):
                last = word

        assert last == "allow"


# Copilot CLI: a deny counts more than any allow.


@COSTLY
@given(
    rules=st.lists(st.tuples(st.sampled_from([True, True, False]), COMMANDS, st.booleans()), max_size=5), lines=LINES
)
def test_copilot_allows_what_imported_rules_allow(rules, lines):
    """A command that imported rules allow is allowed in each part, and refused in none."""
    words = [
        f"--{'allow' if yes else 'deny'}-tool 'shell({command}{':*' if rest else ''})'" for yes, command, rest in rules
    ]
    made = imported("copilot", " ".join(["copilot", *words]))
    for part in allowed_parts(made, "bash", lines):
        about = {yes for yes, command, rest in rules if part == command or (rest and begins(command, part))}

        assert about == {True}


# Progent: whichever comes first of the rules about a call; a condition says nothing of an argument that is absent.

SCHEMAS = st.sampled_from(
    [{"type": "string"}, {"enum": ["a", 1]}, {"type": "integer", "maximum": 5}, {"pattern": "^a"}]
)
CONDITIONS = st.dictionaries(st.sampled_from(["to", "n"]), SCHEMAS, max_size=2)
ARGUMENTS = st.dictionaries(st.sampled_from(["to", "n", "other"]), st.sampled_from(["a", "b", 1, 9, "ab"]), max_size=3)


@given(
    rules=st.lists(st.tuples(st.integers(0, 1), CONDITIONS, st.integers(0, 2)), max_size=4),
    calls=st.lists(ARGUMENTS, min_size=2, max_size=6),
)
def test_progent_allows_what_imported_rules_allow(rules, calls):
    """A call that imported rules allow is allowed by Progent in whichever order its rules are tried."""
    source = {
        "pay": [[index, forbids, conditions, fallback] for index, (forbids, conditions, fallback) in enumerate(rules)]
    }
    made = imported("progent", json.dumps(source))
    note(made.text)
    plan = plan_of(made)
    for arguments in [call for call in calls if effect(plan, "pay", **call) == "allow"]:
        about = {forbids for forbids, conditions, _ in rules if _holds(conditions, arguments)}

        assert about == {0}


def _holds(conditions, arguments):
    return all(
        name not in arguments or jsonschema.Draft202012Validator(schema).is_valid(arguments[name])
        for name, schema in conditions.items()
    )
