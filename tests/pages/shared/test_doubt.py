"""Doubtful tokens are underlined in every line of a translation, and what that means is stated once."""

import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from model import DecodingOptions
from model.decoding.doubt import Doubt, DoubtThresholds
from model.runtime.checkpoint import AlteredFileError
from pages.shared import doubt as module
from pages.shared.models import load_service
from tests.pages.conftest import SENTENCE, html_of, visit
from views.html import generated_tokens

UNSURE = "My uncle's grumpy parrot recites tax law in the attic."
MARK = re.compile(r'<u class="aa-doubt" data-doubt="unsure">(.*?)</u>')
MEANS = {"below": {"sentences": 719, "bleu": 32.72}, "above": {"sentences": 1281, "bleu": 68.35}}
THRESHOLDS = DoubtThresholds(0.39, 0.79, {"heldout": {"means": MEANS}})
SERVICE = SimpleNamespace(model=SimpleNamespace(doubt_thresholds=THRESHOLDS))


def expected_marks(translator, text: str) -> list[str]:
    """The words whose tokens have a low probability, from the logits."""
    trace, threshold = translator.trace(text), translator.doubt_thresholds.token
    logits = trace.logits.astype(np.float64)
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    low = [chances[place, token] < threshold for place, token in enumerate(trace.next_ids)]
    whole, marked, carried = trace.target_text, set(), False
    for doubtful, (start, end) in zip(low, translator.tokenizer.spans(trace.next_ids), strict=True):
        carried |= doubtful  # a token without text of its own belongs to the next one
        if end > start:
            marked |= set(range(start, end)) if carried else set()
            carried = False
    joined = [
        place in marked or (whole[place] == " " and {place - 1, place + 1} <= marked) for place in range(len(whole))
    ]
    return re.findall("[^|]+", "".join(char if inside else "|" for char, inside in zip(whole, joined, strict=True)))


@pytest.mark.parametrize("page", ["translate", "attention", "heads", "attribution"])
def test_a_page_underlines_what_has_a_low_probability(translator, page):
    marks = expected_marks(translator, UNSURE)
    assert marks
    html = html_of(visit(page, text=UNSURE))
    assert MARK.findall(html) == marks
    assert html.count("Wavy underline: tokens with a probability below 0.39.") == 1


def test_a_sure_translation_has_neither_mark_nor_note(translator):
    html = html_of(visit("attention"))
    assert expected_marks(translator, SENTENCE) == [] and "aa-doubt" not in html and "aa-note" not in html


def test_both_sides_of_a_comparison_are_marked_and_explained_once(translator):
    html = html_of(visit("compare", text=UNSURE, headskept="scale:cross:4.1.2.3.4.5.6.7.8:0.9", heads3=""))
    sides = html.split('class="aa-text"')[1:]
    assert len(sides) == 2 and MARK.findall(sides[0]) == expected_marks(translator, UNSURE)
    assert html.count("Wavy underline") == 1


@pytest.mark.parametrize("method", ["greedy", "sampling", "beam"])
def test_steps_and_the_pass_over_the_translation_agree(method):
    service, options = load_service(), DecodingOptions(method, beam=3, temperature=1.5, seed=4)
    steps = service.steps(UNSURE, options)
    from_steps = module.doubt_of_steps(service, UNSURE, steps)
    traced = module.doubt_of_trace(service, service.trace_of_ids(UNSURE, steps[-1].ids))
    assert from_steps.text == traced.text == steps[-1].text and from_steps.spans == traced.spans
    assert from_steps.mean == pytest.approx(traced.mean, abs=1e-4)


def test_the_note_states_what_is_marked_and_how_good_such_translations_are():
    sure, marked = Doubt("Oui.", (), 0.9), Doubt("Non.", ((0, 3),), 0.85)
    low = Doubt("Non.", (), 0.5, True)
    assert module.explain_doubt(SERVICE, [sure, sure]) == ""
    assert module.explain_doubt(SERVICE, [sure, marked, marked]) == (
        "Wavy underline: tokens with a probability below 0.39."
    )
    sentence = (
        "The model is unsure: the geometric mean of its tokens\u2019 probabilities is 0.500. On the 719 held-out "
        "sentences with a mean below 0.79 BLEU is 32.7, on the other 1,281 it is 68.3."
    )
    assert module.explain_doubt(SERVICE, [low]) == sentence
    assert module.explain_doubt(SERVICE, [marked, low]).endswith(sentence)
    assert module.note_html(SERVICE, [sure]) == ""


def test_other_models_and_altered_files_mark_nothing():
    assert module.thresholds_of(SimpleNamespace(model=object())) is None
    assert module.explain_doubt(SimpleNamespace(model=object()), [Doubt("a")]) == ""

    class Altered:
        @property
        def doubt_thresholds(self):
            raise AlteredFileError("doubt.json does not match.")

    altered = SimpleNamespace(model=Altered())
    assert module.thresholds_of(altered) is None
    assert module.explain_doubt(altered, [Doubt("a")]) == "doubt.json does not match."


def test_a_changed_network_is_marked_but_its_mean_states_nothing():
    service = load_service()
    trace = service.trace(UNSURE, DecodingOptions())
    own = module.doubt_of_trace(service, trace)
    generated = SimpleNamespace(ids=trace.next_ids, probabilities=np.exp(-service.model.score(trace)).tolist())
    assert module.doubt_of_generated(service, generated) == replace(own, is_low=False)


def test_marked_text_is_escaped_and_screen_readers_get_a_word():
    html = generated_tokens.sentence("a <b> & c", "fr", [(2, 5)])
    assert 'a <u class="aa-doubt" data-doubt="unsure">&lt;b&gt;</u> &amp; c' in html
    assert generated_tokens.doubtful_text("abc", ()) == "abc"
    assert MARK.findall(generated_tokens.doubtful_text("a b c", [(0, 1), (4, 5)])) == ["a", "c"]
