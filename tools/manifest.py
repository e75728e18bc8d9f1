"""Write `assets/manifest.json`: the SHA-256 of every file in `assets`, which the app compares when it reads one.

python -m tools.manifest            # or `make manifest`, after any change in assets
python -m tools.manifest --check    # fails if the manifest is not the one that would be written
"""

import argparse
import hashlib
import json
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ASSETS = ROOT / "assets"
NAME = "manifest.json"
COMMAND = "make manifest"


def shipped_files(folder: Path = ASSETS) -> list[Path]:
    """The files of `folder` that Git has or would add, without those it ignores and the manifest itself."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    files = (folder / name for name in listed.split("\0") if name and name != NAME)
    return sorted(path for path in files if path.is_file())


def manifest(folder: Path, files: Iterable[Path]) -> str:
    """The content of the manifest."""
    hashes = {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
    return json.dumps({"sha256": dict(sorted(hashes.items()))}, indent=1) + "\n"


def differences(current: str, expected: str) -> list[str]:
    """Names whose hash is missing, superfluous or another one in the `current` manifest."""
    have, should = (dict(json.loads(text)["sha256"]) for text in (current, expected))
    return sorted(name for name in have.keys() | should.keys() if have.get(name) != should.get(name))


def main(arguments: list[str] | None = None) -> int:
    """Write or check the manifest; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args(arguments).check
    path, expected = ASSETS / NAME, manifest(ASSETS, shipped_files())
    current = path.read_text(encoding="utf-8") if path.is_file() else '{"sha256": {}}'
    changed = differences(current, expected)
    if not check:
        path.write_text(expected, encoding="utf-8")
    if changed:
        done = "are not up to date: run `make manifest`" if check else "written anew"
        print(f"Hashes of {len(changed)} files {done}: {', '.join(changed[:20])}")
    return int(check and bool(changed))


if __name__ == "__main__":
    raise SystemExit(main())
