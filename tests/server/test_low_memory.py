"""A real server whose budget is nearly nothing: everything is evicted at once, and visitors see the same."""

from __future__ import annotations

import csv
import urllib.request
from collections.abc import Iterator

import pytest

from benchmarks.load_visitor import FIRST_MAP, photo
from tests.browser.app_server import AppServer
from tests.coroutines import run_in_thread
from tests.server.downloading_client import DownloadingClient
from views.controls.picture_input import LABEL

SMALL = "from server.memory_budget import memory_budget; memory_budget().limit = 100_000; "
RUN = "import sys; sys.argv = ['streamlit', *sys.argv[1:]]; from streamlit.web.cli import main; main()"


class LowMemoryServer(AppServer):
    def command(self) -> list[str]:
        python, _, _, *arguments = super().command()
        return [python, "-c", SMALL + RUN, *arguments]


@pytest.fixture(scope="module")
def server() -> Iterator[LowMemoryServer]:
    with LowMemoryServer() as app:
        yield app
        log = app.log()
    assert "Traceback" not in log, log


def retained_bytes(server: LowMemoryServer) -> float:
    metrics = urllib.request.urlopen(f"{server.url}/metrics", timeout=60).read().decode()
    (line,) = [line for line in metrics.splitlines() if line.startswith("atlas_retained_bytes ")]
    return float(line.split()[1])


async def with_own_picture(url: str, seed: int = 0) -> DownloadingClient:
    visitor = DownloadingClient(url)
    await visitor.open()
    answers = [await visitor.go_to("vision"), await visitor.upload(LABEL(), "a.jpg", photo(seed))]
    assert not [problem for answer in answers for problem in answer.problems]
    return visitor


@pytest.mark.nightly
def test_a_part_whose_inputs_were_evicted_runs_its_page_again(server: LowMemoryServer):
    async def visits():
        visitor, other = await with_own_picture(server.url), await with_own_picture(server.url, 1)
        answers = [await visitor.go_to("vision"), await other.go_to("attention")]  # evicts what is on the first screen
        for head in "23":
            answers.append(await visitor.send_values("patch_picture", chosen={"row": head, "column": "3"}))
            answers.append(await other.send_values("attention_grid", chosen=FIRST_MAP | {"head": head, "layer": "2"}))
            assert f"row={head}" in visitor.query and f"head={head}" in other.query
        assert not [problem for answer in answers for problem in answer.problems]
        await visitor.close()
        await other.close()

    run_in_thread(visits())
    assert retained_bytes(server) < 20_000_000  # the newest screen or result, and own pictures


@pytest.mark.nightly
def test_a_file_whose_maker_was_evicted_is_made_by_a_new_run(server: LowMemoryServer):
    async def visits() -> tuple[bytes, bytes]:
        visitor, other = DownloadingClient(server.url), DownloadingClient(server.url)
        await visitor.open()
        await visitor.go_to("heads")
        label = "All heads as CSV"
        first = await visitor.download(label)
        await other.open()
        await other.go_to("vision")  # evicts
        await other.go_to("attention")
        again = await visitor.download(label)
        await visitor.close()
        await other.close()
        return first, again

    first, again = run_in_thread(visits())
    assert first == again
    rows = list(csv.reader(first.decode("utf-8-sig").splitlines()))
    assert len(rows) == 97  # a header, and a row for each head
    assert len({len(row) for row in rows}) == 1
