"""A small part of the campaign over sockets; `make fuzz` sends all messages."""

from __future__ import annotations

import random

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.coroutines import run_in_thread
from tests.deploy.visitor import request
from tests.fuzz import hostile_sockets, protocol
from tests.fuzz.messages import MEGABYTE, KnownIds, random_message
from tests.fuzz.test_fuzz import PATIENCE, SEED
from tests.fuzz.texts import MARK
from tests.server.small_app import SmallServer

SORTS = ("rerun", "stop, heartbeat", "files", "operation", "developer's", "unknown", "malformed", "oversized")


@pytest.mark.nightly
def test_a_part_of_the_campaign_does_not_change_a_visitor_s_pages():
    result = protocol.run(SEED, 300, most_seconds=PATIENCE)
    assert result.failures == {}
    assert sum(result.outcomes.get(sort, 0) for sort in SORTS) == result.cases == 300
    assert result.outcomes["views compared"] > 0
    assert sum(result.outcomes.get(name, 0) for name in hostile_sockets.ATTACKS) > 0


@pytest.fixture(scope="module")
def small_server():
    with SmallServer("quick") as server:  # whose times are short
        yield server
        log = server.log()
    assert "Traceback" not in log and MARK not in log.lower(), log


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in hostile_sockets.ATTACKS if name != "nothing read"])
def test_each_hostile_client_is_ended_or_harmless(small_server: SmallServer, name: str):
    for number in range(1 if name in ("slow heads", "idle connections") else 5):
        hostile_sockets.ATTACKS[name](random.Random(f"{SEED} {name} {number}"), small_server.url)
    assert request(small_server.url, "/healthz").status == 200


def test_a_client_that_may_go_on_is_a_failure(monkeypatch):
    monkeypatch.setattr(hostile_sockets, "FLOOD", 200_000)
    with SmallServer("plain") as server, pytest.raises(hostile_sockets.NotEnded, match="without an end"):
        hostile_sockets.ATTACKS["fragments"](random.Random(1), server.url)


@pytest.fixture(scope="module")
def thousand():
    """Messages of a client that has received ids."""
    known = KnownIds("session", ["page"], ["$$ID-0-text"], ["fragment"], ["file"])
    return [random_message(random.Random(number), known) for number in range(1000)]


def test_every_field_of_the_protocol_is_sent(thousand):
    kinds, operations, values = set(), set(), set()
    for message in thousand:
        if message.sort not in ("malformed", "unknown"):
            parsed = BackMsg.FromString(message.content)
            kinds.add(parsed.WhichOneof("type"))
            operations.add(parsed.backend_operation_request.WhichOneof("payload"))
            values |= {widget.WhichOneof("value") for widget in parsed.rerun_script.widget_states.widgets[:100]}
    assert kinds == {field.name for field in BackMsg.DESCRIPTOR.fields}
    operation = BackMsg.DESCRIPTOR.fields_by_name["backend_operation_request"].message_type
    assert operations - {None} == {field.name for field in operation.oneofs_by_name["payload"].fields}
    assert len(values - {None}) == 15


def test_messages_are_of_every_sort_and_size(thousand):
    assert {sent.sort for sent in thousand} == set(SORTS)
    assert max(len(sent.content) for sent in thousand) > MEGABYTE
    assert any(isinstance(sent.content, str) for sent in thousand if sent.sort == "malformed")


def test_typed_text_contains_the_mark(thousand):
    reruns = [sent.content for sent in thousand if sent.sort == "rerun"]
    assert sum(MARK.encode() in content for content in reruns) > 0.5 * len(reruns)


def test_the_same_seed_makes_the_same_message():
    assert random_message(random.Random(7), KnownIds()) == random_message(random.Random(7), KnownIds())


class FakeServer:
    """A server that cannot be reached and has a log."""

    url = "http://127.0.0.1:9"

    def __init__(self, log: str) -> None:
        self.log = lambda: log


@pytest.mark.parametrize(
    ("line", "count"),
    [
        (f'{{"event": "run", "outcome": "ok", "page": "{MARK}"}}', 1),
        (f"The fragment {MARK.upper()} does not exist.", 1),
        ("Traceback (most recent call last):", 1),
        ('{"event": "run", "outcome": "error"}', 0),
        ("Invalid HTTP request received.", 0),
    ],
)
def test_typed_text_and_tracebacks_in_the_log_are_failures(line: str, count: int):
    failures = []
    campaign = protocol.Campaign(
        FakeServer(f"Started.\n{line}\n"), SEED, lambda number, reason: failures.append(reason), 1.0
    )
    campaign._check_log()
    assert len(failures) == count == len(campaign.result.failures)


def test_a_client_that_cannot_reach_the_server_is_a_failure():
    failures = []
    campaign = protocol.Campaign(FakeServer(""), SEED, lambda number, reason: failures.append(reason), 1.0)
    run_in_thread(campaign._send(iter([0]), 10))
    assert "client 0" in failures[0] and campaign.result.failures
