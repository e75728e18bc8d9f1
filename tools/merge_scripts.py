"""Move scripts of one subject into one of them, and rewrite who imports them.

python -m tools.merge_scripts web/src/views/one_weight.ts web/src/views/one_weight/payload.ts ...

What others need while they load goes first. A name that two of them define is an error.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
IMPORT = re.compile(r'^import (type )?(?:(\w+)(?:, | ))?(?:\{([^}]*)\} )?(?:from )?"([^"]+)"\n', re.MULTILINE)
EXPORT = re.compile(r'^export (type )?\{([^}]*)\} from "([^"]+)"\n', re.MULTILINE)
DEFINED = re.compile(
    r"^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:async )?"
    r"(?:const|let|function\*?|class|interface|type|enum) (\w+)|^(?:export )?const \[([^\]]*)\]",
    re.MULTILINE,
)
LONGEST, WIDTH = 800, 140


class MergeError(Exception):
    """Scripts cannot be merged; the message says why."""


def resolved(path: Path, source: str) -> Path:
    """The file that an import of `path` reads; a package's name as it is."""
    if not source.startswith("."):
        return Path(source)
    target = Path(os.path.normpath(path.parent / source))
    return target if target.suffix == ".css" else target.with_name(target.name + ".ts")


def written(path: Path, target: Path) -> str:
    """How `path` imports `target`."""
    if not target.is_absolute():
        return str(target)
    name = os.path.relpath(target, path.parent)
    name = name if target.suffix == ".css" else name.removesuffix(".ts")
    return name if name.startswith(".") else f"./{name}"


def header_of(text: str) -> tuple[str, str]:
    """The comment at the top of a script, and the rest."""
    match = re.match(r"\s*/\*\*.*?\*/\n", text, re.DOTALL)
    return (match[0].strip(), text[match.end() :]) if match else ("", text)


class Imports:
    """Imports of several scripts, each once."""

    def __init__(self) -> None:
        self.default: dict[Path, str] = {}
        self.named: dict[Path, dict[str, bool]] = {}  # name -> whether it is a type alone
        self.bare: list[Path] = []

    def take(self, path: Path, text: str, without: set[Path]) -> str:
        """Note the imports of a script; return its code without them."""

        def note(match: re.Match[str]) -> str:
            is_type, default, names, source = match.groups()
            target = resolved(path, source)
            if target in without:
                if default or (names and " as " in names):
                    raise MergeError(f"{path.name} imports {target.name} under another name")
                return ""
            if default:
                self.default[target] = default
            for name in re.split(r",\s*", (names or "").strip().strip(",")):
                if name.strip():
                    only_type = bool(is_type) or name.strip().startswith("type ")
                    name = name.strip().removeprefix("type ")
                    known = self.named.setdefault(target, {})
                    known[name] = known.get(name, True) and only_type
            if not default and not names:
                self.bare.append(target)
            return ""

        return IMPORT.sub(note, text)

    def lines(self, path: Path) -> str:
        """The imports as `path` writes them."""
        rows = [f'import "{written(path, target)}"' for target in self.bare]
        for target in sorted(
            {*self.default, *self.named}, key=lambda each: (written(path, each).count("../") * -1, str(each))
        ):
            names = self.named.get(target, {})
            source, default = written(path, target), self.default.get(target, "")
            all_types = bool(names) and all(names.values()) and not default
            shown = sorted(
                (name if all_types or not is_type else f"type {name}" for name, is_type in names.items()),
                key=lambda each: each.removeprefix("type "),
            )
            clause = f"{{ {', '.join(shown)} }}" if shown else ""
            row = f'import {"type " if all_types else ""}{", ".join(filter(None, (default, clause)))} from "{source}"'
            if len(row) > WIDTH:
                inside = ",\n  ".join(shown)
                first = ("type " if all_types else "") + (f"{default}, " if default else "")
                row = f'import {first}{{\n  {inside},\n}} from "{source}"'
            rows.append(row)
        return "\n".join(rows)


