"""Count the lines of the program and of its tests, by folder, in the files that Git tracks.

python -m tools.count_lines

Every line counts, blank ones included. Built files, tools, benchmarks and documents are not counted.
"""

import subprocess
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PRODUCT = ("app.py", "attention_atlas", "assets/code", "model", "pages", "server", "training", "views", "web")
TESTS = ("tests", "web/tests")
SUFFIXES = {".py", ".ts", ".css", ".c"}


@dataclass
class LineCount:
    """Files of one group, and their lines."""

    files: int = 0
    lines: int = 0


def group_of(name: str) -> str | None:
    """The folder under which a file is counted, "tests" for every test; None for a file that is not counted."""
    path = PurePosixPath(name)
    if path.suffix not in SUFFIXES:
        return None
    if any(path.is_relative_to(folder) for folder in TESTS):
        return "tests"
    return next((folder for folder in PRODUCT if path.is_relative_to(folder)), None)


def count_lines(root: Path, names: Iterable[str]) -> dict[str, LineCount]:
    """Count the files of `root` with these names, by group."""
    counts: dict[str, LineCount] = {}
    for name in names:
        if (group := group_of(name)) is not None:
            count = counts.setdefault(group, LineCount())
            count.files += 1
            count.lines += (root / name).read_bytes().count(b"\n")
    return counts


def main() -> None:
    """Print a row for each folder, and the sums of the program and of its tests."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.split("\0") if name and (ROOT / name).is_file()]
    counts = count_lines(ROOT, names)
    tests = counts.pop("tests", LineCount())
    files, lines = sum(count.files for count in counts.values()), sum(count.lines for count in counts.values())
    python = Counter(PurePosixPath(name).suffix for name in names if group_of(name) not in (None, "tests"))[".py"]
    for group in PRODUCT:
        if group in counts:
            print(f"{group:<16}{counts[group].files:>6} files{counts[group].lines:>9,} lines")
    print(f"{'program':<16}{files:>6} files{lines:>9,} lines, {python} of the files in Python")
    print(f"{'tests':<16}{tests.files:>6} files{tests.lines:>9,} lines")


if __name__ == "__main__":
    main()
