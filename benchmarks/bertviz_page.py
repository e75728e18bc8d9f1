"""bertviz 1.4.1 as an HTML page that draws without a network.

Its Python is downloaded from PyPI, and the three scripts that it loads from a CDN from npm, on first use, into a folder
outside the project. It needs two classes of IPython that store a text; they are replaced here, so that nothing else has
to be installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import types
from pathlib import Path
from typing import Literal

import numpy as np
import torch

VERSION = "1.4.1"
CDN = "https://cdnjs.cloudflare.com/ajax/libs"
HERE = "/cdn"  # replaces it, on the server of the page
# address -> package and version at npm, and the file in it. npm has no jQuery 2.0.0, which bertviz names.
SCRIPTS = {
    f"{HERE}/require.js/2.3.6/require.min.js": ("requirejs@2.3.6", "package/require.js"),
    f"{HERE}/d3/5.7.0/d3.min.js": ("d3@5.7.0", "package/dist/d3.min.js"),
    f"{HERE}/jquery/2.0.0/jquery.min.js": ("jquery@2.1.0", "package/dist/jquery.min.js"),
}


def cache() -> Path:
    """The folder of the downloads."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = home / "attention-atlas-benchmarks" / f"bertviz-{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def scripts() -> dict[str, bytes]:
    """The scripts of the CDN, by the address that replaces it."""
    return {address: _from_npm(*source) for address, source in SCRIPTS.items()}


def _from_npm(package: str, member: str) -> bytes:
    archive = cache() / f"{package.replace('@', '-')}.tgz"
    if not archive.exists():
        subprocess.run(["npm", "pack", "--silent", package], cwd=cache(), check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(archive) as packed:
        file = packed.extractfile(member)
        assert file is not None
        return file.read()


def import_bertviz() -> types.ModuleType:
    """Import the package, installed into the cache without its dependencies."""
    folder = cache() / "python"
    if not (folder / "bertviz").exists():
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder)]
        subprocess.run([*command, f"bertviz=={VERSION}"], check=True)
    if "IPython.display" not in sys.modules:
        holder = type("Holder", (), {"__init__": lambda self, data: setattr(self, "data", data)})
        display = types.ModuleType("IPython.display")
        display.HTML, display.Javascript, display.display = holder, holder, print
        sys.modules["IPython"] = types.ModuleType("IPython")
        sys.modules["IPython.display"] = display
    sys.path.insert(0, str(folder))
    try:
        import bertviz
    finally:
        sys.path.remove(str(folder))
    return bertviz


def page(view: Literal["head_view", "model_view"], attention: np.ndarray, tokens: list[str]) -> bytes:
    """The HTML of one of its views for attention `(layer, head, query, key)`."""
    layers = [torch.from_numpy(layer)[None] for layer in attention]
    html = getattr(import_bertviz(), view)(layers, tokens, html_action="return")
    return html.data.replace(CDN, HERE).encode()
