"""A small slice of what strangers may send, on every run; `make fuzz` sends all of it."""

from __future__ import annotations

import random

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.elsewhere import run_in_thread
from tests.fuzz import protocol
from tests.fuzz.messages import MEGABYTE, ServerKnowledge, message
from tests.fuzz.test_fuzz import PATIENCE, SEED
from tests.fuzz.texts import MARK

SORTS = ("rerun", "stop, heartbeat", "files", "operation", "developer's", "unknown", "malformed", "oversized")


@pytest.mark.nightly
def test_a_slice_beside_a_visitor_at_work():
    result = protocol.run(SEED, 300, most_seconds=PATIENCE)
    assert result.failures == {}
    assert sum(result.outcomes.get(sort, 0) for sort in SORTS) == result.cases == 300
    assert result.outcomes["views compared"] > 0


@pytest.fixture(scope="module")
def thousand():
    """Messages of a stranger who has seen something."""
    seen = ServerKnowledge("session", ["page"], ["$$ID-0-text"], ["fragment"], ["file"])
    return [message(random.Random(number), seen) for number in range(1000)]


def test_every_field_of_the_protocol_is_sent(thousand):
    kinds, operations, values = set(), set(), set()
    for sent in thousand:
        if sent.sort not in ("malformed", "unknown"):
            whole = BackMsg.FromString(sent.content)
            kinds.add(whole.WhichOneof("type"))
            operations.add(whole.backend_operation_request.WhichOneof("payload"))
            values |= {widget.WhichOneof("value") for widget in whole.rerun_script.widget_states.widgets[:100]}
    assert kinds == {field.name for field in BackMsg.DESCRIPTOR.fields}
    operation = BackMsg.DESCRIPTOR.fields_by_name["backend_operation_request"].message_type
    assert operations - {None} == {field.name for field in operation.oneofs_by_name["payload"].fields}
    assert len(values - {None}) == 15


def test_messages_are_of_every_sort_and_size(thousand):
    assert {sent.sort for sent in thousand} == set(SORTS)
    assert max(len(sent.content) for sent in thousand) > MEGABYTE
    assert any(isinstance(sent.content, str) for sent in thousand if sent.sort == "malformed")


def test_what_is_typed_bears_the_mark(thousand):
    reruns = [sent.content for sent in thousand if sent.sort == "rerun"]
    assert sum(MARK.encode() in content for content in reruns) > 0.5 * len(reruns)


def test_the_same_seed_sends_the_same():
    assert message(random.Random(7), ServerKnowledge()) == message(random.Random(7), ServerKnowledge())


class Fake:
    """A server of which nothing is there but its log."""

    url = "http://127.0.0.1:9"

    def __init__(self, log: str) -> None:
        self.log = lambda: log


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (f'{{"event": "run", "outcome": "ok", "page": "{MARK}"}}', 1),
        (f"The fragment {MARK.upper()} does not exist.", 1),
        ("Traceback (most recent call last):", 1),
        ('{"event": "run", "outcome": "error"}', 0),
        ("Invalid HTTP request received.", 0),
    ],
)
def test_what_must_not_be_in_the_log_is_found(line: str, told: int):
    found = []
    campaign = protocol.Campaign(Fake(f"Started.\n{line}\n"), SEED, lambda number, reason: found.append(reason), 1.0)
    campaign._look_into_the_log()
    assert len(found) == told == len(campaign.result.failures)


def test_a_stranger_who_cannot_reach_the_server_is_told_of():
    found = []
    campaign = protocol.Campaign(Fake(""), SEED, lambda number, reason: found.append(reason), 1.0)
    run_in_thread(campaign._send(iter([0]), 10))
    assert "stranger 0" in found[0] and campaign.result.failures
