"""Of the messages of a socket only a reader's get through, at a reader's pace and size."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from server.limits import SocketLimits
from server.websocket_messages import Allowance, ReadersMessages, _Socket
from tests.elsewhere import run_elsewhere
from tests.server.asgi import Inside, ask

FEW = SocketLimits(at_once=3, a_second=1000, patience=5, message_bytes=100)


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


def heard(frames: list[dict], limits: SocketLimits | None = None) -> tuple[list[dict], int | None]:
    """What got through, and the code with which the socket was closed, if it was."""
    inside = Inside()
    sent = ask(ReadersMessages(inside, limits, patience=0), "/_stcore/stream", kind="websocket", frames=frames)
    closed = [message["code"] for message in sent if message["type"] == "websocket.close"]
    return inside.received, closed[0] if closed else None


def places(files: int) -> dict:
    message = BackMsg()
    message.file_urls_request.file_names.extend(["a"] * files)
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def controls(count: int, *values: int) -> dict:
    """What a page would send that has so many controls, with several values in the first one."""
    message = BackMsg()
    for number in range(count):
        message.rerun_script.widget_states.widgets.add(id=f"$$ID-{number}-None")
    message.rerun_script.widget_states.widgets[0].int_array_value.data.extend(values)
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


UNWANTED = [
    frame("clear_cache"),
    frame("set_run_on_save"),
    frame("set_run_on_save", False),
    frame("load_git_info"),
    frame("debug_disconnect_websocket"),
    frame("debug_shutdown_runtime"),
    places(11),
    controls(2001),
    controls(1, *range(2000)),
    operation("install_skills"),
    operation("dismiss_skills_nudge"),
    {"type": "websocket.receive", "bytes": b""},
    {"type": "websocket.receive", "bytes": b"\xa0\x06\x01"},  # a field that this version does not know
]


@pytest.mark.parametrize("message", UNWANTED, ids=lambda message: message["bytes"][:20].hex() or "empty")
def test_what_no_reader_s_browser_sends_does_nothing(message: dict):
    assert heard([message, rerun()]) == ([rerun()], None)


WANTED = [
    rerun("text=A"),
    places(1),
    places(10),
    controls(1000, *range(1000)),
    frame("stop_script"),
    frame("app_heartbeat"),
    operation("deferred_file"),
]


@pytest.mark.parametrize("message", [*WANTED, operation("dataframe_chunk")], ids=lambda m: m["bytes"][:20].hex())
def test_what_a_reader_s_browser_sends_gets_through_unchanged(message: dict):
    assert heard([message]) == ([message], None)


def test_every_kind_of_message_is_decided_on():
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
def test_what_cannot_be_meant_closes_the_socket(message: dict, code: int):
    assert heard([rerun(), message, rerun()], FEW) == ([rerun()], code)


def test_a_message_as_large_as_allowed_gets_through():
    message = rerun("a" * 96)
    assert len(message["bytes"]) == 100
    assert heard([message], FEW) == ([message], None)


def test_more_downloads_than_a_reader_asks_for_are_not_made():
    download = operation("deferred_file")
    assert heard([download] * 40 + [rerun()]) == ([download] * 30 + [rerun()], None)


class Clock:
    """A time that passes only where somebody waits."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    async def wait(self, seconds: float) -> None:
        self.now += seconds


def paced(count: int, pauses: dict[int, float], limits: SocketLimits) -> tuple[list[float], bool]:
    """When each of so many messages got through, and whether the socket was closed.

    Args:
        pauses: seconds by which the sender pauses before a message.
    """
    clock, sent, arrived, through = Clock(), [], iter(range(count)), []

    async def receive():
        number = next(arrived, None)
        clock.now += pauses.get(number, 0.0)
        return rerun() if number is not None else {"type": "websocket.disconnect"}

    async def send(message):
        sent.append(message)

    async def run():
        socket = _Socket(receive, send, limits, clock, clock.wait, patience=0)
        while (await socket.receive())["type"] == "websocket.receive":
            through.append(clock.now)

    run_elsewhere(run())
    return through, [message.get("code") for message in sent] == [1008]


def test_a_flood_is_delayed_and_then_closed():
    through, closed = paced(1000, {}, SocketLimits())
    assert len(through) == 60 + 200 and closed
    assert through[:60] == [0.0] * 60
    assert through[60:] == pytest.approx([0.05 * late for late in range(1, 201)])


def test_who_was_quiet_for_a_while_starts_anew():
    limits = SocketLimits()
    bursts = {number: 3.0 + 1e-9 for number in range(150, 1000, 150)}
    through, closed = paced(1000, bursts, limits)
    assert (len(through), closed) == (1000, False)
    through, closed = paced(1000, {number: 0.5 for number in bursts}, limits)
    assert closed and len(through) < 600


def test_sixty_at_once_and_twenty_a_second():
    now = 0.0
    allowance = Allowance(SocketLimits().at_once, SocketLimits().a_second, lambda: now)
    assert [allowance.take() for _ in range(60)] == [0.0] * 60
    for _ in range(5):
        pause = allowance.take()
        assert pause == pytest.approx(0.05)
        now += pause
    now += 1.0
    assert [allowance.take() for _ in range(20)] == [0.0] * 20
    assert allowance.take() == pytest.approx(0.05)
    now += 3600.0
    assert [allowance.take() for _ in range(60)] == [0.0] * 60
    assert allowance.take() > 0


def test_nothing_is_sent_on_a_socket_that_was_closed():
    arriving, sent = [{"type": "websocket.receive", "text": "no"}], []

    async def receive():
        return arriving.pop(0)

    async def send(message):
        sent.append(message["type"])

    async def run():
        socket = _Socket(receive, send, FEW)
        assert (await socket.receive())["type"] == "websocket.disconnect"
        with pytest.raises(OSError, match="closed"):
            await socket.send({"type": "websocket.send", "bytes": b"late"})

    run_elsewhere(run())
    assert sent == ["websocket.close"]


@pytest.mark.parametrize("name", ["at_once", "a_second", "patience", "message_bytes", "an_address"])
def test_a_limit_that_lets_nobody_in_is_refused(name: str):
    with pytest.raises(ValueError, match="greater than 0"):
        SocketLimits(**{name: 0})
