"""A message that asks for a run waits until the run before it has looked at its own."""

from __future__ import annotations

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.limits import SocketLimits
from server.websocket_messages import _Socket
from tests.elsewhere import run_elsewhere

MOMENT = 0.02  # seconds in which a message that may pass has passed


def asking(fragment: str = "", kind: str = "rerun_script", page: str = "") -> dict:
    message = BackMsg()
    getattr(message, kind).SetInParent() if kind == "rerun_script" else setattr(message, kind, True)
    if fragment:
        message.rerun_script.fragment_id = fragment
    if page:
        message.rerun_script.page_script_hash = page
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def told(kind: str) -> dict:
    """What the app sends; of a run of a part, with its name after a space."""
    kind, *parts = kind.split()
    message = ForwardMsg()
    message.metadata.run.fragment_ids.extend(parts)
    if kind == "script_finished":
        message.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    elif kind == "ref_hash":
        message.ref_hash = "a"
    else:
        getattr(message, kind).SetInParent()
    return {"type": "websocket.send", "bytes": message.SerializeToString()}


def passed(arriving: list[dict], sent: list[str], patience: float = 60.0) -> tuple[int, int]:
    """How many messages reach the app before, and after, it has sent something."""
    reached, left = [], list(arriving)

    async def receive() -> dict:
        return left.pop(0) if left else await asyncio.Future()

    async def send(message: dict) -> None:
        pass

    async def read(socket: _Socket) -> None:
        while True:
            reached.append(await socket.receive())

    async def connection() -> tuple[int, int]:
        socket = _Socket(receive, send, SocketLimits(), patience=patience)
        reading = asyncio.create_task(read(socket))
        await asyncio.sleep(MOMENT)
        before = len(reached)
        for kind in sent:
            await socket.send(told(kind))
            await asyncio.sleep(MOMENT / 10)  # what may pass now does
        await asyncio.sleep(MOMENT)
        reading.cancel()
        return before, len(reached)

    return run_elsewhere(connection())


@pytest.mark.parametrize("drawn", ["delta", "ref_hash", "script_finished"])
@pytest.mark.parametrize("second", [asking(), asking("part")])
def test_the_next_message_waits_until_the_run_has_drawn(second: dict, drawn: str):
    assert passed([asking(), second], ["new_session", "navigation", drawn]) == (1, 2)


@pytest.mark.parametrize(
    "sent", [[], ["new_session"], ["new_session", "navigation"], ["delta"], ["delta", "new_session"]]
)
def test_what_comes_before_its_first_drawing_or_of_an_older_run_does_not_count(sent: list[str]):
    assert passed([asking(), asking()], sent) == (1, 1)


def test_a_part_of_the_page_holds_nothing_back():
    assert passed([asking(), asking("part"), asking("part"), asking()], ["new_session", "delta"]) == (1, 4)


@pytest.mark.parametrize(
    ("sent", "reached"),
    [
        (["new_session part", "delta", "delta"], 4),
        (["new_session part", "delta"], 3),  # Streamlit's own: the place of the part
        (["new_session part", "script_finished"], 4),
        (["new_session part"], 3),
        (["delta"], 3),  # of the page's run, which goes on
        (["new_session other", "delta", "delta"], 3),
    ],
)
def test_another_page_waits_until_the_part_has_drawn(sent: list[str], reached: int):
    begun = ["new_session", "delta"]
    arriving = [asking(page="a"), asking("other", page="a"), asking("part", page="a"), asking(page="b")]
    assert passed(arriving, begun + sent) == (1, reached)


def test_the_same_page_does_not_wait_for_its_parts():
    """It is told all that they were told."""
    arriving = [asking(page="a"), asking("part", page="a"), asking(page="a")]
    assert passed(arriving, ["new_session", "delta"]) == (1, 3)


def test_a_run_of_a_part_is_not_taken_for_that_of_the_page():
    assert passed([asking(), asking()], ["new_session part", "delta"]) == (1, 1)


def test_what_a_socket_asks_for_first_is_the_whole_page_with_all_that_was_said():
    """Its server may not have drawn the page, and knows no part of it then."""
    first, second = BackMsg(), BackMsg()
    for message in (first, second):
        message.rerun_script.fragment_id = "part"
        message.rerun_script.query_string = "text=A"
        message.rerun_script.page_script_hash = "page"
        message.rerun_script.widget_states.widgets.add(id="$$ID-1-kind", string_value="cross")
    arriving = [{"type": "websocket.receive", "bytes": message.SerializeToString()} for message in (first, second)]

    async def receive() -> dict:
        return arriving.pop(0)

    async def connection() -> list[BackMsg]:
        socket = _Socket(receive, receive, SocketLimits(), patience=0.001)
        return [BackMsg.FromString((await socket.receive())["bytes"]) for _ in range(2)]

    seen = run_elsewhere(connection())
    first.rerun_script.fragment_id = ""
    assert seen == [first, second]


@pytest.mark.parametrize("kind", ["app_heartbeat", "stop_script"])
def test_what_asks_for_no_run_does_not_wait(kind: str):
    assert passed([asking(), asking(kind=kind)], []) == (2, 2)


def test_nothing_is_held_back_for_ever():
    assert passed([asking(), asking(), asking()], [], patience=MOMENT / 10) == (3, 3)
