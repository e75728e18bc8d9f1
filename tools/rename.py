"""Rename modules and top-level names in the whole repository, and in a branch that is rebased onto the new names.

`python -m tools.rename --moves tools/renames.json` moves modules with `git mv` and rewrites every import, use and
mention. `python -m tools.rename --name pages.loss.cross_entropy:show=render_losses` renames one top-level function,
class or constant. A module that was moved already is only rewritten where it is used, so the same command brings an
older branch up to date. Names are resolved by scope: a local variable of the same name stays as it is.
"""

from __future__ import annotations

import argparse
import ast
import fcntl
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from tools.name_scopes import SHIPPED_INSIDE, Scopes, import_source, module_name

ROOT = Path(__file__).resolve().parents[1]
TEXT = {".py", ".md", ".js", ".css", ".json", ".toml", ".yaml", ".yml", ".sh", ".conf", ".ipynb", ".cff", ""}
SKIPPED = ("assets/", "CHANGELOG.md", "tools/move", "tools/renames.json", "tests/pages/shared/old_saved.json")

Edit = tuple[int, int, str]  # start and end offset in the source as bytes, and the new text


def tracked() -> list[Path]:
    """All files of the repository that git does not ignore and that exist."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [ROOT / name for name in names if not name.startswith(SKIPPED) and (ROOT / name).is_file()]


def moved(name: str, moves: Mapping[str, str]) -> str:
    """The new name of a module, or of a module below a package that moved."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        front = ".".join(parts[:count])
        if front in moves:
            return ".".join([moved(moves[front], {}), *parts[count:]])
    return name


class Source:
    """A Python file and the edits to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_bytes()
        self.tree = ast.parse(self.text)
        starts = [0]
        for line in self.text.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        self.starts = starts
        self.edits: list[Edit] = []

    def offset(self, line: int, column: int) -> int:
        """Bytes before a position that `ast` reports."""
        return self.starts[line - 1] + column

    def replace(self, start: int, end: int, old: str, new: str) -> None:
        """Note that the word `old`, which is the last one between two offsets, becomes `new`."""
        found = [*re.finditer(rb"(?<!\w)" + re.escape(old.encode()) + rb"(?!\w)", self.text[start:end])]
        if not found:
            raise ValueError(f"{self.path}: no {old!r} in {self.text[start:end]!r}")
        self.edits.append((start + found[-1].start(), start + found[-1].end(), new))

    def write(self) -> None:
        """Apply the edits."""
        text = self.text
        for start, end, new in sorted(set(self.edits), reverse=True):
            text = text[:start] + new.encode() + text[end:]
        if text != self.text:
            self.path.write_bytes(text)


def rename_names(renames: Mapping[str, str], files: list[Path], modules: set[str]) -> None:
    """Rename top-level names: `{"module:old": "new"}`."""
    front = {key.split(":")[1] for key in renames}
    for path in files:
        if path.suffix != ".py" or not any(name.encode() in path.read_bytes() for name in front):
            continue
        source = Source(path)
        taken = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
        taken |= {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    new = renames.get(f"{import_source(node, path.relative_to(ROOT))}:{alias.name}")
                    if new:
                        start = source.offset(alias.lineno, alias.col_offset)
                        source.replace(start, start + len(alias.name.encode()), alias.name, new)
        for node, target in Scopes(source.tree, path.relative_to(ROOT), modules).uses:
            if target not in renames:
                continue
            old, new = target.split(":")[1], renames[target]
            if isinstance(node, ast.Name) and node.id != old:
                continue  # imported `as` another name
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                start = source.offset(node.lineno, node.col_offset)
                end = start + re.match(rb"(async +)?(def|class) +\w+", source.text[start:]).end()
            else:
                start = source.offset(node.lineno, node.col_offset)
                end = source.offset(node.end_lineno, node.end_col_offset)
            if isinstance(node, ast.Name) and new in taken:
                print(f"look at {path.relative_to(ROOT)}:{node.lineno}: {new} is used there already", file=sys.stderr)
            source.replace(start, end, old, new)
        source.write()
    mentions = {
        f"{module}.{old}": f"{module}.{new}" for key, new in renames.items() for module, old in [key.split(":")]
    }
    rewrite_mentions(mentions, files)


def rename_modules(moves: Mapping[str, str], files: list[Path], modules: set[str]) -> None:
    """Rewrite what uses or mentions modules that move: `{"old.dotted.name": "new.dotted.name"}`."""
    for path in files:
        if path.suffix == ".py":
            rewrite_imports(path, moves, modules)
    rewrite_mentions(dict(moves), files)
    paths = {old.replace(".", "/"): new.replace(".", "/") for old, new in moves.items()}
    rewrite_mentions(paths, files)


def rewrite_imports(path: Path, moves: Mapping[str, str], modules: set[str]) -> None:
    """Rewrite `from package import module` and every use of that module, and relative imports."""
    source = Source(path)
    here = moved(module_name(path.relative_to(ROOT)), moves).split(".")
    package = here if path.name == "__init__.py" else here[:-1]
    taken = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    taken |= {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
    for node in ast.walk(source.tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        old = import_source(node, path.relative_to(ROOT))
        fronts = set()
        for alias in node.names:
            below = f"{old}.{alias.name}"
            target = moved(below, moves) if below in modules else None
            fronts.add(target.rpartition(".")[0] if target else moved(old, moves))
            if target and target != below and (last := target.rpartition(".")[2]) != alias.name:
                start = source.offset(alias.lineno, alias.col_offset)
                source.replace(start, start + len(alias.name.encode()), alias.name, last)
        has_moved = here != module_name(path.relative_to(ROOT)).split(".")
        if fronts - {old} or (node.level and has_moved):
            if len(fronts) > 1:
                print(f"look at {path.relative_to(ROOT)}:{node.lineno}: one import of two packages", file=sys.stderr)
                continue
            new, level = fronts.pop(), node.level
            if level:  # a relative import stays one, seen from the file's new place
                names = new.split(".")
                if names[0] in SHIPPED_INSIDE and package[0] == "attention_atlas":
                    names = [package[0], *names]
                shared = 0
                while shared < min(len(names), len(package)) and names[shared] == package[shared]:
                    shared += 1
                if shared:
                    new = "." * (len(package) - shared + 1) + ".".join(names[shared:])
            start = source.offset(node.lineno, node.col_offset)
            end = start + re.match(rb"from +[\w.]+", source.text[start:]).end()
            source.edits.append((start, end, f"from {new}"))
    for node, target in Scopes(source.tree, path.relative_to(ROOT), modules).uses:
        new = moved(target, moves) if ":" not in target else target
        if new == target or not isinstance(node, ast.Name | ast.Attribute):
            continue
        old_name, new_name = target.rpartition(".")[2], new.rpartition(".")[2]
        if old_name == new_name or (isinstance(node, ast.Name) and node.id != old_name):
            continue
        if isinstance(node, ast.Name) and new_name in taken:
            print(f"look at {path.relative_to(ROOT)}:{node.lineno}: {new_name} is used there already", file=sys.stderr)
        start = source.offset(node.lineno, node.col_offset)
        source.replace(start, source.offset(node.end_lineno, node.end_col_offset), old_name, new_name)
    source.write()


def rewrite_mentions(words: Mapping[str, str], files: list[Path]) -> None:
    """Replace dotted names and paths in text, the longest first."""
    if not words:
        return
    choice = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w/.-])(?:(attention_atlas\.)(?=model|views))?({choice})(?![\w-])")
    for path in files:
        if path.suffix not in TEXT or path.name == "atlas.po":
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        new = pattern.sub(lambda match: (match[1] or "") + words[match[2]], text)
        if new != text:
            path.write_text(new, encoding="utf-8")


def with_tests(moves: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The moves, and those of test folders and files that mirror what moves."""
    for old, new in moves.items():
        yield old, new
        front, _, last = old.rpartition(".")
        new_front, _, new_last = new.rpartition(".")
        if (ROOT / "tests" / old.replace(".", "/")).is_dir() or (ROOT / "tests" / new.replace(".", "/")).is_dir():
            yield f"tests.{old}", f"tests.{new}"
        test, target = (f"{a}.test_{b}".lstrip(".") for a, b in ((front, last), (new_front, new_last)))
        if any((ROOT / "tests" / f"{each.replace('.', '/')}.py").is_file() for each in (test, target)):
            yield f"tests.{test}", f"tests.{target}"