def in_order(parts: dict[Path, str]) -> list[Path]:
    """The parts, those that others import first."""
    needs = {
        path: {
            target for match in IMPORT.finditer(text) if (target := resolved(path, match[4])) in parts and not match[1]
        }
        for path, text in parts.items()
    }
    order: list[Path] = []
    waiting = list(parts)
    while waiting:
        ready = next((path for path in waiting if needs[path] <= {*order}), waiting[0])
        waiting.remove(ready)
        order.append(ready)
    return order


def merge(target: Path, parts: list[Path]) -> None:
    """Merge the parts into the target.

    Raises:
        MergeError: they define a name twice, or are too long together; nothing has changed.
    """
    texts = {path: path.read_text(encoding="utf-8") for path in (*parts, target)}
    if sum(text.count("\n") for text in texts.values()) > LONGEST:
        raise MergeError("too long together")
    names: dict[str, Path] = {}
    if exports := [path.name for path in parts if "\nexport default" in texts[path]]:
        raise MergeError(f"{', '.join(exports)} has a default export")
    for path, text in texts.items():
        for match in DEFINED.finditer(text):
            for name in re.findall(r"\w+", match[1] or match[2]):
                if names.setdefault(name, path) != path:
                    raise MergeError(f"{path.name} and {names[name].name} define {name}")
    imports, bodies = Imports(), []
    for path in in_order(texts):
        header, body = header_of(texts[path])
        body = imports.take(path, body, {*texts})
        if EXPORT.search(body):
            raise MergeError(f"{path.name} exports again what it imports")
        comment = re.sub(r"^/\*\*", "/*", header) + "\n\n" if header and path != target else ""
        bodies.append(comment + body.strip("\n"))
    bound = {name.split(" as ")[-1] for known in imports.named.values() for name in known} | {*imports.default.values()}
    if bound & names.keys():
        raise MergeError(f"names with two meanings: {', '.join(sorted(bound & names.keys()))}")
    own = header_of(texts[target])[0]
    text = "\n\n".join(filter(None, (own and own + "\n" + "", imports.lines(target), *bodies))) + "\n"
    target.write_text(text.replace(own + "\n\n\n", own + "\n\n") if own else text, encoding="utf-8")
    subprocess.run(["git", "rm", "-q", "-f", *map(str, parts)], cwd=ROOT, check=True)
    for folder in ("web/src", "web/tests"):
        for path in (ROOT / folder).rglob("*.ts"):
            if path != target:
                rewrite_importer(path, target, {*parts})
    rewrite_mentions(target, {*parts})


def rewrite_importer(path: Path, target: Path, parts: set[Path]) -> None:
    """Let a script import the target in place of parts."""
    text = path.read_text(encoding="utf-8")
    matches = [match for match in IMPORT.finditer(text) if resolved(path, match[4]) in {*parts, target}]
    if not any(resolved(path, match[4]) in parts for match in matches):
        return
    taken, merged = Imports(), Imports()
    taken.take(path, "".join(match[0] for match in matches), set())
    names = merged.named.setdefault(target, {})
    for known in taken.named.values():
        for name, is_type in known.items():
            names[name] = names.get(name, True) and is_type
    for place, match in reversed([*enumerate(matches)]):
        text = text[: match.start()] + ("" if place else merged.lines(path) + "\n") + text[match.end() :]
    path.write_text(text, encoding="utf-8")


def rewrite_mentions(target: Path, parts: set[Path]) -> None:
    """Name the target in documents and comments that name a part."""
    names = {str(part.relative_to(ROOT)): str(target.relative_to(ROOT)) for part in parts}
    pattern = re.compile("|".join(rf"{re.escape(each)}\b" for each in names))
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.splitlines():
        path = ROOT / name
        if name.startswith(("CHANGELOG", "tools/merge")) or not path.is_file():
            continue
        if path.suffix in (".md", ".py", ".ts", ".css", ".mjs"):
            text = path.read_text(encoding="utf-8")
            if pattern.search(text):
                path.write_text(pattern.sub(lambda match: names[match[0]], text), encoding="utf-8")


def main() -> None:
    """Merge the named scripts."""
    target, *parts = [ROOT / name for name in sys.argv[1:]]
    try:
        merge(target, parts)
    except MergeError as error:
        sys.exit(f"{target.relative_to(ROOT)}: {error}")


if __name__ == "__main__":
    main()
