"""What the view "One weight" sends: all heads or one, the keys that a head shares, each mask once."""

from types import SimpleNamespace

import numpy as np
import pytest

from model.lessons.one_weight import ScoreForm
from views.kind_labels import KINDS
from views.viewer import weight_steps
from views.viewer.attention_maps import KindMaps, MapAxis

LAYERS, HEADS, GROUPS, TOKENS, WIDTH = 2, 4, 2, 3, 5


@pytest.fixture
def record():
    rng = np.random.default_rng(0)
    return SimpleNamespace(
        queries=rng.normal(size=(LAYERS, HEADS, TOKENS, WIDTH)).astype(np.float32),
        keys=rng.normal(size=(LAYERS, GROUPS, TOKENS, WIDTH)).astype(np.float32),
        scores=rng.normal(size=(LAYERS, HEADS, TOKENS, TOKENS)).astype(np.float32),
    )


def steps(record, forms, place=None):
    axis = MapAxis(("a", "b", "c"))
    maps = KindMaps(KINDS["decoder"], np.full((LAYERS, HEADS, TOKENS, TOKENS), 1 / 3, np.float32), axis, axis, (0, 1))
    return weight_steps.of_record(maps, record, forms, ("q", "k"), {}, place)


def test_all_heads_are_sent_without_scores_and_with_each_mask_once(record):
    mask = np.tri(TOKENS, dtype=bool)
    sent = steps(record, [ScoreForm(WIDTH**-0.5, allowed=mask), ScoreForm(1.0, allowed=mask)])
    assert sent.queries is record.queries and sent.keys is record.keys and sent.scores is None
    assert len(sent.masks) == 1 and [form.allowed for form in sent.forms] == [0, 0]
    assert [form.plain for form in sent.forms] == [True, False]
    assert sent.names == sent.heads == (["1", "2"], ["1", "2", "3", "4"])


def test_one_head_is_sent_with_the_keys_and_the_sink_of_its_own(record):
    sinks = np.array([0.0, 1.0, 2.0, 3.0])
    sent = steps(record, [ScoreForm(1.0), ScoreForm(1.0, biased=True, sinks=sinks)], place=(1, 2))
    assert sent.heads == (["2"], ["3"]) and sent.names[1] == ["1", "2", "3", "4"]
    np.testing.assert_array_equal(sent.queries, record.queries[1:, 2:3])
    np.testing.assert_array_equal(sent.keys, record.keys[1:, 1:2])  # heads 3 and 4 share the second group
    np.testing.assert_array_equal(sent.scores, record.scores[1:, 2:3])  # a bias is not recorded apart
    assert [form.sinks for form in sent.forms] == [[2.0]]


def test_scores_alone_are_sent_where_no_products_were_seen(record):
    sent = steps(record, ())
    assert sent.queries is None and sent.keys is None and sent.scores is record.scores
    assert sent.forms == [] and sent.masks == []
