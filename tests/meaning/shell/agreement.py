"""Generated scripts beside two oracles: what bash looks for when it runs them, and what shfmt sees in them."""

import re
from collections import Counter, deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree
from typing import NamedTuple

from tests.meaning.shell import generator, oracle, shfmt
from tests.meaning.shell.readers import doubts_of, effects_of, is_doubtful, names_of, written_by

BATCH = 100
GENERATED = re.compile(r"[ct][0-9]+")
SYNTAX = frozenset(
    [
        "Subshell",
        "Block",
        "IfClause",
        "WhileClause",
        "ForClause",
        "CaseClause",
        "FuncDecl",
        "TestClause",
        "ArithmCmd",
        "ArithmExp",
        "BinaryArithm",
        "UnaryArithm",
        "ParenArithm",
        "BinaryTest",
        "UnaryTest",
        "ParenTest",
        "CoprocClause",
        "TimeClause",
        "DeclClause",
        "LetClause",
        "ProcSubst",
        "CmdSubst",
        "ParamExp",
        "ExtGlob",
        "SglQuoted",
        "DblQuoted",
        "|",
        "|&",
        "&&",
        "||",
        "<",
        ">",
        ">>",
        ">|",
        "<>",
        "<&",
        ">&",
        "&>",
        "&>>",
        "<<",
        "<<-",
        "<<<",
        "until",
        "while",
        "for",
        "select",
        "backticks",
    ]
) | {
    "! negation",
    "& background",
    "# comment",
    "$( )",
    "$' '",
    '$" "',
    "${!x}",
    "${#x}",
    "${x/a/b}",
    "${x:-…} operator",
    "${x:1}",
    "${x[1]}",
    "<( ) process substitution",
    ">( ) process substitution",
    "<< that is expanded",
    "<< with a quoted delimiter",
    "c-style for",
    "case ;&",
    "case ;;",
    "case ;;&",
    "a=( ) array",
    "a+= append",
    "numbered redirection",
    "{fd} redirection",
}
"""What shfmt calls syntax, and operators as they are spelled, of which scripts have to reach every one."""

TEXTUAL = {
    "line continuation": r"\\\n",
    "line continuation in a name": r"[ct]\\\n[0-9]",
    "nested backticks": r"`[^`]*\\`",
    "backticks three deep": r"\\\\\\`",
    "several here-documents on one line": r"(?m)^.*<<-?\s*['\"\\]?E.*<<-?\s*['\"\\]?E",
    "here-document with a delimiter in single quotes": r"<<-?\s*'E",
    "here-document with a delimiter in double quotes": r"<<-?\s*\"E",
    "here-document with an escaped delimiter": r"<<-?\s*\\E",
    "here-document in a substitution": r"(?s)\$\([^)]*<<",
    "substitution in a here-document": r"(?m)^d1 (\\\n)?\"?\$\(",
    "brace expansion": r"\{d1,",
    "brace series": r"\{[a0-9]\.\.",
    "tilde": r"~[/+:\w]",
    "glob": r"[d ]\*|\[d\]|\?",
    "extended glob": r"[@*+!]\([^ ]",
    "array subscript": r"\$\{a\[",
    "case conversion": r"\$\{x(\^|,)",
    "transformation": r"\$\{x@",
    "quote in a parameter": r"\$\{x[-:+]*\"?'",
    "alias": r"alias al=",
    "eval": r"eval ",
    "trap": r"trap ",
    "source": r"(\.|source) [/<]",
    "$[ ] arithmetic": r"\$\[",
    "no-break space": "\u00a0",
    "vertical tab": "\x0b",
    "form feed": "\x0c",
    "carriage return": "\r",
    "em space": "\u2003",
    "typographic quotes": "[\u2018\u2019\u201c\u201d]",
    "byte order mark": "\ufeff",
    "3>&1- moved descriptor": r">&1-",
    "closed descriptor": r"[<>]&-",
    "!! double negation": r"! ! ",
    "time -p": r"time -p ",
    "in without words": r" in;",
    "for without in": r"for v[0-9]+;? do|for v[0-9]+; do",
    "parenthesised pattern": r"\n\(|esac\)|in \(",
}


class Script(NamedTuple):
    """One script: the names in it that could run, what each oracle says, and our effects."""

    text: str
    names: list[str]
    looked_for: list[str]
    files: list[str]
    shfmt: shfmt.Opinion | None
    effects: list


def compared(seeds, folder):
    """The scripts of *seeds* with what bash, shfmt and the walker say about them, batch by batch."""
    batches = [seeds[start : start + BATCH] for start in range(0, len(seeds), BATCH)]
    ahead = 4
    with ThreadPoolExecutor(2) as pool:
        # Bash and shfmt work while the walker does, but not so far ahead that their answers fill the memory.
        waiting = deque()
        for number, batch in enumerate([*batches, *[None] * ahead]):
            if batch is not None:
                waiting.append(pool.submit(_asked, batch, Path(folder) / str(number)))
            if number >= ahead and waiting:
                yield from _read(waiting.popleft().result())


def _read(answers):
    for text, names, (looked_for, files), opinion in answers:
        yield Script(text, names, looked_for, files, opinion, effects_of(text))


def _asked(batch, folder):
    scripts = [generator.script(seed) for seed in batch]
    texts = [text for text, _ in scripts]
    seen = oracle.observe(texts, folder / "bash")
    opinions = shfmt.opinions(texts, folder / "shfmt") if shfmt.program() else [None] * len(texts)
    rmtree(folder)
    return [(*script, *two) for script, *two in zip(scripts, seen, opinions, strict=True)]


def missing_by_bash(script):
    """The commands that bash looked for and that nothing says, unless something is said not to be known."""
    return set() if is_doubtful(script.effects) else set(script.looked_for) - set(names_of(script.effects))


def missing_by_shfmt(script):
    """The same of what shfmt takes for commands; it reads `<<''E` as if nothing were quoted, hence no `d1`."""
    if script.shfmt is None or is_doubtful(script.effects):
        return set()
    named = {name for name in script.shfmt.names if GENERATED.fullmatch(name)}
    return named - set(names_of(script.effects))


def files_missing(script):
    """The files that bash made and that no write says, unless something is said not to be known."""
    written = written_by(script.effects)
    if is_doubtful(script.effects) or any("⟨…⟩" in path for path in written):
        return set()
    return set(script.files) - set(written)


def constructs(script):
    """How often each construct stands in a script: its syntax as shfmt sees it, the rest by its spelling."""
    counts = Counter({name: len(re.findall(pattern, script.text)) for name, pattern in TEXTUAL.items()})
    if script.shfmt is not None:
        counts.update(script.shfmt.constructs)
    return counts


def doubt(script):
    """The first reason for not knowing something, if there is one."""
    return next(iter(doubts_of(script.effects)), None)
