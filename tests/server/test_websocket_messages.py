"""Only messages that a user's browser sends pass the filter, within limits of rate and size."""

import asyncio
import gc
import weakref
from collections.abc import Callable, Coroutine
from contextlib import suppress

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from server.connections import RateLimit
from server.http_errors import RefusalLanguage, close_reason
from server.limits import SocketLimits
from server.websocket_messages import OVERHEAD, UNREADABLE, MessageFilter, SendBuffer, UnsentBytes, _Socket
from tests.coroutines import run_in_thread
from tests.server.asgi import RecordingApp, send_request
from views.initial_html import language_of_request

FEW = SocketLimits(burst=3, per_second=1000, patience=5, message_bytes=100)


def frame(kind: str, value: object = True) -> dict:
    """A message of one kind as it arrives."""
    message = BackMsg()
    if isinstance(value, bool):
        setattr(message, kind, value)
    else:
        getattr(message, kind).MergeFrom(value)
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def operation(payload: str) -> dict:
    message = BackMsg()
    getattr(message.backend_operation_request, payload).SetInParent()
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def rerun(text: str = "") -> dict:
    message = BackMsg()
    message.rerun_script.query_string = text
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def filter_frames(frames: list[dict], limits: SocketLimits | None = None) -> tuple[list[dict], int | None]:
    """The messages that passed, and the close code of the socket, if it was closed."""
    app = RecordingApp()
    sent = send_request(MessageFilter(app, limits, patience=0), "/_stcore/stream", kind="websocket", frames=frames)
    closed = [message["code"] for message in sent if message["type"] == "websocket.close"]
    return app.received, closed[0] if closed else None


def file_urls(files: int) -> dict:
    message = BackMsg()
    message.file_urls_request.file_names.extend(["a"] * files)
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def controls(count: int, *values: int) -> dict:
    """The message of a page with so many controls, and several values in the first one."""
    message = BackMsg()
    for number in range(count):
        message.rerun_script.widget_states.widgets.add(id=f"$$ID-{number}-None")
    message.rerun_script.widget_states.widgets[0].int_array_value.data.extend(values)
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


REFUSED = [
    frame("clear_cache"),
    frame("set_run_on_save"),
    frame("set_run_on_save", False),
    frame("load_git_info"),
    frame("debug_disconnect_websocket"),
    frame("debug_shutdown_runtime"),
    file_urls(11),
    controls(2001),
    controls(1, *range(2000)),
    operation("install_skills"),
    operation("dismiss_skills_nudge"),
    {"type": "websocket.receive", "bytes": b""},
    {"type": "websocket.receive", "bytes": b"\xa0\x06\x01"},  # a field that this version does not know
]


@pytest.mark.parametrize("message", REFUSED, ids=lambda message: message["bytes"][:20].hex() or "empty")
def test_messages_that_no_user_s_browser_sends_are_dropped(message: dict):
    assert filter_frames([message, rerun()]) == ([rerun()], None)


ALLOWED = [
    rerun("text=A"),
    file_urls(1),
    file_urls(10),
    controls(1000, *range(1000)),
    frame("stop_script"),
    frame("app_heartbeat"),
    operation("deferred_file"),
]


@pytest.mark.parametrize("message", [*ALLOWED, operation("dataframe_chunk")], ids=lambda m: m["bytes"][:20].hex())
def test_messages_of_a_user_s_browser_pass_unchanged(message: dict):
    assert filter_frames([message]) == ([message], None)


def test_every_kind_of_message_is_either_allowed_or_refused():
    kinds = {field.name for field in BackMsg.DESCRIPTOR.fields}
    assert kinds == {
        "clear_cache",
        "set_run_on_save",
        "stop_script",
        "rerun_script",
        "load_git_info",
        "debug_disconnect_websocket",
        "debug_shutdown_runtime",
        "file_urls_request",
        "app_heartbeat",
        "backend_operation_request",
    }


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"type": "websocket.receive", "bytes": b"\xff\xff"}, 1002),
        ({"type": "websocket.receive", "text": "rerun"}, 1003),
        (rerun("a" * 100), 1009),
    ],
)
def test_malformed_messages_close_the_socket(message: dict, code: int):
    assert filter_frames([rerun(), message, rerun()], FEW) == ([rerun()], code)


