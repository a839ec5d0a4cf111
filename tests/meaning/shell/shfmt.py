"""`shfmt`, a parser that has nothing to do with ours or with bash, as a second opinion on structure."""

import json
import re
import shutil
import subprocess
import sys
from bisect import bisect
from collections import Counter
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

_COMPLAINT = re.compile(r"^(.*?):\d+:\d+: ", re.MULTILINE)
_OPERATORS = re.compile(rb"&>>|<<<|<<-|>>|<<|>\||&>|>&|<&|<>|\|&|\|\||&&|[<>|]")
_PARAMETER = {
    "Excl": "${!x}",
    "Length": "${#x}",
    "Slice": "${x:1}",
    "Repl": "${x/a/b}",
    "Index": "${x[1]}",
    "Exp": "${x:-…} operator",
}
_LOOPS = {"WordIter": "for", "CStyleLoop": "c-style for"}


class Opinion(NamedTuple):
    """The constant names of all commands in a script, and how often each construct stands in it."""

    names: set[str]
    constructs: Counter[str]


@cache
def program():
    """The program, or nothing."""
    return shutil.which("shfmt", path=str(Path(sys.executable).parent)) or shutil.which("shfmt")


def opinions(texts, folder):
    """What shfmt sees in each of *texts*, all of which end with a newline; `None` where it refuses one."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    data = [text.encode(errors="surrogateescape") for text in texts]
    for number, one in enumerate(data):
        (folder / f"{number}.sh").write_bytes(one)
    command = [program(), "-l", "-ln", "bash", *(f"{number}.sh" for number in range(len(data)))]
    said = subprocess.run(command, cwd=folder, capture_output=True, check=False).stderr.decode(errors="replace")
    refused = {found.removesuffix(".sh") for found in _COMPLAINT.findall(said)}
    accepted = [number for number in range(len(data)) if str(number) not in refused]
    found: list[Opinion | None] = [None] * len(data)
    for number, opinion in zip(accepted, _read([data[number] for number in accepted]), strict=True):
        found[number] = opinion
    return found


def _read(data):
    """The opinions on scripts that are read in one go; where one runs into the next, in two goes."""
    if not data:
        return []
    whole = b"".join(data)
    done = subprocess.run([program(), "--to-json", "-ln", "bash"], input=whole, capture_output=True, check=False)
    if done.returncode:
        if len(data) == 1:
            return [None]
        return _read(data[: len(data) // 2]) + _read(data[len(data) // 2 :])
    starts = list(accumulate(map(len, data), initial=0))
    found = [Opinion(set(), Counter()) for _ in data]
    for statement in json.loads(done.stdout).get("Stmts", ()):
        opinion = found[bisect(starts, statement["Pos"]["Offset"]) - 1]
        for node in _nodes(statement):
            opinion.constructs.update(_constructs(node, whole))
            name = _name(node)
            if name is not None:
                opinion.names.add(name)
    return found


def _nodes(tree):
    """Every node of a syntax tree."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, dict):
            yield node
            left.extend(node.values())
        elif isinstance(node, list):
            left.extend(node)


def _name(node):
    """The first word of a command, where it is constant and spelled without escapes."""
    if node.get("Type") != "CallExpr" or not node.get("Args"):
        return None
    pieces = [_constant(part) for part in node["Args"][0]["Parts"]]
    return None if None in pieces else "".join(pieces)


def _constant(part):
    match part["Type"]:
        case "Lit":
            text = part.get("Value", "").replace("\\\n", "")
            return None if re.search(r"[*?[{~]", text) else re.sub(r"\\(.)", r"\1", text)
        case "SglQuoted":
            return None if part.get("Dollar") and "\\" in part.get("Value", "") else part.get("Value", "")
        case "DblQuoted":
            inner = part.get("Parts", ())
            if any(each["Type"] != "Lit" or "\\" in each.get("Value", "") for each in inner):
                return None
            return "".join(each.get("Value", "") for each in inner)
    return None


def _constructs(node, source):
    """The names of what a node is."""
    kind = node.get("Type", "")
    yield from (name for key, name in _MARKS.items() if node.get(key))
    if kind:
        yield kind
        yield from _KINDS.get(kind, _nothing)(node, source)
    if "OpPos" in node and (kind == "BinaryCmd" or ("Op" in node and ("Word" in node or "Hdoc" in node))):
        yield from _redirection(node, source)
    if "Name" in node and not kind and ("Value" in node or "Array" in node):
        yield "a=( ) array" if node.get("Array") else "assignment"


def _nothing(_node, _source):
    return ()


def _loop(node, _source):
    yield "select" if node.get("Select") else _LOOPS[node["Loop"]["Type"]]


def _condition(node, _source):
    yield "until" if node.get("Until") else "while"


def _clauses(node, source):
    for item in node.get("Items", ()):
        offset = item.get("OpPos", {}).get("Offset", 0)
        yield "case " + re.match(rb"[;&]*", source[offset : offset + 3])[0].decode()


def _substitution(node, _source):
    yield "backticks" if node.get("Backquotes") else "$( )"


def _process(node, source):
    yield f"{source[node['Pos']['Offset'] :][:1].decode()}( ) process substitution"


def _parameter(node, _source):
    yield from (name for key, name in _PARAMETER.items() if node.get(key))


_MARKS = {"Negated": "! negation", "Background": "& background", "Comments": "# comment", "Append": "a+= append"}
_KINDS = {
    "ForClause": _loop,
    "WhileClause": _condition,
    "CaseClause": _clauses,
    "CmdSubst": _substitution,
    "ProcSubst": _process,
    "ParamExp": _parameter,
    "SglQuoted": lambda node, _: ["$' '"] if node.get("Dollar") else [],
    "DblQuoted": lambda node, _: ['$" "'] if node.get("Dollar") else [],
}


def _redirection(node, source):
    offset = node["OpPos"]["Offset"]
    found = _OPERATORS.match(source, offset)
    operator = found[0].decode() if found else ""
    if operator:
        yield operator
    if node.get("N"):
        yield "{fd} redirection" if node["N"]["Value"].startswith("{") else "numbered redirection"
    if operator in ("<<", "<<-") and node.get("Word"):
        quoted = any(part["Type"] != "Lit" or "\\" in part.get("Value", "") for part in node["Word"]["Parts"])
        yield "<< with a quoted delimiter" if quoted else "<< that is expanded"
