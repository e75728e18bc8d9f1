"""A local server with the endpoints of the hub that its library requests, serving tiny models."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

COMMIT = "1f" * 20
TOKEN = "hf_secretsecret"


class Hub:
    """Folders that the server serves, the requests it received, and the errors it simulates.

    Attributes:
        folders: id -> folder of its files.
        gated: ids whose files require TOKEN.
        requests: every request, "GET /path".
        cut: bytes of a weight file after which the connection is lost, for each of the next answers.
        sizes: name of a file -> the size that the hub reports.
    """

    def __init__(self, folders: dict[str, Path]) -> None:
        self.folders = folders
        self.gated: set[str] = set()
        self.requests: list[str] = []
        self.cut: list[int] = []
        self.sizes: dict[str, int] = {}


@contextmanager
def serving(hub: Hub, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Let the library use this hub, with its downloads in `cache`."""
    from huggingface_hub import constants, file_download

    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(hub))
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    monkeypatch.setattr(constants, "ENDPOINT", address)
    monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(cache))
    patient = SimpleNamespace(**vars(time) | {"sleep": lambda _: None})  # between two attempts
    monkeypatch.setattr(file_download, "time", patient)
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            path = self.path.partition("?")[0]
            hub.requests.append(f"{self.command} {path}")
            if path == "/":
                return self._send(b"", body)
            if match := re.fullmatch(r"/api/models/(.+?)(?:/(revision|tree)/([^/]+))?", path):
                return self._about(*match.groups(), body)
            if match := re.fullmatch(r"/(.+?)/resolve/([^/]+)/(.+)", path):
                return self._file(*match.groups(), body)
            return self._refuse(404, "EntryNotFound")

        def _about(self, id_: str, listing: str | None, revision: str | None, body: bool) -> None:
            if id_ not in hub.folders:
                return self._refuse(404, "RepoNotFound")
            if revision not in (None, "main", COMMIT):
                return self._refuse(404, "RevisionNotFound")
            files = sorted(hub.folders[id_].iterdir())
            tree = [
                {"type": "file", "path": file.name, "oid": "0" * 40, "size": hub.sizes.get(file.name, _size(file))}
                for file in files
            ]
            info = {"id": id_, "modelId": id_, "sha": COMMIT, "siblings": [{"rfilename": f.name} for f in files]}
            return self._send(json.dumps(tree if listing == "tree" else info).encode(), body, "application/json")

        def _file(self, id_: str, _: str, name: str, body: bool) -> None:
            if id_ in hub.gated and self.headers.get("Authorization") != f"Bearer {TOKEN}":
                return self._refuse(401 if "Authorization" not in self.headers else 403, "GatedRepo")
            file = hub.folders[id_] / name
            if not file.is_file():
                return self._refuse(404, "EntryNotFound")
            content = file.read_bytes()
            tag = hashlib.sha256(content).hexdigest()
            start = 0
            if byte_range := re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", "")):
                start = int(byte_range[1])
            cut = None
            if body and name.endswith(".safetensors") and hub.cut:
                cut = hub.cut.pop(0)
            self.send_response(206 if start else 200)
            self.send_header("ETag", f'"{tag}"')
            self.send_header("X-Repo-Commit", COMMIT)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            if body:
                self.wfile.write(content[start:] if cut is None else content[start : start + cut])
                if cut is not None:
                    self.close_connection = True

        def _send(self, content: bytes, body: bool, kind: str = "text/plain") -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if body:
                self.wfile.write(content)

        def _refuse(self, status: int, code: str) -> None:
            self.send_response(status)
            self.send_header("X-Error-Code", code)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _size(file: Path) -> int:
    return file.stat().st_size
