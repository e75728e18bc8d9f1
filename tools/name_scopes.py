"""Resolve every name of a Python file to the module or top-level name that it means, by Python's scope rules."""

from __future__ import annotations

import ast
from pathlib import Path

SHIPPED_INSIDE = ("model", "views")  # packages that `attention_atlas` also ships below itself


def module_name(path: Path) -> str:
    """The dotted name of a Python file; `path` is relative to the repository."""
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def import_source(node: ast.ImportFrom, path: Path) -> str:
    """The dotted name that `from ... import` reads; `attention_atlas.model` counts as `model`."""
    name = node.module or ""
    if node.level:
        package = module_name(path).split(".")
        package = package if path.name == "__init__.py" else package[:-1]
        package = package[: len(package) + 1 - node.level]
        name = ".".join([*package, *([node.module] if node.module else [])])
    top, _, rest = name.partition(".")
    return rest if top == "attention_atlas" and rest.split(".")[0] in SHIPPED_INSIDE else name


class Scopes(ast.NodeVisitor):
    """Finds every use of a module or a top-level name, with the scope rules of Python.

    Attributes:
        uses: `(node, target)`, where `target` is `module` or `module:name` for a name that the module defines.
    """

    def __init__(self, tree: ast.Module, path: Path, modules: set[str]) -> None:
        self.path, self.modules, self.here = path, modules, module_name(path)
        self.uses: list[tuple[ast.AST, str]] = []
        self.stack: list[tuple[dict[str, str | None], bool]] = []
        self._scope(tree, tree.body)

    def _bindings(self, body: list[ast.AST], arguments: ast.arguments | None) -> dict[str, str | None]:
        bound: dict[str, str | None] = {}
        outer: set[str] = set()
        if arguments is not None:
            every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
            bound |= {each.arg: None for each in every if each is not None}
        waiting = list(body)
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                bound[node.name] = f"{self.here}:{node.name}" if not self.stack else None
                waiting += node.decorator_list
                continue
            if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
                waiting += [each for each in ast.walk(node) if isinstance(each, ast.NamedExpr)]
                continue
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
                if bound.get(node.id) is None:
                    bound[node.id] = f"{self.here}:{node.id}" if not self.stack else None
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    bound[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else None
            elif isinstance(node, ast.ImportFrom):
                source = import_source(node, self.path)
                for alias in node.names:
                    below = f"{source}.{alias.name}"
                    bound[alias.asname or alias.name] = below if below in self.modules else f"{source}:{alias.name}"
            elif isinstance(node, ast.Global | ast.Nonlocal):
                outer |= set(node.names)
            elif (
                isinstance(node, ast.ExceptHandler)
                and node.name
                or isinstance(node, ast.MatchAs | ast.MatchStar)
                and node.name
            ):
                bound[node.name] = None
            waiting += list(ast.iter_child_nodes(node))
        return {name: target for name, target in bound.items() if name not in outer}

    def _scope(self, node: ast.AST, body: list, arguments: ast.arguments | None = None) -> None:
        self.stack.append((self._bindings(body, arguments), isinstance(node, ast.ClassDef)))
        for each in body:
            self.visit(each)
        self.stack.pop()

    def resolve(self, name: str) -> str | None:
        """What a name means here, or None where it is a local variable or a built-in."""
        for depth, (bound, of_class) in enumerate(reversed(self.stack)):
            if name in bound and not (of_class and depth):
                return bound[name]
        return None

    def target(self, node: ast.AST) -> str | None:
        """The module or top-level name that an expression means."""
        if isinstance(node, ast.Name):
            return self.resolve(node.id)
        if isinstance(node, ast.Attribute):
            first = node.value.body if isinstance(node.value, ast.IfExp) else node.value  # `(a if test else b).name`
            front = self.target(first)
            if front and ":" not in front:
                below = f"{front}.{node.attr}"
                return below if below in self.modules else f"{front}:{node.attr}"
        return None

    def visit_Name(self, node: ast.Name) -> None:
        if target := self.resolve(node.id):
            self.uses.append((node, target))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if target := self.target(node):
            self.uses.append((node, target))
        self.visit(node.value)

    def visit_Call(self, node: ast.Call) -> None:
        """`setattr(module, "name", ...)` and `patch.object(module, "name")` mention a name as text."""
        if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) and isinstance(node.args[1].value, str):
            front = self.target(node.args[0])
            if front and ":" not in front:
                self.uses.append((node.args[1], f"{front}:{node.args[1].value}"))
        self.generic_visit(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        if len(self.stack) == 1:
            self.uses.append((node, f"{self.here}:{node.name}"))
        for each in (*node.decorator_list, *ast.iter_child_nodes(node.args), node.returns):
            if each is not None:
                self.visit(each)
        self._scope(node, node.body, node.args)

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_arg(self, node: ast.arg) -> None:
        if node.annotation:
            self.visit(node.annotation)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for each in ast.iter_child_nodes(node.args):
            self.visit(each)
        self._scope(node, [node.body], node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        if len(self.stack) == 1:
            self.uses.append((node, f"{self.here}:{node.name}"))
        for each in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(each)
        self._scope(node, node.body)

    def _comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        bound = {
            name.id: None
            for generator in node.generators
            for name in ast.walk(generator.target)
            if isinstance(name, ast.Name)
        }
        self.stack.append((bound, False))
        self.generic_visit(node)
        self.stack.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension
