"""A rerun message waits until the run before it has read its own message; one of a page that was left never runs."""

from __future__ import annotations

import asyncio

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.limits import SocketLimits
from server.websocket_messages import SendBuffer, UnsentBytes, _Socket
from tests.coroutines import run_in_thread

MOMENT = 0.02  # seconds after which a message that is not delayed has passed


def rerun(fragment: str = "", kind: str = "rerun_script", page: str = "") -> dict:
    message = BackMsg()
    getattr(message, kind).SetInParent() if kind == "rerun_script" else setattr(message, kind, True)
    if fragment:
        message.rerun_script.fragment_id = fragment
    if page:
        message.rerun_script.page_script_hash = page
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def app_message(kind: str, page: str = "") -> dict:
    """A message of the app; of a fragment's run, with its id after a space; `page` is the page of a navigation."""
    kind, *fragments = kind.split()
    message = ForwardMsg()
    message.metadata.run.fragment_ids.extend(fragments)
    if kind == "script_finished":
        message.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    elif kind == "ref_hash":
        message.ref_hash = "a"
    elif page and kind == "navigation":
        message.navigation.page_script_hash = page
    else:
        getattr(message, kind).SetInParent()
    return {"type": "websocket.send", "bytes": message.SerializeToString()}


def count_passed(arriving: list[dict], sent: list[str], patience: float = 60.0) -> tuple[int, int]:
    """How many messages reach the app before and after it has sent something."""
    reached, left = [], list(arriving)

    async def receive() -> dict:
        return left.pop(0) if left else await asyncio.Future()

    async def send(message: dict) -> None:
        pass

    async def read(socket: _Socket) -> None:
        while True:
            reached.append(await socket.receive())

    async def connection() -> tuple[int, int]:
        limits = SocketLimits()
        socket = _Socket({}, receive, SendBuffer(receive, send, limits, UnsentBytes(limits)), limits, patience=patience)
        reading = asyncio.create_task(read(socket))
        await asyncio.sleep(MOMENT)
        before = len(reached)
        for kind in sent:
            await socket.send(app_message(kind))
            await asyncio.sleep(MOMENT / 10)  # messages that may pass now do
        await asyncio.sleep(MOMENT)
        reading.cancel()
        return before, len(reached)

    return run_in_thread(connection())


@pytest.mark.parametrize("rendered", ["delta", "ref_hash", "script_finished"])
@pytest.mark.parametrize("second", [rerun(), rerun("part")])
def test_the_next_message_waits_until_the_run_renders(second: dict, rendered: str):
    assert count_passed([rerun(), second], ["new_session", "navigation", rendered]) == (1, 2)


@pytest.mark.parametrize(
    "sent", [[], ["new_session"], ["new_session", "navigation"], ["delta"], ["delta", "new_session"]]
)
def test_messages_before_its_first_element_or_of_an_older_run_do_not_count(sent: list[str]):
    assert count_passed([rerun(), rerun()], sent) == (1, 1)


def test_a_fragment_s_run_delays_nothing():
    assert count_passed([rerun(), rerun("part"), rerun("part"), rerun()], ["new_session", "delta"]) == (1, 4)


@pytest.mark.parametrize(
    ("sent", "reached"),
    [
        (["new_session part", "delta", "delta"], 4),
        (["new_session part", "delta"], 3),  # Streamlit's own: the fragment's container
        (["new_session part", "script_finished"], 4),
        (["new_session part"], 3),
        (["delta"], 3),  # of the page's run, which goes on
        (["new_session other", "delta", "delta"], 3),
    ],
)
def test_another_page_waits_until_the_fragment_renders(sent: list[str], reached: int):
    page_run = ["new_session", "delta"]
    arriving = [rerun(page="a"), rerun("other", page="a"), rerun("part", page="a"), rerun(page="b")]
    assert count_passed(arriving, page_run + sent) == (1, reached)


def test_the_same_page_does_not_wait_for_its_fragments():
    """Its message contains all values that theirs contained."""
    arriving = [rerun(page="a"), rerun("part", page="a"), rerun(page="a")]
    assert count_passed(arriving, ["new_session", "delta"]) == (1, 3)


def test_a_fragment_s_run_does_not_count_as_the_page_s():
    assert count_passed([rerun(), rerun()], ["new_session part", "delta"]) == (1, 1)


def test_the_first_run_of_a_socket_is_the_whole_page_with_all_values():
    """Its server may not have rendered the page, and then knows none of its fragments.

    So is what a button to cancel sends: a fragment's run would wait for the end of what is to be cancelled.
    """
    first, second, third = messages = BackMsg(), BackMsg(), BackMsg()
    for message in messages:
        message.rerun_script.fragment_id = "part"
        message.rerun_script.query_string = "text=A"
        message.rerun_script.page_script_hash = "page"
        message.rerun_script.widget_states.widgets.add(id="$$ID-1-kind", string_value="cross")
    second.rerun_script.widget_states.widgets.add(id="$$ID-2-cancel_measure", trigger_value=False)
    third.rerun_script.widget_states.widgets.add(id="$$ID-2-cancel_measure", trigger_value=True)
    arriving = [{"type": "websocket.receive", "bytes": message.SerializeToString()} for message in messages]

    async def receive() -> dict:
        return arriving.pop(0)

    async def connection() -> list[BackMsg]:
        socket = _Socket(
            {},
            receive,
            SendBuffer(receive, receive, SocketLimits(), UnsentBytes(SocketLimits())),
            SocketLimits(),
            patience=0.001,
        )
        return [BackMsg.FromString((await socket.receive())["bytes"]) for _ in messages]

    received = run_in_thread(connection())
    first.rerun_script.fragment_id = third.rerun_script.fragment_id = ""
    assert received == list(messages)


def request_page(page: str, query: str, history: bool = False) -> dict:
    """The message of a control or a link, or of Back or Forward."""
    message = BackMsg()
    message.rerun_script.page_script_hash, message.rerun_script.query_string = page, query
    message.rerun_script.is_history_navigation = history
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def passed(arriving: list[dict], opened: str = "") -> list[dict]:
    """The messages that reach the app; if the first run opens a page, the app answers it with the id of that page."""
    last = rerun(kind="app_heartbeat")
    left, reached = [*arriving, last], []

    async def receive() -> dict:
        return left.pop(0)

    async def send(message: dict) -> None:
        pass

    async def connection() -> None:
        limits = SocketLimits()
        socket = _Socket({}, receive, SendBuffer(receive, send, limits, UnsentBytes(limits)), limits, patience=0.001)
        while not reached or reached[-1] != last:
            reached.append(await socket.receive())
            for kind in ("new_session", "navigation", "delta") if opened and len(reached) == 1 else ():
                await socket.send(app_message(kind, opened))

    run_in_thread(connection())
    return reached[:-1]


def test_a_fragment_of_the_page_that_was_left_never_runs():
    """Streamlit would run it after the new page, as of the old one, and the browser would clear the new page for it."""
    to_b, late = rerun(page="b"), rerun("part", page="a")
    assert passed([rerun(page="a"), to_b, late, rerun("other", page="b")]) == [
        rerun(page="a"),
        to_b,
        rerun("other", page="b"),
    ]


@pytest.mark.parametrize("second", [request_page("b", "moved=1", history=True), rerun(page="b")])
def test_the_first_page_of_a_visit_is_left_too(second: dict):
    """Its request has no id of the page, but a name; the app's answer has the id."""
    arriving = [rerun(), second, rerun("part", page="a"), rerun("part", page="b")]
    assert passed(arriving, opened="a") == [rerun(), second, rerun("part", page="b")]


def test_every_page_that_was_left_before_an_answer_counts():
    arriving = [rerun(page="a"), rerun(page="b"), rerun(page="c"), rerun("part", page="a"), rerun("part", page="b")]
    assert passed([*arriving, rerun("part", page="c")]) == [*arriving[:3], rerun("part", page="c")]


@pytest.mark.parametrize("again", [rerun(page="a"), request_page("a", "moved=2", history=True)])
def test_fragments_of_a_page_that_is_requested_again_run(again: dict):
    arriving = [rerun(page="a"), rerun(page="b"), again, rerun("part", page="a")]
    assert passed(arriving) == arriving


def test_fragments_of_a_page_that_the_app_went_to_by_itself_run():
    arriving = [rerun(page="a"), rerun(page="missing"), rerun("part", page="default")]
    assert passed(arriving) == arriving


def test_after_back_a_control_of_the_page_that_was_left_changes_nothing_and_its_link_opens_it():
    """Both request the page that was left; the control's message repeats the query of Back, the link's does not."""
    arriving = [rerun(page="a"), request_page("b", "text=A&moved=1", history=True)]
    control, link = request_page("a", "text=A&moved=1"), request_page("a", "text=A")
    assert passed([*arriving, control, link]) == [*arriving, link]


def test_after_back_to_the_same_page_its_controls_are_applied():
    arriving = [rerun(page="a"), request_page("a", "text=A&moved=1", history=True), request_page("a", "text=A&moved=1")]
    assert passed(arriving) == arriving


@pytest.mark.parametrize("kind", ["app_heartbeat", "stop_script"])
def test_messages_that_request_no_run_do_not_wait(kind: str):
    assert count_passed([rerun(), rerun(kind=kind)], []) == (2, 2)


def test_no_message_is_delayed_for_ever():
    assert count_passed([rerun(), rerun(), rerun()], [], patience=MOMENT / 10) == (3, 3)
