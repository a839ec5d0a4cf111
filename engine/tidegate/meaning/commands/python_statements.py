# ruff: noqa: SLF001  the table at the end names methods of the class above it
"""Statements of Python code."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from .code_effects import CodeEffects
from .python_expressions import Expressions, element_of
from .python_names import KNOWN_MODULES
from .python_values import DATA, ELEMENT, UNKNOWN, Function, Items, Name, NotUnderstood, Thing, either

_MOST_TURNS = 32
_LOADED = frozenset({"sys", "os", "io", "codecs", "time", "builtins", "__future__", "posixpath", "stat"})


class Statements:
    """Runs statements over the names in scope, once for each way that is told apart."""

    def __init__(self, said: CodeEffects, names: dict[str, Thing], depth: int = 0) -> None:
        self._said = said
        self._names = names
        self._depth = depth
        self._expressions = Expressions(said, names, self._run_within, depth)
        self._returned: list[Thing] = []

    def run(self, body: list[ast.stmt]) -> Thing:
        """Run *body*; each statement that is not understood is said, and the rest is read all the same."""
        for statement in body:
            try:
                self._statement(statement)
            except NotUnderstood as error:
                self._said.unknown(f"the Python code is not understood: {error}")
                for name in _assigned(statement):
                    self._names[name] = UNKNOWN
            except RecursionError:
                self._said.unknown("the Python code is nested too deep")
        return self._returned[0] if len(self._returned) == 1 else DATA

    def _run_within(self, body: list[ast.stmt], names: dict[str, Thing]) -> Thing:
        return Statements(self._said, names, self._depth + 1).run(body)

    def _statement(self, node: ast.stmt) -> None:
        reader = _READERS.get(type(node))
        if reader is None:
            raise NotUnderstood(f"line {node.lineno}")
        reader(self, node)

    def _expression(self, node: ast.Expr) -> None:
        self._expressions.evaluate(node.value)

    def _assign(self, node: ast.Assign) -> None:
        thing = self._expressions.evaluate(node.value)
        for target in node.targets:
            self._expressions.bind(target, thing)

    def _annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._expressions.bind(node.target, self._expressions.evaluate(node.value))

    def _augmented(self, node: ast.AugAssign) -> None:
        load = ast.BinOp(_loaded(node.target), node.op, node.value, lineno=node.lineno, col_offset=0)
        self._expressions.bind(node.target, self._expressions.evaluate(load))

    def _import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._check_module(alias.name)
            self._names[alias.asname or alias.name.partition(".")[0]] = Name(
                alias.name if alias.asname else alias.name.partition(".")[0]
            )

    def _import_from(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        self._check_module(module if not node.level else ".")
        for alias in node.names:
            if alias.name == "*":
                raise NotUnderstood(f"everything is imported from `{module}`")
            self._names[alias.asname or alias.name] = Name(f"{module}.{alias.name}")

    def _check_module(self, module: str) -> None:
        """Importing runs the module: one of the library, unless a file of that name stands in the way."""
        top = module.partition(".")[0]
        if module not in KNOWN_MODULES:
            raise NotUnderstood(f"the module `{module}` is not known")
        files = self._said.scene.files
        if files is None or top in _LOADED:
            return
        for cwd in self._said.command.cwds:
            if isinstance(cwd, str) and (
                files.kind(f"{cwd}/{top}.py") == "file" or files.kind(f"{cwd}/{top}") == "dir"
            ):
                self._said.code(f"the module `{top}` in the working directory", self._said.resolve(f"{cwd}/{top}.py"))

    def _if(self, node: ast.If) -> None:
        self._expressions.evaluate(node.test)
        before = dict(self._names)
        self.run(node.body)
        first = dict(self._names)
        self._restore(before)
        self.run(node.orelse)
        self._merge(first)

    def _for(self, node: ast.For) -> None:
        things = self._expressions.evaluate(node.iter)
        if isinstance(things, Items) and len(things.items) <= _MOST_TURNS and not _changes(node):
            for thing in things.items:
                self._expressions.bind(node.target, thing)
                self.run(node.body)
        else:
            self._loosen(node)
            self._expressions.bind(node.target, element_of(things))
            self.run(node.body)
            self._check_loop(node)
        self.run(node.orelse)

    def _while(self, node: ast.While) -> None:
        self._loosen(node)
        self._expressions.evaluate(node.test)
        self.run(node.body)
        self._check_loop(node)
        self.run(node.orelse)

    def _loosen(self, node: ast.For | ast.While) -> None:
        """Forget what names hold that a loop gives other values to."""
        for name in _assigned(node):
            if name in self._names:
                self._names[name] = either(self._names[name], ELEMENT)

    def _check_loop(self, node: ast.For | ast.While) -> None:
        """Refuse a loop that would begin its second turn with other than plain data under a name."""
        for name in _assigned(node):
            if isinstance(self._names.get(name), (Name, Function)):
                raise NotUnderstood(f"`{name}` is given a function in a loop")

    def _with(self, node: ast.With) -> None:
        for item in node.items:
            thing = self._expressions.evaluate(item.context_expr)
            if item.optional_vars is not None:
                self._expressions.bind(item.optional_vars, thing)
        self.run(node.body)

    def _try(self, node: ast.Try) -> None:
        before = dict(self._names)
        self.run(node.body)
        for handler in node.handlers:
            if handler.name:
                self._names[handler.name] = DATA
            self.run(handler.body)
        self.run(node.orelse)
        self.run(node.finalbody)
        self._merge(before)

    def _function(self, node: ast.FunctionDef) -> None:
        if node.decorator_list:
            raise NotUnderstood(f"the function `{node.name}` is decorated")
        self._names[node.name] = Function(node)

    def _return(self, node: ast.Return) -> None:
        self._returned.append(self._expressions.evaluate(node.value))

    def _raise(self, node: ast.Raise) -> None:
        self._expressions.evaluate(node.exc)

    def _assert(self, node: ast.Assert) -> None:
        self._expressions.evaluate(node.test)
        self._expressions.evaluate(node.msg)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._expressions.bind(target, DATA)

    def _nothing(self, node: ast.stmt) -> None:
        """`pass`, `break`, `continue` and `global` do nothing that matters here."""

    def _restore(self, names: dict[str, Thing]) -> None:
        self._names.clear()
        self._names.update(names)

    def _merge(self, other: Mapping[str, Thing]) -> None:
        """Keep what is the same on both ways."""
        for name in {*self._names, *other}:
            self._names[name] = either(self._names.get(name, DATA), other.get(name, DATA))


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load(), lineno=target.lineno, col_offset=0)
    return ast.Constant(None, lineno=target.lineno, col_offset=0)


def _assigned(node: ast.stmt) -> set[str]:
    """The names that a statement may give another value."""
    return {
        each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, (ast.Store, ast.Del))
    }


def _changes(node: ast.For) -> bool:
    """Whether the body of a loop changes names that outlast one turn."""
    targets = {each.id for each in ast.walk(node.target) if isinstance(each, ast.Name)}
    return any(isinstance(each, ast.AugAssign) for part in node.body for each in ast.walk(part)) or bool(
        targets & {name for part in node.body for name in _assigned(part)}
    )


_READERS: Mapping[type[ast.stmt], Callable[..., None]] = {
    ast.Expr: Statements._expression,
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import_from,
    ast.If: Statements._if,
    ast.For: Statements._for,
    ast.While: Statements._while,
    ast.With: Statements._with,
    ast.Try: Statements._try,
    ast.FunctionDef: Statements._function,
    ast.Return: Statements._return,
    ast.Raise: Statements._raise,
    ast.Assert: Statements._assert,
    ast.Delete: Statements._delete,
    **dict.fromkeys((ast.Pass, ast.Break, ast.Continue, ast.Global, ast.Nonlocal), Statements._nothing),
}
