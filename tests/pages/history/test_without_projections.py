"""The section *Without W^Q and W^K*: the payload, the tables, and a study of other weights."""

import json

import numpy as np
import pytest

from model.lessons.raw_attention import RawAttention, encoder_stages, self_weights
from model.lessons.raw_attention_heldout import FILE
from model.translator import SHIPPED
from pages.history import without_projections
from tests.new_process import clear_all
from tests.pages.charts import check_caption
from tests.pages.conftest import html_of
from tests.pages.stepped import labels, read_step_view
from tests.tiers import nightly
from views.text.numbers import grouped, three_digits

REPEATED = "The dog sees the dog and the dog sees the dog."


@pytest.fixture(scope="module")
def stages(translator, trace):
    return encoder_stages(translator.network, trace)


def test_payload_has_every_stage_and_head(open_app, stages, trace):
    header, numbers = read_step_view(open_app("history", part="without-projections"))
    assert labels(header, "vectors") == [
        "embeddings", "layer 1 reads", "layer 2 reads", "layer 3 reads", "layer 4 reads", "output", "LSTM states",
    ]  # fmt: skip
    assert labels(header, "heads") == ["mean", *map(str, range(1, 9))]
    assert numbers["raw"].shape == (7, 8, 8) and numbers["trained"].shape == (7, 9, 8, 8)
    for place, raw in enumerate(stages):
        np.testing.assert_allclose(numbers["raw"][place], raw.weights("scaled"), atol=1e-6)
        np.testing.assert_allclose(numbers["score"][place], raw.scores("scaled"), rtol=1e-6)
    for layer in range(4):
        np.testing.assert_array_equal(numbers["trained"][layer + 1, 1:], trace.encoder_attention[layer])
        np.testing.assert_allclose(numbers["trained"][layer + 1, 0], trace.encoder_attention[layer].mean(0), atol=1e-7)
    assert np.isnan(numbers["trained"][[0, 5, 6]]).all()  # no head reads these
    np.testing.assert_allclose(numbers["own"][1], np.diagonal(stages[1].scores("scaled")), rtol=1e-6)
    assert (numbers["other"][1] < numbers["own"][1]).all()


@pytest.mark.parametrize("form", ["plain", "cosine"])
def test_another_score_changes_the_weights(open_app, stages, form):
    _, numbers = read_step_view(open_app("history", part="without-projections", raw_score=form))
    np.testing.assert_allclose(numbers["raw"][2], stages[2].weights(form), atol=1e-6)


def test_weights_and_pair_counts_are_checked(open_app):
    line = check_caption(open_app("history", part="without-projections"), "given one-hot values")
    assert "reaches in the direction" in line and "something is wrong" not in line


def test_table_has_the_self_weight_of_every_stage(open_app, stages):
    html = html_of(open_app("history", part="without-projections"))
    for raw in stages:
        assert f'<td class="aa-number">{three_digits(float(self_weights(raw.weights()).mean()))}</td>' in html
        if raw.heads is not None:
            assert f">{three_digits(float(self_weights(raw.heads).mean()))}</td>" in html


def test_sentence_without_an_exceeding_pair_is_reported(open_app):
    app = open_app("history", part="without-projections")
    assert any("it fails nowhere: in none of its 392 pairs" in text.value for text in app.markdown)


def test_exceeding_pairs_are_listed_with_lengths_and_cosine(open_app, monkeypatch):
    short = np.array([[1, 0], [2, 0], [0, 3]], dtype=np.float32)
    vectors = np.concatenate([short, np.full((5, 2), 9, dtype=np.float32)])
    monkeypatch.setattr("pages.history.without_projections.encoder_states", lambda trace: RawAttention(vectors))
    app = open_app("history", part="without-projections")
    (message,) = [text.value for text in app.markdown if "it fails for" in text.value]
    failing = RawAttention(vectors).exceeds.sum()
    assert failing == 16
    assert f"it fails for {failing} of 392 pairs" in message
    html = html_of(app)
    table = html[html.index('aria-label="Pairs with') :]
    table = table[: table.index("</table>")]
    assert table.count('data-said="token"') == 2 * 12 and table.count("LSTM states") == 12  # the file has all


def test_study_is_of_the_shipped_weights(open_app):
    stored = json.loads((SHIPPED / FILE).read_text())
    app = open_app("history", part="without-projections")
    pairs = sum(stage["pairs"] for stage in stored["stages"])
    exceeding = sum(stage["exceeding"] for stage in stored["stages"])
    assert any(f"{grouped(exceeding)} of {grouped(pairs)} pairs" in text.value for text in app.markdown)
    assert f">{three_digits(stored['stages'][1]['trained'])}</td>" in html_of(app)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda stored: {**stored, "weights_sha256": ["a", "b"]}, "belongs to other weights"),
        (lambda stored: {}, "is damaged"),
        nightly(lambda stored: {**stored, "stages": [1]}, "is damaged"),
    ],
)
def test_study_of_other_weights_gets_one_sentence(open_app, monkeypatch, tmp_path, damage, reason):
    stored = json.loads((SHIPPED / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(damage(stored)))
    monkeypatch.setattr(without_projections, "SHIPPED", tmp_path)
    clear_all()
    app = open_app("history", part="without-projections")
    (warning,) = app.warning
    assert reason in warning.value.replace("\\", "")
    assert app.get("download_button")[-1].proto.label == "NPZ"
    clear_all()


def test_repeated_word_shares_its_weight(open_app):
    header, numbers = read_step_view(open_app("history", part="without-projections", text=REPEATED))
    tokens = labels(header, "asking")
    twice = [place for place, token in enumerate(tokens) if token.strip() == "dog"]
    assert len(twice) == 4
    embeddings = numbers["raw"][0][twice[0], twice]
    np.testing.assert_allclose(embeddings, embeddings[0], rtol=1e-5)
