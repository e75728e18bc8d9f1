"""Move modules of one subject into the only module that imports them, and their tests into its test file.

python -m tools.merge_modules server.send_buffer=server.websocket_messages ...

Both modules must be in one package. The moved code goes below that of the other module where nothing of it is needed
while the file is imported, and above it otherwise. A name that both define is an error: rename it with `tools.rename`.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import textwrap
from pathlib import Path

from tools.name_scopes import module_name
from tools.rename import format_sources, rename_modules, tracked

ROOT = Path(__file__).resolve().parents[1]
WIDTH, LONGEST = 120, 800


class MergeError(Exception):
    """Two modules cannot be merged; the message says why."""


def _path(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"


def _lines(path: Path) -> int:
    return path.read_bytes().count(b"\n")


def _defined(body: list[ast.stmt]) -> set[str]:
    """Names that statements of a module bind, imports left out."""
    names: set[str] = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif not isinstance(node, ast.Import | ast.ImportFrom):
            names |= {
                each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
            }
    return names


def _imports(body: list[ast.stmt]) -> list[ast.Import | ast.ImportFrom]:
    return [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]


def _bound(imports: list[ast.Import | ast.ImportFrom]) -> dict[str, str]:
    """Names that imports bind -> what they mean."""
    bound = {}
    for node in imports:
        for alias in node.names:
            source = f"{'.' * node.level}{node.module or ''}:" if isinstance(node, ast.ImportFrom) else ""
            bound[alias.asname or alias.name.split(".")[0]] = f"{source}{alias.name}"
    return bound


def _used_on_import(body: list[ast.stmt]) -> set[str]:
    """Names that are read while the module is imported: all outside of the bodies of functions."""
    names: set[str] = set()
    waiting: list[ast.AST] = list(body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            names.add(node.id)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.Lambda):
            waiting.append(node.args)
        else:
            waiting += list(ast.iter_child_nodes(node))
    return names


def _segment(lines: list[str], body: list[ast.stmt], start: int) -> str:
    """The source of the statements that follow the imports, with the comments above each."""
    return "\n".join(lines[start:]).strip("\n")


def _end_of_imports(tree: ast.Module, lines: list[str]) -> int:
    """The number of lines up to the last import; every import must be before all other code."""
    body = tree.body[1:] if ast.get_docstring(tree, clean=False) is not None else tree.body
    head = [node for node in tree.body[: len(tree.body) - len(body)]]
    end = head[-1].end_lineno if head else 0
    for number, node in enumerate(body):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if any(not isinstance(each, ast.Import | ast.ImportFrom) for each in body[:number]):
                raise MergeError(f"line {node.lineno} imports below other code")
            end = node.end_lineno
    return end or 0


def merge_sources(parent: str, child: str, parent_module: str, child_module: str, is_test: bool = False) -> str:
    """Return the source of `parent` with the code of `child` in it.

    Raises:
        MergeError: both define a name, or one of them imports below other code.
    """
    name = child_module.rpartition(".")[2]
    parent_tree, child_tree = ast.parse(parent), ast.parse(child)
    parent_lines, child_lines = parent.split("\n"), child.split("\n")
    parent_end, child_end = _end_of_imports(parent_tree, parent_lines), _end_of_imports(child_tree, child_lines)
    taken, given = _defined(parent_tree.body), _defined(child_tree.body)
    repeated = taken & given
    for each in sorted(repeated):
        same = [
            ast.unparse(node) for tree in (parent_tree, child_tree) for node in tree.body if _defined([node]) == {each}
        ]
        if len(same) != 2 or same[0] != same[1]:
            raise MergeError(f"both define {each}")
    parent_imports, child_imports = _imports(parent_tree.body), _imports(child_tree.body)
    bound, brought = _bound(parent_imports), _bound(child_imports)
    clash = {each for each in bound.keys() & brought.keys() if bound[each] != brought[each]}
    clash |= (bound.keys() & given) - {
        each for each, what in bound.items() if what in (f".{name}:{each}", f"{child_module}:{each}")
    }
    parent_name = parent_module.rpartition(".")[2]
    of_parent = {
        each for each, what in brought.items() if what in (f".{parent_name}:{each}", f"{parent_module}:{each}")
    }
    clash |= (brought.keys() & taken) - of_parent
    if clash:
        raise MergeError(f"names with two meanings: {', '.join(sorted(clash))}")
    dropped, renamed = set(), {}
    for node in parent_imports:
        if isinstance(node, ast.ImportFrom):
            source = ("." * node.level) + (node.module or "")
            if source in (f".{name}", child_module):
                dropped.add(node.lineno)
                renamed |= {alias.asname: alias.name for alias in node.names if alias.asname}
            elif source in (".", child_module.rpartition(".")[0]) and any(alias.name == name for alias in node.names):
                renamed[f"{name}."] = ""
    if any(key for key in renamed if not key.endswith(".")):
        raise MergeError(f"imports of {name} under another name")
    text = list(parent_lines)
    head = [
        line
        for number, line in enumerate(text[:parent_end], 1)
        if not any(
            node.lineno <= number <= (node.end_lineno or 0) and node.lineno in dropped for node in parent_imports
        )
    ]
    if f"{name}." in renamed:
        local = {
            each.id for each in ast.walk(parent_tree) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
        }
        local |= {each.arg for each in ast.walk(parent_tree) if isinstance(each, ast.arg)}
        used = {
            each.attr
            for each in ast.walk(parent_tree)
            if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == name
        }
        if used & (local | taken | bound.keys()):
            raise MergeError(f"local names {', '.join(sorted(used & (local | taken | bound.keys())))}")
        if name in local:
            raise MergeError(f"{name} is a local name too")
        head = _without_module(head, name)
    body = "\n".join(text[parent_end:]).strip("\n")
    if f"{name}." in renamed:
        body = re.sub(rf"(?<![\w.\"'/]){name}\.(?=[A-Za-z_])", "", body)
    moved = "\n".join(_without(child_lines, child_tree, repeated)[child_end:]).strip("\n")
    own = [
        "\n".join(child_lines[node.lineno - 1 : node.end_lineno])
        for node in child_imports
        if not (isinstance(node, ast.ImportFrom) and node.module == "__future__" and "from __future__" in parent)
        and not (isinstance(node, ast.ImportFrom) and {alias.asname or alias.name for alias in node.names} <= of_parent)
    ]
    needed = _used_on_import(ast.parse(body).body) & given
    doc = "" if is_test else _comment(ast.get_docstring(child_tree) or "")
    blocks = [doc + moved, body] if needed else [body, doc + moved]
    return "\n".join([*head, *own]).rstrip() + "\n\n\n" + "\n\n\n".join(block for block in blocks if block) + "\n"


def _without_module(head: list[str], name: str) -> list[str]:
    """Leave a module out of `from . import a, b`, on one line or on several."""
    text = "\n".join(head)
    tree = ast.parse(text)
    for node in reversed(_imports(tree.body)):
        if isinstance(node, ast.ImportFrom) and any(
            alias.name == name and alias.asname is None for alias in node.names
        ):
            rest = [ast.unparse(alias) for alias in node.names if alias.name != name]
            new = [f"from {'.' * node.level}{node.module or ''} import {', '.join(rest)}"] if rest else []
            head[node.lineno - 1 : node.end_lineno] = new
    return head


def _without(lines: list[str], tree: ast.Module, names: set[str]) -> list[str]:
    """Blank the lines of top-level definitions of these names."""
    lines = list(lines)
    for node in tree.body:
        if names and _defined([node]) and _defined([node]) <= names:
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            for number in range(first - 1, node.end_lineno or first):
                lines[number] = ""
    return lines


def _comment(docstring: str) -> str:
    """The docstring of a module as a comment above its code."""
    paragraphs = [" ".join(part.split()) for part in docstring.strip().split("\n\n")]
    wrapped = [
        "\n".join(textwrap.wrap(part, WIDTH, initial_indent="# ", subsequent_indent="# ")) for part in paragraphs
    ]
    return "\n#\n".join(wrapped) + "\n\n" if docstring.strip() else ""


def merge(child: str, parent: str) -> dict[str, str]:
    """Move `child` into `parent`, its tests too; return the names that others have to rewrite.

    Raises:
        MergeError: they cannot be merged; nothing has changed.
    """
    if child.rpartition(".")[0] != parent.rpartition(".")[0]:
        raise MergeError("the modules are in two packages")
    if _lines(_path(child)) + _lines(_path(parent)) > LONGEST:
        raise MergeError("too long together")
    source = merge_sources(
        _path(parent).read_text(encoding="utf-8"), _path(child).read_text(encoding="utf-8"), parent, child
    )
    ast.parse(source)
    front, _, last = child.rpartition(".")
    tests = [f"tests.{front}.test_{name}" for name in (last, parent.rpartition(".")[2])]
    old_test, new_test = map(_path, tests)
    moves, test_source = {child: parent}, None
    if old_test.exists() and new_test.exists() and _lines(old_test) + _lines(new_test) <= LONGEST:
        both = new_test.read_text(encoding="utf-8"), old_test.read_text(encoding="utf-8")
        try:
            test_source = merge_sources(*both, tests[1], tests[0], is_test=True)
        except MergeError as error:  # the tests stay two files
            print(f"{tests[0]}: {error}")
    _path(parent).write_text(source, encoding="utf-8")
    subprocess.run(["git", "rm", "-q", "-f", _path(child)], cwd=ROOT, check=True)
    if test_source is not None:
        new_test.write_text(test_source, encoding="utf-8")
        subprocess.run(["git", "rm", "-q", "-f", old_test], cwd=ROOT, check=True)
        moves[tests[0]] = tests[1]
    elif old_test.exists() and not new_test.exists():
        subprocess.run(["git", "mv", old_test, new_test], cwd=ROOT, check=True)
        moves[tests[0]] = tests[1]
    return moves


def main() -> None:
    """Merge the named modules, one after the other; report those that cannot be merged."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="+", metavar="module=into")
    failed: list[str] = []
    moves: dict[str, str] = {}
    before = {module_name(path.relative_to(ROOT)) for path in tracked() if path.suffix == ".py"}
    modules = {".".join(name.split(".")[:count]) for name in before for count in range(1, name.count(".") + 2)}
    for pair in parser.parse_args().pairs:
        child, _, parent = pair.partition("=")
        try:
            new = merge(child, parent)
        except MergeError as error:
            failed.append(f"{pair}: {error}")
            continue
        moves = {old: new.get(target, target) for old, target in moves.items()} | new
    rename_modules(moves, [path for path in tracked() if path != ROOT / "tools/merge_modules.py"], modules)
    format_sources()
    print("\n".join(failed) or "all merged")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
