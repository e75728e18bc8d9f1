"""The parts of *Decoding* on the decoder-only network: every number equals the network's."""

import re

import numpy as np
import pytest

from model import DecodingOptions, LanguageModel
from model.language_model import SHIPPED
from model.lessons.cache_costs import cache_steps, fill_table
from model.lessons.cache_times import CacheTimes
from model.lessons.one_stack import compare_prefix, cross_block, following_ids, following_tokens, sum_heads
from pages.shared.models import load_language
from tests.pages.charts import check_caption
from tests.pages.conftest import SENTENCE, html_of
from tests.pages.reading import number, table
from tests.pages.stepped import labels, read_step_view
from views.text import glossary, literal
from views.text.numbers import three_digits

COPIES = "Tom was born in Boston in 1987."


@pytest.fixture(scope="module")
def language():
    return LanguageModel.load()


def visible(tokens) -> list[str]:
    return [literal.token(token) for token in tokens]


def text_of(app) -> str:
    return glossary.unlink_terms(" ".join(element.value for element in (*app.markdown, *app.caption)))


def test_the_picture_fills_step_by_step(open_app, language):
    app = open_app("decoding", part="kv-cache", cache_step="2")
    header, numbers = read_step_view(app)
    trace = language.trace(SENTENCE)
    steps = cache_steps(language.network, trace.source_ids, following_ids(trace))
    assert labels(header, "cache_step") == visible(following_tokens(trace))
    np.testing.assert_array_equal(numbers["with"], fill_table(steps, True))
    np.testing.assert_array_equal(numbers["without"], fill_table(steps, False))
    np.testing.assert_allclose(numbers["cached"], steps.cached / 1e6, rtol=1e-6)
    np.testing.assert_allclose(numbers["uncached"], steps.uncached / 1e6, rtol=1e-6)
    np.testing.assert_allclose(numbers["kilobytes"], steps.bytes / 1e3, rtol=1e-6)
    assert float(check_caption(app, "without the cache").rsplit(" ", 1)[1].rstrip(".")) < 1e-5


def test_costs_by_length_have_the_shipped_milliseconds(open_app, language):
    app = open_app("decoding", part="kv-cache")
    header, *rows = table(app, "The next token, by length")
    assert header[0] == "tokens so far" and len(header) == 6
    assert [row[0] for row in rows] == ["16", "32", "64", "128", "256"]
    times = CacheTimes.read(SHIPPED, language.weights_sha256)
    assert [row[4:] for row in rows] == [
        [three_digits(cached), three_digits(uncached)]
        for cached, uncached in zip(times.cached, times.uncached, strict=True)
    ]


def test_both_networks_translate_and_the_maps_are_theirs(open_app, language, translator, trace):
    app = open_app("decoding", part="one-stack")
    _, first, second = table(app, "Both translations")
    assert first[:2] == ["encoder and decoder", trace.target_text]
    assert second[1] == (language.translate(SENTENCE, DecodingOptions()) or "\u2014")
    forced = language.trace(SENTENCE, target_ids=trace.next_ids)
    assert second[0] == "decoder-only" and not app.warning
    assert cross_block(forced).shape[2:] == trace.cross_attention.shape[2:]
    shares = sum_heads(forced, None).measures.source
    layer, head, share = re.search(r"Layer (\d+), head (\d+) gives (\S+) of its", text_of(app)).groups()
    assert share == three_digits(float(shares[int(layer) - 1, int(head) - 1]))
    assert "within" in check_caption(app, "All self-attention of the decoder-only")


def test_names_and_numbers_are_listed_with_the_weight_on_them(open_app, language, translator):
    app = open_app("decoding", part="one-stack", one_stack="copying", text=COPIES)
    forced = language.trace(COPIES, target_ids=translator.trace(COPIES).next_ids)
    measures = sum_heads(forced, None).measures
    best = np.unravel_index(np.argmax(measures.copied), measures.copied.shape)
    place = f"layer {best[0] + 1}, head {best[1] + 1}"
    assert f"In this sentence it is {place}: it gives {three_digits(float(measures.copied[best]))}" in text_of(app)
    _, *rows = table(app, "Copied tokens")
    assert len(rows) == measures.copies
    assert np.mean([number(row[2]) for row in rows]) == pytest.approx(measures.copied[best], rel=0.01)


def test_a_sentence_without_names_gets_one_sentence(open_app):
    app = open_app("decoding", part="one-stack", one_stack="copying")
    assert ["Nothing is copied in this sentence" in note.value for note in app.info] == [True]
    assert not app.exception and not app.warning


def test_the_loss_under_both_masks(open_app, language, trace):
    app = open_app("decoding", part="one-stack", one_stack="prefix")
    forced = language.trace(SENTENCE, target_ids=trace.next_ids)
    expected = compare_prefix(language.network, forced)
    figures = [metric.value for metric in app.metric]
    assert figures == [three_digits(float(expected.causal.mean())), three_digits(float(expected.prefix.mean()))]
    _, *rows = table(app, "Loss of every French token under both masks")
    assert [row[1] for row in rows] == [three_digits(float(value)) for value in expected.causal]
    assert "largest weight on a hidden token" in check_caption(app, "recomputed with this mask")


def test_scores_of_the_heads(open_app, language, trace):
    app = open_app("decoding", part="one-stack", one_stack="scores")
    first = sum_heads(language.trace(SENTENCE, target_ids=trace.next_ids), None).measures.first
    _, *rows = table(app, "Attention to the first token by layer")
    assert [row[1] for row in rows] == [three_digits(float(value)) for value in first.mean(axis=1)]
    scores = language.head_scores()
    induction, chance = scores.scores["decoder"]["induction"], scores.chance["decoder"]["induction"]
    assert (
        f"would have an induction score of {three_digits(chance)}; the largest of this network\u2019s {induction.size} "
        f"heads is {three_digits(float(induction.max()))}, and {int((induction > chance).sum())} of them are above"
    ) in " ".join(text_of(app).split())


@pytest.mark.parametrize("query", [{"one_stack": "other"}, {"single_layer": "99"}, {"text": "Hi"}])
def test_unusual_settings_and_a_short_sentence(open_app, query):
    app = open_app("decoding", part="one-stack", **query)
    assert not app.exception and "Both translations" in html_of(app)


def test_the_network_loads_within_a_second_when_a_part_is_opened(open_app):
    load_language._results.clear()
    open_app("decoding")
    assert not load_language.is_ready()
    open_app("decoding", part="kv-cache")
    assert load_language.is_ready()
