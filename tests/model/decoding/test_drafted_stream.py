"""Greedy decoding with a draft: the tokens of plain greedy decoding, in fewer passes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model import Translator
from model.decoding.drafted_stream import stream_with_draft
from model.decoding.search import DecodingOptions, stream
from model.networks.config import POSITION_KINDS
from tests.model.networks import random_ids, tiny_network

SOURCE = [*random_ids(6).tolist(), 3]
WORDS = (
    "The old teacher's sister didn't buy three red bicycles near the new station , because 12 people were very tired ."
)


def steps_of(network, source, draft=None, limit=12):
    if draft is None:
        return list(stream(network, source, DecodingOptions(max_length=limit)))
    return list(stream_with_draft(network, source, draft, limit))


def assert_same(steps, expected, tolerance=2e-6):
    assert [step.ids for step in steps] == [step.ids for step in expected]
    assert [step.finished for step in steps] == [step.finished for step in expected]
    for step, other in zip(steps, expected, strict=True):
        assert step.id == other.id and step.probability == pytest.approx(other.probability, abs=tolerance)
        assert [value for _, value in step.top] == pytest.approx([value for _, value in other.top], abs=tolerance)


@pytest.fixture(scope="module")
def translator() -> Translator:
    return Translator.load(device="cpu")


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(4, 63), max_size=7), st.lists(st.integers(0, 63), max_size=14), st.integers(1, 12))
def test_any_draft_gives_the_greedy_translation(words, draft, limit):
    network, source = tiny_network(2), [*words, 3]
    expected = steps_of(network, source, limit=limit)
    for given_draft in (draft, [*expected[-1].ids[:2], *draft], [*expected[-1].ids, *draft]):
        assert_same(steps_of(network, source, given_draft, limit), expected)


@pytest.mark.parametrize("positions", POSITION_KINDS)
def test_positions_of_every_kind(positions):
    network = tiny_network(1, positions=positions)
    expected = steps_of(network, SOURCE)
    wrong = [*expected[-1].ids[:5], 7, *expected[-1].ids[5:]]
    for draft in (expected[-1].ids, wrong, [5] * 20):
        assert_same(steps_of(network, SOURCE, draft), expected)


@settings(max_examples=4, deadline=None)
@given(st.permutations(WORDS.split()), st.integers(3, 7))
def test_a_sentence_typed_word_by_word(translator, words, length):
    former = None
    for count in range(length - 2, length + 1):
        source = translator.read_ids(" ".join(words[:count]))
        expected = steps_of(translator.network, source, limit=40)
        if former is not None:
            assert_same(steps_of(translator.network, source, former, 40), expected, 1e-5)
        former = expected[-1].ids


def test_a_correct_draft_takes_one_pass_and_a_wrong_one_no_more_than_none(monkeypatch):
    network, passes = tiny_network(1), []
    project = type(network).project
    monkeypatch.setattr(type(network), "project", lambda own, hidden: passes.append(1) or project(own, hidden))
    expected = steps_of(network, SOURCE)
    without = len(passes)
    passes.clear()
    steps_of(network, SOURCE, expected[-1].ids)
    assert len(passes) == 1 < without
    passes.clear()
    steps_of(network, SOURCE, [23] * 12)
    assert len(passes) <= without


def test_the_public_stream_takes_a_draft_of_greedy_decoding_alone(translator):
    text = "She is wearing a small red dress."
    plain = list(translator.stream(text))
    for draft in (plain[-1].ids, [9, 8, 7]):
        drafted = list(translator.stream(text, draft=draft))
        assert [(step.id, step.text, step.token) for step in drafted] == [
            (step.id, step.text, step.token) for step in plain
        ]
    beam = DecodingOptions("beam", beam=2)
    assert list(translator.stream(text, beam, draft=[9, 8, 7])) == list(translator.stream(text, beam))
