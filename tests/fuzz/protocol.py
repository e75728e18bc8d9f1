"""The campaign over real sockets: strangers send whatever the protocol can carry, beside a visitor who reads.

What has to hold: the server stays ready and answers soon; the visitor sees, letter by letter, what it saw when it was
alone; nothing that was typed is in the log, and no traceback; and the memory is there again when the strangers have
gone. A stranger's own page may fail, where a control is sent what no browser sends for it.
"""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from collections.abc import Callable

from benchmarks.load_protocol import LostConnection
from tests.browser.app_server import AppServer
from tests.deploy.visitor import request
from tests.elsewhere import run_in_thread
from tests.fuzz.campaign import Result
from tests.fuzz.strangers import Stranger, Wrong
from tests.fuzz.texts import MARK
from tests.fuzz.visitor import Reader

TOGETHER = 8  # strangers at a time
EACH = 100  # messages of one stranger
SENTENCES = ("We have two cars.", "I want to buy a car.", "The weather is fine today.")
PAGES = ("history", "attention", "tokens", "vision")
LOOK = 0.2  # seconds between two looks at whether the server is ready
FILES = 5  # every how many steps the visitor takes a file too; nobody may take them without end
BESIDE = 10.0  # seconds after which a page has what it loads beside its first visitor
FORGOTTEN = 150.0  # seconds after which Streamlit and housekeeping have let go of those who left
Found = Callable[[int, str], None]


class Campaign:
    """One run against one server.

    Args:
        found: hears of each failure at once: how many messages had been sent, and what went wrong.
        most_seconds: that the server may take to say that it is ready.
    """

    def __init__(self, server: AppServer, seed: int, found: Found, most_seconds: float) -> None:
        self.result = Result("message", seed)
        self.ended: Counter[str] = Counter()
        self.views = 0  # compared
        self._server, self._found, self._most_seconds = server, found, most_seconds
        self._alone: dict[str, dict] = {}
        self._over = False

    async def warm_up(self) -> None:
        """Let the visitor see everything while nobody else is there."""
        await asyncio.to_thread(self._until_ready)
        self._reader = Reader(self._server.url)
        await self._reader.open()
        for step in (*SENTENCES, *PAGES):
            self._alone[step] = await self._look(step)

    async def run(self, first: int, count: int) -> None:
        """Send `count` messages beside the visitor, from the stranger with the number `first` on; after `warm_up`."""
        beside = [asyncio.create_task(self._read()), asyncio.create_task(self._watch())]
        numbers = iter(range(first, first + -(-count // EACH)))
        await asyncio.gather(*(self._send(numbers, count) for _ in range(TOGETHER)))
        self._over = True
        await asyncio.gather(*beside)
        await self._reader.close()
        self._look_into_the_log()

    async def settle(self, before: float) -> float:
        """Megabytes more than `before`, once everybody has been forgotten."""
        await asyncio.sleep(FORGOTTEN)
        return self._server.resident_megabytes() - before

    async def _send(self, numbers, count: int) -> None:
        for number in numbers:
            stranger = Stranger(self._server.url, random.Random(f"{self.result.seed} message {number}"))
            left = min(EACH, count - self.result.cases)
            self.result.cases += left
            try:
                await stranger.send(left)
            except (Wrong, OSError, TimeoutError) as error:
                self._fail(f"stranger {number}: {type(error).__name__}: {error}")
            self.ended += stranger.ended

    async def _read(self) -> None:
        """Go on reading, and compare with what was there when nobody else was."""
        steps = 0
        while not self._over:
            step = (*SENTENCES, *PAGES)[steps % (len(SENTENCES) + len(PAGES))]
            steps, self.views = steps + 1, self.views + 1
            file = steps % FILES == 0
            seen = await self._look(step, file)
            alone = {place: drawn for place, drawn in self._alone[step].items() if place or file}
            if seen != alone:
                changed = sorted({place for place, _ in seen.items() ^ alone.items()})
                self._fail(f"the visitor saw something else after {step!r}, at {changed[:5]}")
            await asyncio.sleep(LOOK)

    async def _look(self, step: str, file: bool = True) -> dict:
        """Type a sentence or open a page; what is there then, and at no place the `file` that the page offers."""
        reader = self._reader
        answer = await (reader.read(step) if step in SENTENCES else reader.go_to(step))
        if answer.problems:
            self._fail(f"the visitor was told {answer.problems}")
        try:
            return reader.view | ({(): await reader.download()} if file else {})
        except LostConnection as error:
            self._fail(f"after {step!r}: {error}")
            return reader.view

    async def _watch(self) -> None:
        """Ask again and again whether the server is ready."""
        while not self._over:
            asked = time.monotonic()
            status = await asyncio.to_thread(lambda: request(self._server.url, "/healthz").status)
            seconds = time.monotonic() - asked
            self.result.slowest = max(self.result.slowest, seconds)
            if status != 200:
                self._fail(f"/healthz was answered with {status}")
            if seconds > self._most_seconds:
                self._fail(f"/healthz took {seconds:.1f} s")
            await asyncio.sleep(LOOK)

    def _until_ready(self) -> None:
        while request(self._server.url, "/healthz").status != 200:
            time.sleep(LOOK)

    def _look_into_the_log(self) -> None:
        """What was typed is not there, nor a traceback; runs of pages that failed are counted."""
        for line in self._server.log().splitlines():
            if MARK in line.lower() or "Traceback" in line:
                self._fail(f"in the log: {line[:200]}")
            elif line.startswith("{") and json.loads(line).get("outcome") == "error":
                self.ended["runs of a stranger's page failed"] += 1

    def _fail(self, reason: str) -> None:
        number = self.result.cases
        self.result.failures[number] = "\n".join(filter(None, [self.result.failures.get(number), reason]))
        self._found(number, reason)


def run(
    seed: int,
    count: int,
    found: Found = lambda number, reason: None,
    most_seconds: float = 2.0,
    first: int = 0,
    settle: bool = False,
) -> Result:
    """Send `count` messages to a server that is started for it.

    Args:
        first: number of the first stranger.
        settle: whether to wait, in the end, for what the server then holds more than before.
    """
    with AppServer() as server:
        campaign = Campaign(server, seed, found, most_seconds)

        async def whole() -> None:
            await campaign.warm_up()
            if settle:
                await asyncio.sleep(BESIDE)
            before = server.resident_megabytes()
            await campaign.run(first, count)
            if settle:
                campaign.result.grown = await campaign.settle(before)

        run_in_thread(whole())
    campaign.result.outcomes = dict(campaign.ended) | {"views compared": campaign.views}
    return campaign.result
