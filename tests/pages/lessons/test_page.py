"""The page *Lessons*: every lesson opens, its figures have what can be picked, and its numbers are the network's."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree

import pytest

from model.course import attention_outcomes, decoder_outcomes, sentences, stream_outcomes
from pages.lessons.page import CONTENTS
from tests.pages.conftest import visit
from tests.pages.pseudo import uncatalogued_texts
from tests.tiers import nightly
from views.lessons import BY_ID, LESSONS

OWN = "She gave her sister a red book because it was late."


def opened(**query: str) -> dict:
    """Return the payload of the lesson that an address opens."""
    (lesson,) = [
        part for part in visit("lessons", **query).get("bidi_component") if part.proto.component_name == "course_lesson"
    ]
    return json.loads(lesson.proto.json)


def picks(svg: str, of: str) -> list[str]:
    """Return the options that can be picked in a figure for a question."""
    nodes = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}g")
    return [node.attrib["data-option"] for node in nodes if node.get("data-of") == of]


def check(payload: dict) -> None:
    """Every question has its answer among what can be chosen, and all texts are filled in."""
    before, after = payload["figures"][:2]
    for question, figure in ((payload["ask"], before), (payload["last"], after)):
        options = [id for id, _ in question["options"]] or picks(
            figure, "ask" if question is payload["ask"] else "last"
        )
        assert len(options) == len(set(options)) > 1 and {question["right"], *question["near"]} <= set(options)
    assert picks(before, "ask") == [] or not payload["ask"]["options"]
    assert set(payload["ask"]["because"]) == set([id for id, _ in payload["ask"]["options"]] or picks(before, "ask"))
    texts = json.dumps([payload[name] for name in ("aim", "ask", "last", "misconception")])
    assert "{" not in re.sub(r"[{}]\W", "", texts) and "nan" not in texts.split() and "](" not in texts
    assert all(payload["links"]) and len(before) < 64_000


@pytest.mark.parametrize("id", BY_ID)
def test_a_lesson_opens_with_its_own_sentence(id):
    payload = opened(lesson=id)
    assert payload["lesson"] == id and len(payload["lessons"]) == 12
    check(payload)


@pytest.mark.parametrize(
    "id", ["attention-ribbons", *(nightly(id, id=id) for id in sentences.FIXED if id != "attention-ribbons")]
)
def test_a_lesson_reads_the_user_s_sentence(id):
    own, ours = opened(lesson=id, sentence="yours", text=OWN), opened(lesson=id, text=OWN)
    check(own)
    assert (own["figures"], own["last"]) != (ours["figures"], ours["last"])


def test_the_numbers_are_those_of_the_network(translator):
    payload = opened(lesson="attention-ribbons")
    trace = translator.trace(sentences.FIXED["attention-ribbons"])
    result = attention_outcomes.read_ribbons(trace, 3)
    weight = trace.cross_attention[3].mean(axis=0)[result.place].max()
    assert payload["ask"]["right"] == str(result.weights[result.place].argmax())
    lead, rest = payload["ask"]["because"][payload["ask"]["right"]]
    assert lead == "Yes:" and f"\u201cchair\u201d most, {weight:.3f}." in rest
    trace = translator.trace(sentences.FIXED["loss-tokens"])
    loss = decoder_outcomes.largest_loss(trace)
    assert f"{loss.terms.max():.3f}" in opened(lesson="loss-tokens")["ask"]["because"][loss.largest.right][1]
    trace = translator.trace(sentences.FIXED["positions-table"])
    order = stream_outcomes.without_positions(translator.network, translator.tokenizer, trace)
    assert order.text in opened(lesson="positions-table")["figures"][1]


def test_a_sentence_that_a_lesson_cannot_draw_gets_a_reason():
    for lesson, text, reason in (
        ("masks-causality", "word " * 40, "draws at most 32 tokens and this sentence has 40"),
        ("masks-causality", " ", "nothing to translate"),
        ("tokens-step-by-step", "12 + 3", "no word that can be followed"),
    ):
        app = visit("lessons", lesson=lesson, sentence="yours", text=text)
        assert reason in app.warning[0].value and len(app.warning) == 1
        (shown,) = [part for part in app.get("bidi_component") if part.proto.component_name == "course_lesson"]
        assert json.loads(shown.proto.json)["ask"] == opened(lesson=lesson)["ask"]


def test_the_end_and_former_ids():
    end = opened(lesson="end")
    assert end["ask"] is None and len(end["links"]) == 3
    assert any("circuits" in json.dumps(link) for link in opened(lesson="attention-limits")["links"])
    assert opened(lesson="tokens-sizes")["lesson"] == "tokens-step-by-step"
    assert opened(lesson="unknown")["lesson"] == opened()["lesson"] == LESSONS[0].id


@pytest.mark.parametrize(
    "id", ["history-one-word", *(nightly(id, id=id) for id in (*BY_ID, "end") if id != "history-one-word")]
)
def test_texts_are_in_the_catalogue(in_pseudo, id):
    assert uncatalogued_texts(in_pseudo("lessons", lesson=id)) == []


def test_every_lesson_has_its_content_and_a_sentence_or_a_picture():
    assert set(CONTENTS) == set(BY_ID) == {*sentences.FIXED, "vision-cls"}
