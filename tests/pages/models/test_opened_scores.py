"""Heads of an opened model have the scores that need no text, or a sentence that states why not."""

from __future__ import annotations

import numpy as np
import pytest

from model.open_model import open_model
from pages.models import opened_scores
from tests.pages.models.opened_model_page import page_text
from tests.pages.reading import table
from tests.pages.recipes import record_files
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
    monkeypatch.setattr(opened_scores, "ASK_FROM", 0.0)
    app = open_app("models", model="gpt2", part="heads")
    assert "read from the" in app.info[0].value and "copying" not in scores_of(app) and "induction" in scores_of(app)
    app = app.button(key="agree_matrices").click().run()
    assert "copying" in scores_of(app) and not app.info
