"""A file that is asked for just after a setting is of what the setting shows, however late its run begins."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile

from benchmarks.load_visitor import FIRST_MAP
from tests.browser.app_server import AppServer
from tests.coroutines import run_in_thread
from tests.server.downloading_client import DownloadingClient


async def download_after_choosing(url: str, layer: str, head: str) -> tuple[str, str]:
    """Choose a head and ask for the archive in the same moment; return its layer and head."""
    visitor = DownloadingClient(url)
    await visitor.open()
    await visitor.go_to("attention")
    choice = asyncio.create_task(
        visitor.send_values("attention_grid", chosen=FIRST_MAP | {"kind": "cross", "layer": layer, "head": head})
    )
    await asyncio.sleep(0)  # the choice is sent first, its answer is not waited for
    archive = await visitor.download("Everything as ZIP")
    await choice
    await visitor.close()
    settings = json.loads(zipfile.ZipFile(io.BytesIO(archive)).read("settings.json"))["settings"]
    return settings["layer"], settings["head"]


def test_a_file_is_of_the_choice_that_was_sent_before_it():
    with AppServer() as server:
        assert run_in_thread(download_after_choosing(server.url, "3", "5")) == ("3", "5")
        assert run_in_thread(download_after_choosing(server.url, "1", "8")) == ("1", "8")
        log = server.log()
    assert "Traceback" not in log, log
