"""The campaign over real sockets: clients send anything that the protocol can carry while a visitor uses the app.

Other clients send what no message is: control frames, fragments, large heads, or hardly anything.

Conditions: the server stays ready and answers soon; the visitor's pages are exactly the same as before the campaign;
the log contains no typed text and no traceback; and the memory is free again after the clients have disconnected. A
client's own page may fail if it sends values that no browser sends for a control.
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
from tests.coroutines import run_in_thread
from tests.deploy.visitor import request
from tests.fuzz.campaign import CampaignResult
from tests.fuzz.hostile_sockets import NotEnded, random_attack
from tests.fuzz.texts import MARK
from tests.fuzz.unauthenticated_clients import UnauthenticatedClient, WrongAnswer
from tests.fuzz.visitor import RecordingVisitor

CONCURRENT = 8  # clients at a time
HOSTILE = 3  # clients at a time that misuse connections rather than messages
PER_CLIENT = 100  # messages of one client
SENTENCES = ("We have two cars.", "I want to buy a car.", "The weather is fine today.")
PAGES = ("history", "attention", "tokens", "vision")
POLL_SECONDS = 0.2  # between two checks whether the server is ready
STEPS_PER_DOWNLOAD = 5  # of the visitor; the server limits downloads
LOADING_SECONDS = 10.0  # after which the background work of a page's first visit has ended
EXPIRY_SECONDS = 150.0  # after which Streamlit and housekeeping have dropped the sessions of disconnected clients
ReportFailure = Callable[[int, str], None]


class Campaign:
    """One run against one server.

    Args:
        report: called with each failure immediately: the number of messages sent, and the error.
        most_seconds: that the server may take to answer the health check.
    """

    def __init__(self, server: AppServer, seed: int, report: ReportFailure, most_seconds: float) -> None:
        self.result = CampaignResult("message", seed)
        self.outcomes: Counter[str] = Counter()
        self.views = 0  # compared
        self._server, self._report, self._most_seconds = server, report, most_seconds
        self._expected: dict[str, dict] = {}  # step of the visitor -> view before the campaign
        self._over = False

    async def warm_up(self) -> None:
        """Record the visitor's views while no other client is connected."""
        await asyncio.to_thread(self._until_ready)
        self._visitor = RecordingVisitor(self._server.url)
        await self._visitor.open()
        for step in (*SENTENCES, *PAGES):
            self._expected[step] = await self._view_after(step)

    async def run(self, first: int, count: int) -> None:
        """Send `count` messages from the client number `first` on, while the visitor goes on; after `warm_up`."""
        tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._watch())]
        tasks += [asyncio.create_task(self._attack(first, number)) for number in range(HOSTILE)]
        numbers = iter(range(first, first + -(-count // PER_CLIENT)))
        await asyncio.gather(*(self._send(numbers, count) for _ in range(CONCURRENT)))
        self._over = True
        await asyncio.gather(*tasks)
        await self._visitor.close()
        self._check_log()

    async def settle(self, before: float) -> float:
        """Megabytes more than `before`, after all sessions have expired."""
        await asyncio.sleep(EXPIRY_SECONDS)
        return self._server.resident_megabytes() - before

    async def _send(self, numbers, count: int) -> None:
        for number in numbers:
            client = UnauthenticatedClient(self._server.url, random.Random(f"{self.result.seed} message {number}"))
            left = min(PER_CLIENT, count - self.result.cases)
            self.result.cases += left
            try:
                await client.send(left)
            except (WrongAnswer, OSError, TimeoutError) as error:
                self._fail(f"client {number}: {type(error).__name__}: {error}")
            self.outcomes += client.outcomes

    async def _attack(self, first: int, number: int) -> None:
        """Misuse connections until the campaign is over."""
        chances = random.Random(f"{self.result.seed} socket {first} {number}")
        while not self._over:
            try:
                self.outcomes[await asyncio.to_thread(random_attack, chances, self._server.url)] += 1
            except (NotEnded, OSError) as error:
                self._fail(f"hostile client {number}: {type(error).__name__}: {error}")
            await asyncio.sleep(POLL_SECONDS)

    async def _read(self) -> None:
        """Act as a visitor, and compare each view with that before the campaign."""
        steps = 0
        while not self._over:
            step = (*SENTENCES, *PAGES)[steps % (len(SENTENCES) + len(PAGES))]
            steps, self.views = steps + 1, self.views + 1
            file = steps % STEPS_PER_DOWNLOAD == 0
            view = await self._view_after(step, file)
            expected = {path: content for path, content in self._expected[step].items() if path or file}
            if view != expected:
                changed = sorted({path for path, _ in view.items() ^ expected.items()})
                self._fail(f"the visitor's page is different after {step!r}, at {changed[:5]}")
            await asyncio.sleep(POLL_SECONDS)

    async def _view_after(self, step: str, file: bool = True) -> dict:
        """Type a sentence or open a page; the view then, and under an empty path the `file` that the page offers."""
        visitor = self._visitor
        answer = await (visitor.read(step) if step in SENTENCES else visitor.go_to(step))
        if answer.problems:
            self._fail(f"the visitor's page has {answer.problems}")
        try:
            return visitor.view | ({(): await visitor.download()} if file else {})
        except LostConnection as error:
            self._fail(f"after {step!r}: {error}")
            return visitor.view

    async def _watch(self) -> None:
        """Poll the health check."""
        while not self._over:
            start = time.monotonic()
            status = await asyncio.to_thread(lambda: request(self._server.url, "/healthz").status)
            seconds = time.monotonic() - start
            self.result.slowest = max(self.result.slowest, seconds)
            if status != 200:
                self._fail(f"/healthz was answered with {status}")
            if seconds > self._most_seconds:
                self._fail(f"/healthz took {seconds:.1f} s")
            await asyncio.sleep(POLL_SECONDS)

    def _until_ready(self) -> None:
        while request(self._server.url, "/healthz").status != 200:
            time.sleep(POLL_SECONDS)

    def _check_log(self) -> None:
        """Fail on typed text and tracebacks in the log; count runs of pages that failed."""
        for line in self._server.log().splitlines():
            if MARK in line.lower() or "Traceback" in line:
                self._fail(f"in the log: {line[:200]}")
            elif line.startswith("{") and json.loads(line).get("outcome") == "error":
                self.outcomes["runs of a client's page failed"] += 1

    def _fail(self, reason: str) -> None:
        number = self.result.cases
        self.result.failures[number] = "\n".join(filter(None, [self.result.failures.get(number), reason]))
        self._report(number, reason)


def run(
    seed: int,
    count: int,
    report: ReportFailure = lambda number, reason: None,
    most_seconds: float = 2.0,
    first: int = 0,
    settle: bool = False,
) -> CampaignResult:
    """Send `count` messages to a server that is started for it.

    Args:
        first: number of the first client.
        settle: whether to wait at the end and measure the growth of the server's memory.
    """
    with AppServer() as server:
        campaign = Campaign(server, seed, report, most_seconds)

        async def run_campaign() -> None:
            await campaign.warm_up()
            if settle:
                await asyncio.sleep(LOADING_SECONDS)
            before = server.resident_megabytes()
            await campaign.run(first, count)
            if settle:
                campaign.result.grown = await campaign.settle(before)

        run_in_thread(run_campaign())
    campaign.result.outcomes = dict(campaign.outcomes) | {"views compared": campaign.views}
    return campaign.result
