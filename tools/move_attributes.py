"""Move the `Attributes:` section of a class's docstring beside the fields that it describes.

python -m tools.move_attributes            # rewrites the files, prints lines before and after
python -m tools.move_attributes --dry      # prints only

A class that `attention_atlas` or `model` exports, or that what they export returns or contains, gets a docstring below
each field, which pdoc shows; any other class gets a comment behind the field, or above it where the line would be too
long. An entry stays where it is if it describes what is not a field, or several fields that do not follow each
other.
"""

import argparse
import ast
import re
import textwrap
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("attention_atlas", "model", "pages", "server", "training", "views")
WIDTH = 120
HEADER = "Attributes:"
ENTRY = re.compile(r"(\w+(?:, \w+)*): (.*)")
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass
class Entry:
    """One entry of an `Attributes:` section."""

    names: list[str]
    text: str
    lines: list[str]  # as they stand in the docstring


def public_classes(trees: dict[Path, ast.Module]) -> set[str]:
    """The names of all classes that a public call returns or that a public class contains."""
    classes: dict[str, ast.ClassDef] = {}
    returns: dict[str, ast.expr] = {}  # of functions of modules
    for tree in trees.values():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = node
            elif isinstance(node, ast.FunctionDef) and node.returns is not None:
                returns[node.name] = node.returns
    waiting = deque(_exports(trees[ROOT / "attention_atlas/__init__.py"]) | _exports(trees[ROOT / "model/__init__.py"]))
    public: set[str] = set()
    while waiting:
        name = waiting.popleft()
        found: set[str] = set()
        if name in classes and name not in public:
            public.add(name)
            found = set(_contained(classes[name]))
        elif name in returns:
            found = set(_identifiers(returns.pop(name)))
        waiting.extend(found & classes.keys() - public)
    return public


def _exports(tree: ast.Module) -> set[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return set(ast.literal_eval(node.value))
    return set()


def _identifiers(annotation: ast.expr) -> list[str]:
    return IDENTIFIER.findall(ast.unparse(annotation))


def _contained(node: ast.ClassDef) -> Iterator[str]:
    for base in node.bases:
        yield from _identifiers(base)
    for each in node.body:
        if isinstance(each, ast.AnnAssign):
            yield from _identifiers(each.annotation)
        elif isinstance(each, ast.FunctionDef) and each.returns is not None and not each.name.startswith("_"):
            yield from _identifiers(each.returns)


def parse_section(lines: list[str]) -> tuple[list[str], list[Entry], list[str]] | None:
    """Split the lines of a docstring into those before the section, its entries, and those after it."""
    start = next((number for number, line in enumerate(lines) if line.strip() == HEADER), None)
    if start is None:
        return None
    indent = len(lines[start]) - len(lines[start].lstrip())
    end = next(
        (number for number in range(start + 1, len(lines)) if _ends_section(lines[number], indent)),
        len(lines),
    )
    entries: list[Entry] = []
    for line in lines[start + 1 : end]:
        inner = len(line) - len(line.lstrip())
        match = ENTRY.fullmatch(line.strip())
        if match and inner == indent + 4:
            entries.append(Entry(match[1].split(", "), match[2], [line]))
        elif entries and line.strip():
            entries[-1].text += " " + line.strip()
            entries[-1].lines.append(line)
        elif line.strip():
            return None
    return lines[:start], entries, lines[end:]


def _ends_section(line: str, indent: int) -> bool:
    return bool(line.strip()) and len(line) - len(line.lstrip()) <= indent


def rewrite(source: str, public: set[str]) -> str:
    """Return the source with the sections of all its classes moved."""
    tree = ast.parse(source)
    lines = source.split("\n")
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    for node in sorted(nodes, key=lambda node: -node.lineno):
        _rewrite_class(lines, node, node.name in public)
    return "\n".join(lines)


def _rewrite_class(lines: list[str], node: ast.ClassDef, is_public: bool) -> None:
    first = node.body[0]
    if not (
        isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    ):
        return
    end = first.end_lineno or first.lineno
    if first.lineno == end or lines[end - 1].strip() != '"""':
        return
    section = parse_section(lines[first.lineno - 1 : end - 1])
    if section is None:
        return
    before, entries, after = section
    body = node.body[1:]
    fields = {each.target.id: number for number, each in enumerate(body) if _is_field(each)}  # type: ignore[union-attr]
    kept, changes = [], []
    for entry in entries:
        numbers = [fields.get(name, -9) for name in entry.names]
        follows = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        if numbers[0] < 0 or not follows or _has_comment(lines, body[numbers[0]]):
            kept.append(entry)
        else:
            changes.append((body[numbers[0]], body[numbers[-1]], entry))
    for first_field, last_field, entry in sorted(changes, key=lambda change: -change[0].lineno):
        _place(lines, first_field, last_field, entry, is_public)
    docstring = list(before)
    while docstring and not docstring[-1].strip():
        docstring.pop()
    if kept:
        docstring += ["", " " * (first.col_offset) + HEADER, *(line for entry in kept for line in entry.lines)]
    if any(line.strip() for line in after):
        docstring += ["", *after]
        while not docstring[-1].strip():
            docstring.pop()
    closing = [lines[end - 1]]
    if len(docstring) == 1 and len(docstring[0]) + len(closing[0].strip()) <= WIDTH:
        docstring, closing = [docstring[0] + '"""'], []
    lines[first.lineno - 1 : end] = docstring + closing


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)


