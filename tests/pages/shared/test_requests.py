"""Every request gets an answer, is done once, and is not done where it is about something else."""

import hypothesis.strategies as st
import pytest
from hypothesis import given

from model import DecodingOptions, InputError, InterventionError
from pages.shared.requests import OutdatedError, RefusedError, answer_request, state_token
from views.components.requests import INVALID, ComponentRequest, InvalidRequest

ERRORS = {
    "input": InputError("There is nothing to translate."),
    "pull": InterventionError("There is no key 40."),
    "refused": RefusedError("Press Enter."),
    "gone": OutdatedError(),
}
STATES = st.sampled_from(["one", "two"])
REQUESTS = st.builds(ComponentRequest, st.integers(0, 6), STATES) | st.builds(InvalidRequest, st.integers(0, 6), STATES)
# what comes, the state of the page then, and how doing it ends
MESSAGES = st.tuples(REQUESTS, STATES, st.sampled_from(["done", *ERRORS]))


@given(st.lists(MESSAGES, max_size=30))
def test_every_request_is_answered_and_done_at_most_once(messages):
    last, done = {}, []
    for request, state, end in messages:

        def compute(asked, state=state, end=end):
            done.append(asked.serial)
            assert asked.state == state and not isinstance(asked, InvalidRequest)
            if end in ERRORS:
                raise ERRORS[end]
            return {"of": asked.serial}

        latest, count = last.get("serial", -1), len(done)
        answer = answer_request(request, state, last, compute)
        assert answer["serial"] == request.serial
        assert answer["status"] in ("done", "refused", "outdated")
        assert ("reason" in answer) == (answer["status"] == "refused") and answer.get("reason", "x").endswith(
            ("x", ".")
        )
        if request.serial == latest:
            assert answer == last and len(done) == count
        elif request.serial < latest or (request.state != state and not isinstance(request, InvalidRequest)):
            assert answer == {"serial": request.serial, "status": "outdated"} and len(done) == count
        elif isinstance(request, InvalidRequest):
            assert answer["reason"] == INVALID() and len(done) == count
        else:
            assert len(done) == count + 1
            assert answer["status"] == {"done": "done", "gone": "outdated"}.get(end, "refused")
        if request.serial > latest:
            last = answer
    assert len(done) == len(set(done)) and done == sorted(done)


@given(st.text(max_size=20), st.text(max_size=20), st.integers(0, 3), st.integers(0, 3))
def test_a_state_is_that_of_one_sentence_and_its_options(one, other, seed, other_seed):
    options = [DecodingOptions("sampling", seed=each) for each in (seed, other_seed)]
    same = one == other and seed == other_seed
    assert (state_token(one, options[0]) == state_token(other, options[1])) == same


@pytest.mark.parametrize("text", ["\ud800", ""])
def test_any_text_has_a_state(text):
    assert len(state_token(text, DecodingOptions())) == 24
