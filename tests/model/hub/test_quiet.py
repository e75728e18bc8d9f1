"""The library is loaded only when a model is opened, and opening a folder makes no request."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import TEXT

ROOT = Path(__file__).parent.parent.parent.parent


def test_importing_the_model_does_not_load_the_library():
    code = "import sys, model; sys.exit('transformers' in sys.modules or 'huggingface_hub' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0


def test_opening_and_tracing_a_folder_makes_no_request(tmp_path, monkeypatch):
    addresses = []

    def refuse(self, address, *_):
        addresses.append(address)
        raise OSError("no network here")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *address, **_: refuse(None, address))
    open_model(tiny.save("bert", tmp_path), device="cpu").trace(TEXT)
    assert addresses == []