def move_files(moves: Mapping[str, str]) -> None:
    """Move modules and packages with git, where they are still under their old names."""
    for old, new in moves.items():
        package, _, last = old.rpartition(".")
        target = ROOT / new.replace(".", "/")
        pairs = []
        for now in (old, f"{moved(package, moves)}.{last}"):  # the package may have moved a moment ago
            source = ROOT / now.replace(".", "/")
            pairs += [(source, target)] if source.is_dir() else []
            pairs += [(source.with_name(f"{source.name}.py"), target.with_name(f"{target.name}.py"))]
        for each, to in pairs:
            if each.exists() and not to.exists():
                to.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["git", "mv", str(each), str(to)], cwd=ROOT, check=True)


def format_sources() -> None:
    """Sort imports and wrap lines, whose lengths have changed."""
    for command in (["check", "--select", "I", "--fix", "--quiet"], ["format", "--quiet"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "."], cwd=ROOT, check=False)


def main() -> None:
    """Read the renames and apply them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moves", type=Path, help='JSON: {"old.module": "new.module"}')
    parser.add_argument("--name", action="append", default=[], help="module:old=new; may be repeated")
    parser.add_argument("--names", type=Path, help='JSON: {"module:old": "new"}')
    parser.add_argument("--below", default="", help="only moves of modules that begin with this")
    options = parser.parse_args()
    with Path(tempfile.gettempdir(), "rename.lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        files = [path for path in tracked() if not options.moves or path != options.moves.resolve()]
        modules = {module_name(path.relative_to(ROOT)) for path in files if path.suffix == ".py"}
        modules |= {".".join(name.split(".")[:count]) for name in modules for count in range(1, name.count(".") + 1)}
        if options.moves:
            chosen = json.loads(options.moves.read_text(encoding="utf-8"))
            moves = dict(with_tests({old: new for old, new in chosen.items() if old.startswith(options.below)}))
            rename_modules(moves, files, modules | moves.keys())
            move_files(moves)
        renames = json.loads(options.names.read_text(encoding="utf-8")) if options.names else {}
        renames |= dict(each.split("=") for each in options.name)
        if renames:
            rename_names(renames, tracked(), modules)
        format_sources()


if __name__ == "__main__":
    main()
