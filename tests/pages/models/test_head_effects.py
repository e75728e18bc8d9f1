"""Heads of an opened model have the scores that need no text, or a sentence that states why not."""

from __future__ import annotations

import numpy as np
import pytest

from model.causal import patching_estimate
from model.hub.opened_pictures import patch_trace
from model.open_model import open_model
from pages.models import head_effects
from tests.pages.drawn import matrices
from tests.pages.models.opened_model_page import page_text
from tests.pages.reading import table
from tests.pages.recipes import record_files
from tests.tiers import nightly
from views.controls import samples
from views.text.numbers import three_digits

TITLE = "Without a sentence: scores of"


def scores_of(app) -> dict[str, list[str]]:
    """Name of a score -> the score, and that by chance."""
    return {row[0]: row[1:] for row in table(app, TITLE)[1:]}


def test_a_decoder_has_all_scores_in_the_list_and_for_the_open_head(open_app, listed, monkeypatch):
    model = open_model(listed["gpt2"], device="cpu")
    repeated, copying, composition = model.head_scores(), model.copying_scores(), model.composition()
    makers = record_files(monkeypatch)
    app = open_app("models", model="gpt2", part="heads", shown="decoder-2-3")
    assert not app.exception and not app.info
    rows = scores_of(app)
    for name, title in (("induction", "induction"), ("previous", "previous token"), ("duplicate", "duplicate token")):
        chance = three_digits(repeated.chance["decoder"][name])
        assert rows[title] == [three_digits(repeated.scores["decoder"][name][1, 2]), chance]
    assert rows["copying"] == [three_digits(copying["decoder"][1, 2]), ""]
    for connection, values in composition.scores.items():
        best = int(np.nanargmax(values[0, :, 1, 2]))
        title = f"composition by {connection.input}, with decoder 1.{best + 1}"
        assert rows[title] == [three_digits(float(values[0, best, 1, 2])), three_digits(composition.chance)]
    lines = makers["opened-heads.csv"]().decode("utf-8-sig").splitlines()
    assert "induction, repeated ids" in lines[0] and lines[0].endswith('"composition by values, with head"')
    assert len(lines) == 1 + copying["decoder"].size


@pytest.mark.parametrize(
    ("name", "sentence", "names"),
    [
        ("bert", "continues text", {"induction", "composition by queries"}),
        ("t5", "Matrices of heads are read", {"induction", "duplicate token"}),
    ],
)
def test_scores_that_a_model_lacks_are_refused_in_one_sentence(open_app, listed, name, sentence, names):
    app = open_app("models", model=name, part="heads", shown="encoder-2-1")
    assert sum(sentence in each.value for each in app.caption) == 1 and not app.exception
    assert names <= {row.partition(", with")[0] for row in scores_of(app)} and "copying" not in scores_of(app)


def test_pictures_have_none_and_long_readings_ask(open_app, listed, monkeypatch):
    assert TITLE not in page_text(open_app("models", model="vit", part="heads"))
    monkeypatch.setattr(head_effects, "ASK_FROM", 0.0)
    app = open_app("models", model="gpt2", part="heads")
    assert "read from the" in app.info[0].value and "copying" not in scores_of(app) and "induction" in scores_of(app)
    app = app.button(key="agree_matrices").click().run()
    assert "copying" in scores_of(app) and not app.info


OTHERS = ["The quick brown dog", "A lazy fox jumps"]


def heads(open_app, name: str, **query):
    return open_app("models", model=name, part="heads", **query)


@pytest.mark.parametrize(
    ("name", "replacement", "change"),
    [
        ("gpt2", "resample", "change of the loss"),
        ("gpt2", "mean", "change of the loss"),
        ("bert-classes", "mean", "change of the probability"),
        nightly("t5", "mean", "change of the loss"),
        nightly("bert", "zero", "change of the loss"),
    ],
)
def test_leading_heads_and_pairs_are_the_models(open_app, listed, name, replacement, change):
    model, text = open_model(listed[name], device="cpu"), "The quick brown fox jumps"
    app = heads(open_app, name, text=text, replacement=replacement, othertexts="\n".join([*OTHERS, "", OTHERS[0]]))
    assert not app.exception and not app.warning and not app.info
    others = [model.trace(each) for each in OTHERS] if replacement != "zero" else ()
    result = model.replace_heads(model.trace(text), replacement, others=others)
    rows = table(app, "Heads whose replacement matters")
    assert rows[0][1] == change and (len(rows[0]) == 3) == (replacement == "resample")
    effects = [result.effects[kind][layer, head] for kind, layer, head in result.leading]
    assert [row[1] for row in rows[1:]] == [three_digits(float(effect)) for effect in effects]
    drawn = matrices(app)
    np.testing.assert_allclose(drawn["Change without both"][1], result.pairs, atol=1e-5)
    said = " ".join(page_text(app).split())
    assert ("2 texts above" in said) == (replacement != "zero") and three_digits(result.reference) in said
    assert "something is wrong" not in said


def test_a_picture_is_compared_with_the_other_samples(open_app, listed):
    model = open_model(listed["vit"], device="cpu")
    app = heads(open_app, "vit", picture="church", replacement="mean")
    assert not app.exception and not app.info
    own, *others = (patch_trace(model.trace(samples.picture(name).image)) for name in samples.NAMES)
    result = model.replace_heads(own, "mean", others=others)
    effects = [result.effects[kind][layer, head] for kind, layer, head in result.leading]
    rows = table(app, "Heads whose replacement matters")[1:]
    assert [row[1] for row in rows] == [three_digits(float(effect)) for effect in effects]
    assert f"{len(others)} other sample pictures" in page_text(app)


@pytest.mark.parametrize("lines", ["", " \n ", "\n".join(map(str, range(head_effects.MOST_TEXTS + 1)))], ids=len)
def test_no_text_and_too_many_are_one_sentence(open_app, listed, lines):
    app = heads(open_app, "gpt2", replacement="mean", othertexts=lines)
    assert ["Type 1 to 32 other texts" in each.value for each in app.info] == [True] and not app.exception


def test_texts_that_are_too_long_and_long_measurements(open_app, listed, monkeypatch):
    app = heads(open_app, "gpt2", replacement="mean")
    app = app.text_area(key="othertexts").set_value("a " * 5000).run()
    assert len(app.info) == 1 and "token" in app.info[0].value and not app.exception
    monkeypatch.setattr(patching_estimate, "ASKED_FROM", 10)
    app = heads(open_app, "gpt2", replacement="zero")
    assert "and pairs takes 44 runs" in " ".join(app.info[0].value.split())
    app = app.button(key="agree_replace").click().run()
    assert "Change without both" in matrices(app) and not app.info
