"""Read from deploy/Dockerfile, without Docker, what an image has: files, environment, command."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
IGNORE = ROOT / ".dockerignore"


def instructions(target: str) -> list[tuple[str, str]]:
    """The instructions of one stage as name and arguments, continued lines joined, without comments."""
    text = re.sub(r"\\\n\s*", "", DOCKERFILE.read_text(encoding="utf-8"))
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    pairs = [tuple(line.split(" ", 1)) for line in lines]
    starts = [place for place, (name, _) in enumerate(pairs) if name == "FROM"]
    for start, end in zip(starts, [*starts[1:], len(pairs)], strict=True):
        if pairs[start][1].endswith(f" AS {target}"):
            return pairs[start:end]
    raise ValueError(f"The Dockerfile has no stage {target}.")


def copied(target: str) -> list[Path]:
    """Files and folders of the project that a stage copies."""
    return [
        ROOT / source for name, rest in instructions(target) if name == "COPY" for source in rest.split()[:-1] if source
    ]


def is_sent(path: str) -> bool:
    """Whether .dockerignore includes a file, relative to the project's folder, in the build."""
    parents = [path, *map(str, Path(path).parents)]
    sent = True
    for line in IGNORE.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        included, pattern = line.startswith("!"), line.removeprefix("!")
        expression = re.escape(pattern).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
        if any(re.fullmatch(expression, parent) for parent in parents if parent != "."):
            sent = included
    return sent


def tracked(*folders: str) -> set[str]:
    """Files under version control, relative to the project's folder."""
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(filter(None, listed.stdout.split("\0")))


def files(target: str) -> set[str]:
    """Every file that a stage copies, relative to the project's folder."""
    names = set()
    for source in copied(target):
        inside = [source] if source.is_file() else [path for path in source.rglob("*") if path.is_file()]
        names |= {path.relative_to(ROOT).as_posix() for path in inside}
    return {path for path in names if is_sent(path)}


def build(folder: Path) -> Path:
    """Copy the app's files to a folder as they are in the image's /app."""
    for name in files("app"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def environment() -> dict[str, str]:
    """The variables that the image sets for the app."""
    settings = [rest for name, rest in instructions("app") if name == "ENV"]
    return dict(setting.split("=", 1) for rest in settings for setting in rest.split())


def command() -> list[str]:
    """The command that the image runs."""
    return next(json.loads(rest) for name, rest in instructions("app") if name == "CMD")
