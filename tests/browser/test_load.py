"""A miniature of the load benchmark: visitors without a browser, on the server of the browser tests."""

import asyncio
import json
import urllib.error
import urllib.request

import pytest

from benchmarks.load import Wave, measurements, percentile
from benchmarks.load_protocol import Client
from benchmarks.load_visitor import PAGES, SENTENCES, SimulatedVisitor, photo
from tests.coroutines import run_in_thread

HOSTILE = 'My <script>alert(1)</script> Qzvx is here. "}{'  # it is English enough, and its translation ends


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.nightly
def test_simulated_visitors_act_and_nothing_typed_is_stored(server):
    photos = [photo(1)]

    async def one(seed: int, wishes: tuple[str, ...]) -> SimulatedVisitor:
        visitor = SimulatedVisitor(server.url, seed, photos, thinking=(0, 0))
        await visitor.open()
        for wish in wishes:
            await visitor.act(wish)
        await visitor.type(HOSTILE)
        await visitor.leave()
        return visitor

    async def two():
        return await asyncio.gather(one(1, ("sentence", "typing", "head", "pull")), one(2, ("upload", "page")))

    visitors = run_in_thread(two())
    wave = Wave(2, [visitor.log for visitor in visitors])
    rows = {(row.group, row.name): row.median for row in measurements(wave)}
    for action in (
        "open",
        "sentence",
        "typing",
        "pull, sweep",
        "pull, pull",
        "pull, control",
        "head",
        "upload",
        "page",
        "all",
    ):
        assert rows["2 visitors, answer", action] > 0
    assert rows["2 visitors", "errors"] == rows["2 visitors", "lost sessions"] == 0
    assert all(done.answer.bytes > 100 for visitor in visitors for done in visitor.log.done)

    status, health = get(f"{server.url}/healthz")
    assert json.loads(health)["translator"] == "ready"
    assert (status == 200) == (json.loads(health)["classifier"] == "ready")
    status, counted = get(f"{server.url}/metrics")
    assert status == 200
    assert 'atlas_runs_total{outcome="ok",page="attention",part="explore_tokens"}' in counted
    assert "process_resident_memory_bytes" in counted
    lines = [json.loads(line) for line in server.log().splitlines() if line.startswith("{")]
    assert {line["page"] for line in lines if line["event"] == "run"} >= {"translate", "attention", "vision"}
    for record in (counted, server.log()):
        assert "Qzvx" not in record
        assert "photo.jpg" not in record


def test_percentile_is_the_smallest_value_that_so_many_do_not_exceed():
    values = list(range(1, 101))
    assert (percentile(values, 0.95), percentile(values, 0.5), percentile([7], 0.95)) == (95, 50, 7)


@pytest.mark.nightly
def test_settings_of_the_same_name_on_two_pages_do_not_collide(server):
    """Tokens and Decoding both have a `step` in the address, one a name, the other a number."""

    async def walk() -> list[tuple[str, list[str]]]:
        client, met = Client(server.url), []
        await client.open()
        for place, page in enumerate((*PAGES[1:], "tokens", "decoding", "inside", "decoding", *reversed(PAGES[1:]))):
            answers = [await client.go_to(page)]
            if "English sentence" in client.controls and place < len(PAGES) + 3:
                answers.append(await client.type("English sentence", SENTENCES[place]))
            met += [(page, answer.problems) for answer in answers if answer.problems]
        await client.close()
        return met

    assert run_in_thread(walk()) == []
