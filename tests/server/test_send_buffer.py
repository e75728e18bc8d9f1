"""What waits for slow browsers is sent in order, counted, and bounded for each and for all."""

from __future__ import annotations

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from contextlib import suppress

import pytest

from server.limits import SocketLimits
from server.send_buffer import OVERHEAD, SendBuffer, UnsentBytes
from tests.coroutines import run_in_thread

LIMITS = SocketLimits(unsent_hold=10_000, unsent_bytes=30_000, unsent_total=50_000, closing_seconds=0.1)


class Browser:
    """The server's side of a connection; the browser reads while `reads` is set."""

    def __init__(self, unsent: UnsentBytes) -> None:
        self.received: list[dict] = []
        self.reads, self.writable = asyncio.Event(), asyncio.Event()
        self.writable.set()
        self.aborted = False
        self.transport = self
        self.buffer = SendBuffer(self.receive, self.send, LIMITS, unsent)

    def abort(self) -> None:
        self.aborted = True

    async def receive(self) -> dict:
        return {"type": "websocket.disconnect"}

    async def send(self, message: dict) -> None:
        if message["type"] == "websocket.send":
            await self.reads.wait()
        self.received.append(message)


async def read(browser: Browser) -> None:
    await browser.buffer.send(content(100))
    browser.reads.set()
    await browser.buffer.flush()


async def send_much(browser: Browser) -> None:
    with suppress(OSError):
        for _ in range(10):
            await browser.buffer.send(content(10_000))


def content(size: int, number: int = 0) -> dict:
    return {"type": "websocket.send", "bytes": bytes([number]) * size}


def with_browsers(count: int, act: Callable[..., Coroutine]) -> None:
    async def run() -> None:
        unsent = UnsentBytes(LIMITS)
        await act(unsent, *(Browser(unsent) for _ in range(count)))

    run_in_thread(run())


def test_messages_arrive_in_order_and_are_no_longer_counted():
    async def act(unsent: UnsentBytes, browser: Browser) -> None:
        for number in range(20):
            await browser.buffer.send(content(100, number))
        assert browser.buffer.size == unsent.total == 20 * (100 + OVERHEAD)
        browser.reads.set()
        await browser.buffer.flush()
        assert [message["bytes"][0] for message in browser.received] == list(range(20))
        assert browser.buffer.size == unsent.total == 0

    with_browsers(1, act)


def test_a_message_that_the_connection_took_counts_until_the_browser_has_read_it():
    async def act(unsent: UnsentBytes, browser: Browser) -> None:
        browser.reads.set()
        browser.writable.clear()
        await browser.buffer.send(content(5000))
        await asyncio.sleep(0.01)
        assert len(browser.received) == 1 and unsent.total == 5000 + OVERHEAD
        browser.writable.set()
        await browser.buffer.flush()
        assert unsent.total == 0

    with_browsers(1, act)


def test_further_messages_of_a_browser_wait_until_it_has_read():
    async def act(unsent: UnsentBytes, browser: Browser) -> None:
        await asyncio.wait_for(browser.buffer.until_read(), 1)
        await browser.buffer.send(content(15_000))
        waiting = asyncio.create_task(browser.buffer.until_read())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        browser.reads.set()
        await asyncio.wait_for(waiting, 1)

    with_browsers(1, act)


def test_a_browser_with_too_much_is_dropped_and_waits_for_nothing():
    async def act(unsent: UnsentBytes, browser: Browser, other: Browser) -> None:
        await other.buffer.send(content(100))
        await browser.buffer.send(content(25_000))
        with pytest.raises(OSError, match="closed"):
            await browser.buffer.send(content(10_000))
        await asyncio.wait_for(browser.buffer.until_read(), 1)
        assert (browser.aborted, other.aborted) == (True, False)
        assert unsent.total == other.buffer.size == 100 + OVERHEAD

    with_browsers(2, act)


def test_beyond_the_limit_for_all_the_largest_is_dropped():
    async def act(unsent: UnsentBytes, *browsers: Browser) -> None:
        for browser, size in zip(browsers, (20_000, 9000, 12_000), strict=True):
            await browser.buffer.send(content(size))
        await browsers[1].buffer.send(content(9000))
        assert [browser.aborted for browser in browsers] == [True, False, False]
        assert unsent.total == sum(browser.buffer.size for browser in browsers) <= LIMITS.unsent_total
        with pytest.raises(OSError, match="closed"):
            await browsers[0].buffer.send(content(1))
        for browser in browsers:
            browser.buffer.close()
        assert unsent.total == 0

    with_browsers(3, act)


@pytest.mark.parametrize("error", [OSError, RuntimeError])
def test_an_error_while_sending_closes_the_buffer(error: type[Exception]):
    async def act(unsent: UnsentBytes, browser: Browser) -> None:
        async def fail(message: dict) -> None:
            raise error

        browser.buffer._send = fail
        await browser.buffer.send(content(100))
        await asyncio.sleep(0.01)
        with pytest.raises(OSError, match="closed"):
            await browser.buffer.send(content(100))
        assert unsent.total == 0

    with_browsers(1, act)


def test_a_close_frame_of_the_app_comes_last_and_does_not_wait_for_ever():
    async def act(unsent: UnsentBytes, reader: Browser, other: Browser) -> None:
        reader.reads.set()
        for browser in (reader, other):
            await browser.buffer.send(content(10))
            await browser.buffer.send({"type": "websocket.close", "code": 1000})
            with pytest.raises(OSError, match="closed"):
                await browser.buffer.send(content(10))
        assert [message["type"] for message in reader.received] == ["websocket.send", "websocket.close"]
        assert [message["type"] for message in other.received] == ["websocket.close"]

    with_browsers(2, act)


@pytest.mark.parametrize(
    "act",
    [
        lambda browser: asyncio.sleep(0),
        read,
        lambda browser: browser.buffer.send(content(100)),
        send_much,
        lambda browser: browser.buffer.end({"type": "websocket.close"}),
    ],
    ids=["nothing sent", "all read", "not read", "too much", "closed by the app"],
)
def test_nothing_of_a_closed_socket_is_retained(act: Callable[[Browser], Coroutine]):
    async def visit(unsent: UnsentBytes) -> weakref.ref[Browser]:
        browser = Browser(unsent)
        await act(browser)
        for _ in range(2):
            browser.buffer.close()
        await asyncio.sleep(0)
        return weakref.ref(browser)

    async def check(unsent: UnsentBytes) -> None:
        browser = await visit(unsent)
        await asyncio.sleep(0)
        gc.collect()
        assert browser() is None and unsent.total == 0

    with_browsers(0, check)