@pytest.mark.parametrize(
    ("frames", "headers", "reason"),
    [
        ([rerun("text=a&lang=ko")], {}, "메시지를 읽을 수 없습니다."),
        ([rerun("lang=ko"), rerun("lang=en")], {"accept-language": "ko"}, UNREADABLE.english),
        ([], {"accept-language": "ko-KR,en"}, "메시지를 읽을 수 없습니다."),
        ([rerun("text=a")], {}, UNREADABLE.english),
    ],
)
def test_an_open_socket_is_closed_in_the_language_of_its_page(frames: list[dict], headers: dict, reason: str):
    app = RefusalLanguage(MessageFilter(RecordingApp(), patience=0), language_of_request)
    frames = [*frames, {"type": "websocket.receive", "bytes": b"\xff\xff"}]
    sent = send_request(app, "/_stcore/stream", headers | {"host": "localhost"}, "websocket", frames)
    assert [message["reason"] for message in sent if message["type"] == "websocket.close"] == [reason]


def test_a_reason_that_is_too_long_for_its_frame_is_in_english():
    scope = {"type": "websocket", "query_string": b"", "atlas.language": lambda scope: ("ko", lambda text: "가" * 42)}
    assert close_reason(scope, UNREADABLE) == UNREADABLE.english  # 126 bytes
    assert (
        close_reason(scope | {"atlas.language": lambda scope: ("ko", lambda text: "가" * 41)}, UNREADABLE) == "가" * 41
    )


def test_a_message_of_the_largest_size_passes():
    message = rerun("a" * 96)
    assert len(message["bytes"]) == 100
    assert filter_frames([message], FEW) == ([message], None)


def test_downloads_beyond_the_limit_are_dropped():
    download = operation("deferred_file")
    assert filter_frames([download] * 40 + [rerun()]) == ([download] * 30 + [rerun()], None)


class FakeClock:
    """A clock that advances only while the code under test waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def wait(self, seconds: float) -> None:
        self.now += seconds


def arrival_times(count: int, pauses: dict[int, float], limits: SocketLimits) -> tuple[list[float], bool]:
    """The time at which each of `count` messages passed, and whether the socket was closed.

    Args:
        pauses: seconds by which the sender pauses before a message.
    """
    clock, sent, arrived, passed = FakeClock(), [], iter(range(count)), []

    async def receive():
        number = next(arrived, None)
        clock.now += pauses.get(number, 0.0)
        return rerun() if number is not None else {"type": "websocket.disconnect"}

    async def send(message):
        sent.append(message)

    async def run():
        buffer = SendBuffer(receive, send, limits, UnsentBytes(limits))
        socket = _Socket({}, receive, buffer, limits, clock, clock.wait, patience=0)
        while (await socket.receive())["type"] == "websocket.receive":
            passed.append(clock.now)

    run_in_thread(run())
    return passed, [message.get("code") for message in sent] == [1008]


def test_a_flood_is_delayed_and_then_closed():
    passed, closed = arrival_times(1000, {}, SocketLimits())
    assert len(passed) == 60 + 200 and closed
    assert passed[:60] == [0.0] * 60
    assert passed[60:] == pytest.approx([0.05 * number for number in range(1, 201)])


def test_the_limit_resets_after_a_pause():
    limits = SocketLimits()
    bursts = {number: 3.0 + 1e-9 for number in range(150, 1000, 150)}
    passed, closed = arrival_times(1000, bursts, limits)
    assert (len(passed), closed) == (1000, False)
    passed, closed = arrival_times(1000, {number: 0.5 for number in bursts}, limits)
    assert closed and len(passed) < 600


def test_a_burst_of_sixty_then_twenty_a_second():
    now = 0.0
    rate = RateLimit(SocketLimits().burst, SocketLimits().per_second, lambda: now)
    assert [rate.take() for _ in range(60)] == [0.0] * 60
    for _ in range(5):
        pause = rate.take()
        assert pause == pytest.approx(0.05)
        now += pause
    now += 1.0
    assert [rate.take() for _ in range(20)] == [0.0] * 20
    assert rate.take() == pytest.approx(0.05)
    now += 3600.0
    assert [rate.take() for _ in range(60)] == [0.0] * 60
    assert rate.take() > 0


def test_nothing_is_sent_on_a_socket_that_was_closed():
    arriving, sent = [{"type": "websocket.receive", "text": "no"}], []

    async def receive():
        return arriving.pop(0)

    async def send(message):
        sent.append(message["type"])

    async def run():
        socket = _Socket({}, receive, SendBuffer(receive, send, FEW, UnsentBytes(FEW)), FEW)
        assert (await socket.receive())["type"] == "websocket.disconnect"
        with pytest.raises(OSError, match="closed"):
            await socket.send({"type": "websocket.send", "bytes": b"late"})

    run_in_thread(run())
    assert sent == ["websocket.close"]


@pytest.mark.parametrize("name", ["burst", "per_second", "patience", "message_bytes", "per_address"])
def test_a_limit_of_zero_raises_an_error(name: str):
    with pytest.raises(ValueError, match="greater than 0"):
        SocketLimits(**{name: 0})


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
