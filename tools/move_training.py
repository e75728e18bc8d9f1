"""Move the package `model.training` to the top-level folder `training`, and what the study uses of it to `model`.

python -m tools.move_training
"""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOVES = ROOT / "tools" / "moves.json"
FOLDERS = {"corpus": "data", "near_duplicates": "data", "images": "data", "processes": "runtime"}
OLD_PATH = re.compile(r"model/training/(\w+)\.py")


def main() -> None:
    """Move the files, then rewrite what `tools.rename` leaves: cards, links, and a test that names the package."""
    subprocess.run([sys.executable, "-m", "tools.rename", "--moves", str(MOVES)], cwd=ROOT, check=True)
    for folder in ("assets", "docs"):
        for document in (ROOT / folder).rglob("*.md"):
            _rewrite(document, _with_new_names)
    _rewrite(
        ROOT / "tests/attention_atlas/test_wheel.py",
        lambda text: text.replace("import attention_atlas.training, ", "import "),
    )
    subprocess.run([sys.executable, "-m", "tools.manifest"], cwd=ROOT, check=True)


def _with_new_names(text: str) -> str:
    return OLD_PATH.sub(_new_path, text.replace("python -m model.training", "python -m training"))


def _new_path(match: re.Match[str]) -> str:
    name = match[1]
    return f"model/{FOLDERS[name]}/{name}.py" if name in FOLDERS else f"training/{name}.py"


def _rewrite(path: Path, change: Callable[[str], str]) -> None:
    text = path.read_text(encoding="utf-8")
    if (new := change(text)) != text:
        path.write_text(new, encoding="utf-8")


if __name__ == "__main__":
    main()
