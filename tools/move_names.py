"""Move top-level names of a module into another module of its package, new or not, and rewrite who imports them.

python -m tools.move_names server.middleware server.uploads "Limit uploads that no page has read." UploadLimit UPLOADS

The comments directly above a definition move with it. Names are moved in the order of the file.
"""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path

from tools.name_scopes import import_source
from tools.rename import format_sources, tracked

ROOT = Path(__file__).resolve().parents[1]


def _path(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"


def names_of(node: ast.stmt) -> set[str]:
    """Names that a top-level statement defines; none for an import."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}
    return set()


def split_source(source: str, wanted: set[str]) -> tuple[str, str, str]:
    """Return the imports of a module, its code without the wanted names, and the code that defines these.

    Raises:
        KeyError: the module does not define one of them.
    """
    tree, lines = ast.parse(source), source.split("\n")
    missing = wanted - {name for node in tree.body for name in names_of(node)}
    if missing:
        raise KeyError(", ".join(sorted(missing)))
    imports = "\n".join(
        "\n".join(lines[node.lineno - 1 : node.end_lineno])
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    moved: list[str] = []
    kept: list[str] = []
    end = 0
    for node in tree.body:
        statement = lines[end : node.end_lineno]
        end = node.end_lineno or end
        while end < len(lines) and lines[end].startswith("  #"):
            end += 1
        if names_of(node) & wanted:
            moved += statement
        else:
            kept += statement
    return imports, "\n".join([*kept, *lines[end:]]), "\n".join(moved).strip("\n")


def import_line(package: str, module: str, names: set[str]) -> str:
    """The import of names of a module of the same package, relative inside `model` and `views`."""
    last = module.rpartition(".")[2]
    source = f".{last}" if package.split(".")[0] in ("model", "views") else module
    return f"from {source} import {', '.join(sorted(names))}"


def used_in(source: str) -> set[str]:
    """Names that a source reads."""
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def with_import(source: str, line: str) -> str:
    """The source with a line below its docstring; `ruff` sorts it."""
    tree, lines = ast.parse(source), source.split("\n")
    head = tree.body[0]
    has_docstring = isinstance(head, ast.Expr) and isinstance(head.value, ast.Constant)
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    place = (future[-1].end_lineno if future else head.end_lineno if has_docstring else 0) or 0
    return "\n".join([*lines[:place], *([""] if has_docstring and not future else []), line, *lines[place:]])


def rewrite_importer(path: Path, old: str, new: str, wanted: set[str]) -> None:
    """Split `from old import a, b` of a file into the imports of both modules, and rewrite `old.name`."""
    source = path.read_text(encoding="utf-8")
    last = old.rpartition(".")[2]
    if last not in source:
        return
    tree, lines = ast.parse(source), source.split("\n")
    for node in sorted(ast.walk(tree), key=lambda each: getattr(each, "lineno", 0), reverse=True):
        if not isinstance(node, ast.ImportFrom) or import_source(node, path.relative_to(ROOT)) != old:
            continue
        moved = [ast.unparse(each) for each in node.names if each.name in wanted]
        kept = [ast.unparse(each) for each in node.names if each.name not in wanted]
        if not moved:
            continue
        written = "." * node.level + (node.module or "")
        target = re.sub(rf"{last}$", new.rpartition(".")[2], written)
        indent = " " * node.col_offset
        both = [f"from {written} import {', '.join(kept)}"] * bool(kept) + [f"from {target} import {', '.join(moved)}"]
        lines[node.lineno - 1 : node.end_lineno] = [indent + line for line in both]
    text = "\n".join(lines)
    uses = rf"(?<![\w.]){last}\.({'|'.join(sorted(wanted))})\b"
    if re.search(uses, text) and re.search(
        rf"^\s*from {re.escape(old.rpartition('.')[0])} import .*\b{last}\b", text, re.M
    ):
        text = re.sub(uses, rf"{new.rpartition('.')[2]}.\1", text)
        package, _, name = new.rpartition(".")
        text = with_import(text, f"from {package} import {name}")
    if text != source:
        path.write_text(text, encoding="utf-8")


def move_names(old: str, new: str, docstring: str, wanted: set[str]) -> None:
    """Move names from one module to another of its package."""
    package = old.rpartition(".")[0]
    imports, rest, moved = split_source(_path(old).read_text(encoding="utf-8"), wanted)
    from_new = used_in(rest) & wanted
    _path(old).write_text(
        with_import(rest, import_line(package, new, from_new)) if from_new else rest, encoding="utf-8"
    )
    needed = used_in(moved) & {name for node in ast.parse(rest).body for name in names_of(node)}
    more = [import_line(package, old, needed)] if needed else []
    if _path(new).exists():
        source = _path(new).read_text(encoding="utf-8").rstrip("\n") + f"\n\n\n{moved}\n"
        own = re.compile(rf"^from (?:{re.escape(new)}|\.{new.rpartition('.')[2]}) import (?:\(.*?\)|.*?)$", re.M | re.S)
        source = with_import(source, "\n".join([own.sub("", imports), *more]))
    else:
        source = "\n".join([f'"""{docstring}"""', "", imports, *more, "", "", moved, ""])
    _path(new).write_text(source, encoding="utf-8")
    for path in tracked():
        if path.suffix == ".py" and path not in (_path(old), _path(new)):
            rewrite_importer(path, old, new, wanted)


def main() -> None:
    """Move the named definitions."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("docstring", help="of a new module")
    parser.add_argument("names", nargs="+")
    options = parser.parse_args()
    move_names(options.old, options.new, options.docstring, set(options.names))
    format_sources()


if __name__ == "__main__":
    main()
