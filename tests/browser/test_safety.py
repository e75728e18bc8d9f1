"""The app listens to this machine only, under its own name, and keeps its errors to itself."""

from __future__ import annotations

import http.client
import tomllib
from urllib.parse import urlsplit

from tests.browser.conftest import Server
from tests.processes import ROOT

UPGRADE = {
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def handshake(server: Server, host: str) -> int:
    """Status of a WebSocket handshake that calls the app `host`."""
    address = urlsplit(server.url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
    connection.request("GET", "/_stcore/stream", headers=UPGRADE | {"Host": host})
    status = connection.getresponse().status
    connection.close()
    return status


def test_another_name_that_points_here_is_refused(server: Server):
    assert handshake(server, urlsplit(server.url).netloc) == 101
    assert handshake(server, "elsewhere.example") == 403


def test_settings():
    settings = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())
    assert settings["server"]["address"] == "localhost"
    assert settings["server"]["maxUploadSize"] == 8
    assert settings["browser"]["gatherUsageStats"] is False
    assert settings["client"]["showErrorDetails"] == "none"
