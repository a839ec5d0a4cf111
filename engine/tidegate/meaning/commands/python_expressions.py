# ruff: noqa: SLF001  the table at the end names methods of the class above it
"""Expressions of Python code: what is known of their values, and the calls in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from ..values import Value
from .code_effects import CodeEffects
from .python_calls import Caller
from .python_results import check_handed_on, path_attribute
from .python_values import (
    DATA,
    ELEMENT,
    PATHS,
    SOME_PATH,
    UNKNOWN,
    Function,
    Items,
    Known,
    Name,
    NotUnderstood,
    PathThing,
    Text,
    Thing,
    as_text,
    either,
    joined_path,
    text_thing,
)
from .text import joined

_DEEPEST = 8
_LONGEST = 10_000
Run = Callable[[list[ast.stmt], dict[str, Thing]], Thing]


class Expressions:
    """Evaluates expressions over the names in scope."""

    def __init__(self, said: CodeEffects, names: dict[str, Thing], run: Run, depth: int) -> None:
        self.names = names
        self._said = said
        self._caller = Caller(said)
        self._run = run
        self._depth = depth

    def evaluate(self, node: ast.expr | None) -> Thing:
        """What is known of the value of *node*; the calls in it are said.

        Raises:
            NotUnderstood: Something in it is not understood.
        """
        if node is None:
            return Known(None)
        reader = _READERS.get(type(node))
        if reader is None:
            raise NotUnderstood(f"line {node.lineno} is not understood")
        return reader(self, node)

    def _constant(self, node: ast.Constant) -> Thing:
        return Known(node.value)

    def _name(self, node: ast.Name) -> Thing:
        if node.id == "__name__":
            return Known("__main__")
        thing = self.names.get(node.id, DATA if node.id == "__file__" else Name(node.id))
        if thing is UNKNOWN:
            raise NotUnderstood(f"what `{node.id}` is, is not known")
        return thing

    def _attribute(self, node: ast.Attribute) -> Thing:
        base = self.evaluate(node.value)
        if isinstance(base, Name):
            return Name(f"{base.dotted}.{node.attr}")
        if isinstance(base, PathThing):
            return path_attribute(base, node.attr)
        if isinstance(base, Function) or base is PATHS:
            raise NotUnderstood("an attribute is not understood")
        return ELEMENT if base is ELEMENT else DATA

    def _fstring(self, node: ast.JoinedStr) -> Thing:
        pieces: list[Value] = []
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                value = as_text(self.evaluate(part.value))
                plain = part.format_spec is None and part.conversion in (-1, ord("s"))
                pieces.append(value if plain else as_text(DATA))
            else:
                pieces.append(as_text(self.evaluate(part)))
        return text_thing(joined(*pieces))

    def _binary(self, node: ast.BinOp) -> Thing:
        left, right = self.evaluate(node.left), self.evaluate(node.right)
        if isinstance(node.op, ast.Div) and (isinstance(left, PathThing) or isinstance(right, PathThing)):
            return PathThing(joined_path(as_text(left), as_text(right)))
        check_handed_on([left, right])
        if isinstance(node.op, ast.Add):
            if isinstance(left, Items) and isinstance(right, Items):
                return Items(left.items + right.items)
            if _is_text(left) or _is_text(right):
                return text_thing(joined(as_text(left), as_text(right)))
        return DATA

    def _plain(self, node: ast.expr) -> Thing:
        """An operator over its operands: plain data, whatever they are."""
        for child in _operands(node):
            check_handed_on([self.evaluate(child)])
        return DATA

    def _choice(self, node: ast.IfExp) -> Thing:
        self.evaluate(node.test)
        first, second = self.evaluate(node.body), self.evaluate(node.orelse)
        return either(first, second)

    def _items(self, node: ast.List | ast.Tuple | ast.Set) -> Thing:
        if any(isinstance(item, ast.Starred) for item in node.elts):
            things = [self.evaluate(item.value if isinstance(item, ast.Starred) else item) for item in node.elts]
            if any(isinstance(thing, PathThing) for thing in things):
                raise NotUnderstood("paths that are spread are not followed")
            check_handed_on(things)
            return DATA
        return Items(tuple(self.evaluate(item) for item in node.elts))

    def _dict(self, node: ast.Dict) -> Thing:
        things = [self.evaluate(child) for child in (*node.keys, *node.values) if child is not None]
        check_handed_on(things)
        if any(isinstance(thing, PathThing) for thing in things):
            raise NotUnderstood("paths in a dictionary are not followed")
        return DATA

    def _subscript(self, node: ast.Subscript) -> Thing:
        base = self.evaluate(node.value)
        index = DATA if isinstance(node.slice, ast.Slice) else self.evaluate(node.slice)
        if isinstance(base, Items) and isinstance(index, Known) and isinstance(index.value, int):
            position = index.value
            if -len(base.items) <= position < len(base.items):
                return base.items[position]
        if isinstance(base, Function) or (isinstance(base, Name) and base.dotted not in ("os.environ", "sys.argv")):
            raise NotUnderstood("what is looked up is not understood")
        if base is PATHS:
            return PATHS if isinstance(node.slice, ast.Slice) else SOME_PATH
        if isinstance(base, Items):
            return base if isinstance(node.slice, ast.Slice) else element_of(base)
        return ELEMENT if base is ELEMENT else DATA

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> Thing:
        outer = dict(self.names)
        for generator in node.generators:
            elements = element_of(self.evaluate(generator.iter))
            self.bind(generator.target, elements)
            for condition in generator.ifs:
                self.evaluate(condition)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        things = [self.evaluate(part) for part in parts]
        check_handed_on(things)
        self.names.clear()
        self.names.update(outer)
        if any(isinstance(thing, PathThing) for thing in things):
            if isinstance(node, ast.DictComp):
                raise NotUnderstood("paths in a dictionary are not followed")
            return PATHS
        return DATA

    def _lambda(self, node: ast.Lambda) -> Thing:
        return Function(node)

    def _assigned(self, node: ast.NamedExpr) -> Thing:
        thing = self.evaluate(node.value)
        self.bind(node.target, thing)
        return thing

    def bind(self, target: ast.expr, thing: Thing) -> None:
        """Give *target* its value.

        Raises:
            NotUnderstood: It is not a name, or a part of plain data.
        """
        if isinstance(target, ast.Name):
            self.names[target.id] = thing
        elif isinstance(target, (ast.Tuple, ast.List)):
            known = thing.items if isinstance(thing, Items) and len(thing.items) == len(target.elts) else None
            for index, part in enumerate(target.elts):
                self.bind(part, known[index] if known is not None else DATA)
        elif isinstance(target, (ast.Subscript, ast.Attribute)):
            base = self.evaluate(target.value)
            if isinstance(base, (Name, Function, PathThing)) or isinstance(thing, PathThing) or base is PATHS:
                raise NotUnderstood("what is assigned to is not plain data")
            check_handed_on([thing])
            if isinstance(target.value, ast.Name):
                self.names[target.value.id] = DATA
        elif isinstance(target, ast.Starred):
            self.bind(target.value, DATA)
        else:
            raise NotUnderstood("what is assigned to is not understood")

    def _call(self, node: ast.Call) -> Thing:
        args = [self.evaluate(arg.value if isinstance(arg, ast.Starred) else arg) for arg in node.args]
        if any(isinstance(arg, ast.Starred) for arg in node.args) or any(word.arg is None for word in node.keywords):
            raise NotUnderstood(f"line {node.lineno} spreads its arguments")
        keywords = {word.arg: self.evaluate(word.value) for word in node.keywords if word.arg is not None}
        if isinstance(node.func, ast.Attribute):
            base = self.evaluate(node.func.value)
            if not isinstance(base, Name):
                return self._caller.method(base, node.func.attr, self._safe(args), self._safe_words(keywords))
        thing = self.evaluate(node.func)
        if isinstance(thing, Function):
            return self._call_own(thing, args, keywords)
        if not isinstance(thing, Name):
            raise NotUnderstood(f"line {node.lineno} calls what is not known")
        return self._call_named(thing.dotted, args, keywords)

    def _call_named(self, dotted: str, args: list[Thing], keywords: dict[str, Thing]) -> Thing:
        first = args[0] if args else None
        if dotted in ("exec", "eval") and isinstance(first, Known) and isinstance(first.value, (str, bytes)):
            return self._run(_parsed(as_text(first)), self.names)
        if dotted in ("__import__", "importlib.import_module") and isinstance(first, Known):
            return Name(str(first.value))
        if dotted == "getattr" and isinstance(first, Name) and len(args) > 1 and isinstance(args[1], Known):
            return Name(f"{first.dotted}.{args[1].value}")
        return self._caller.call(dotted, self._safe(args), self._safe_words(keywords))

    def _safe(self, args: list[Thing]) -> list[Thing]:
        """The arguments; a lambda or own function among them is run once over plain data."""
        return [self._run_over_data(arg) if isinstance(arg, Function) else arg for arg in args]

    def _safe_words(self, keywords: dict[str, Thing]) -> dict[str, Thing]:
        return dict(zip(keywords, self._safe(list(keywords.values())), strict=True))

    def _run_over_data(self, function: Function) -> Thing:
        count = len(function.node.args.args)
        return self._call_own(function, [ELEMENT] * count, {})

    def _call_own(self, function: Function, args: list[Thing], keywords: dict[str, Thing]) -> Thing:
        node = function.node
        if self._depth >= _DEEPEST or node.args.vararg or node.args.kwarg or node.args.posonlyargs:
            raise NotUnderstood("a function is called in a way that is not followed")
        names = dict(self.names)
        parameters = [*node.args.args, *node.args.kwonlyargs]
        for parameter in parameters:
            names[parameter.arg] = UNKNOWN
        defaults = node.args.defaults
        for parameter, default in zip(node.args.args[len(node.args.args) - len(defaults) :], defaults, strict=True):
            names[parameter.arg] = self.evaluate(default)
        for parameter, arg in zip(node.args.args, args, strict=False):
            names[parameter.arg] = arg
        names.update((name, thing) for name, thing in keywords.items() if name in names)
        body: list[ast.stmt] = [ast.Return(node.body)] if isinstance(node, ast.Lambda) else node.body
        return self._run(body, names)


def _parsed(text: Value) -> list[ast.stmt]:
    if not isinstance(text, str) or len(text) > _LONGEST:
        raise NotUnderstood("code that is run from text is not known")
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotUnderstood("code that is run from text does not parse") from error


def _is_text(thing: Thing) -> bool:
    return (isinstance(thing, Known) and isinstance(thing.value, str)) or isinstance(thing, Text)


def element_of(thing: Thing) -> Thing:
    """What one element of a collection is."""
    if thing is PATHS:
        return SOME_PATH
    if isinstance(thing, Items):
        check_handed_on(thing.items)
        element = thing.items[0] if thing.items else DATA
        for item in thing.items[1:]:
            element = either(element, item)
        return element
    if isinstance(thing, (Name, Function)):
        if isinstance(thing, Name) and thing.dotted in ("sys.stdin", "sys.argv", "os.environ"):
            return DATA
        raise NotUnderstood("what is looped over is not known")
    return DATA


def _operands(node: ast.expr) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child


_READERS: dict[type[ast.expr], Callable[..., Thing]] = {
    ast.Constant: Expressions._constant,
    ast.Name: Expressions._name,
    ast.Attribute: Expressions._attribute,
    ast.JoinedStr: Expressions._fstring,
    ast.BinOp: Expressions._binary,
    ast.UnaryOp: Expressions._plain,
    ast.BoolOp: Expressions._plain,
    ast.Compare: Expressions._plain,
    ast.Slice: Expressions._plain,
    ast.IfExp: Expressions._choice,
    ast.List: Expressions._items,
    ast.Tuple: Expressions._items,
    ast.Set: Expressions._items,
    ast.Dict: Expressions._dict,
    ast.Subscript: Expressions._subscript,
    ast.ListComp: Expressions._comprehension,
    ast.SetComp: Expressions._comprehension,
    ast.GeneratorExp: Expressions._comprehension,
    ast.DictComp: Expressions._comprehension,
    ast.Lambda: Expressions._lambda,
    ast.NamedExpr: Expressions._assigned,
    ast.Call: Expressions._call,
}