def _has_comment(lines: list[str], field: ast.stmt) -> bool:
    end = field.end_lineno or field.lineno
    return lines[field.lineno - 2].strip().startswith("#") or "#" in lines[end - 1]


def _place(lines: list[str], first: ast.stmt, last: ast.stmt, entry: Entry, is_public: bool) -> None:
    """Write the text of an entry at its field, or at the first of its fields."""
    indent = " " * first.col_offset
    end = last.end_lineno or last.lineno
    text = entry.text
    if first is not last:
        text = ", ".join(f"`{name}`" for name in entry.names) + f": {text}"
    if is_public:
        text = text[0].upper() + text[1:] if text[0].islower() else text
        if not text.endswith((".", ":", "?")):
            text += "."
        quote = 'r"""' if "\\" in text else '"""'
        space = " " if text.startswith('"') else ""
        if len(indent) + len(quote) + len(space) + len(text) + 3 <= WIDTH and not text.endswith('"'):
            lines[end:end] = [f'{indent}{quote}{space}{text}"""']
        else:
            wrapped = textwrap.wrap(
                f"{quote}{space}{text}", WIDTH - len(indent), break_long_words=False, break_on_hyphens=False
            )
            lines[end:end] = [indent + line for line in wrapped] + [f'{indent}"""']
        return
    if text.endswith(".") and ". " not in text:
        text = text[:-1]
    line = lines[end - 1]
    if first is last and len(line) + 4 + len(text) <= WIDTH:
        lines[end - 1] = f"{line}  # {text}"
    else:
        wrapped = textwrap.wrap(text, WIDTH - len(indent) - 2, break_long_words=False, break_on_hyphens=False)
        lines[first.lineno - 1 : first.lineno - 1] = [f"{indent}# {line}" for line in wrapped]


def main() -> None:
    """Rewrite all files of the program."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry", action="store_true", help="print the numbers of lines and write nothing")
    options = parser.parse_args()
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    public = public_classes({path: ast.parse(source) for path, source in sources.items()})
    before = after = changed = 0
    for path, source in sources.items():
        result = rewrite(source, public)
        ast.parse(result)
        before, after, changed = before + source.count("\n"), after + result.count("\n"), changed + (result != source)
        if not options.dry:
            path.write_text(result, encoding="utf-8")
    print(f"{changed} files: {before:,} lines before, {after:,} after; {len(public)} classes are public")


if __name__ == "__main__":
    main()
