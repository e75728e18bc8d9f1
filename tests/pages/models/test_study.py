"""A study of the open weights is shown with the user's text; one of other weights is not."""

from __future__ import annotations

import pytest

from model.attribution.head_statistics import load_statistics
from model.runtime.checkpoint import read_json, write_json
from model.study.__main__ import main
from model.translator import SHIPPED as TRANSLATOR
from pages.shared.head_ranking import head_rows
from tests.new_process import clear_all
from tests.pages.listed import listed_heads as header_of
from tests.pages.models.opened_model_page import page_text


@pytest.fixture
def study(listed, tmp_path, monkeypatch):
    """The folder of a finished study of the tiny GPT-2 over three texts."""
    (tmp_path / "texts.txt").write_text("A quick dog.\nThe car was too tired.\nOne fox.\n")
    out = tmp_path / "out"
    assert main([str(word) for word in (listed["gpt2"], tmp_path / "texts.txt", "--out", out, "--device", "cpu")]) == 0
    monkeypatch.setenv("ATLAS_STUDIES", str(out))
    clear_all()
    return out


def test_an_operators_study_replaces_the_shipped_statistics(study, monkeypatch):
    content = read_json(study / "heads.json")
    weights_sha256 = read_json(TRANSLATOR / "card.json")["weights_sha256"]
    assert head_rows.load_best_statistics(TRANSLATOR, weights_sha256).heading == "over 500 held-out sentences"
    write_json(study / "heads.json", content | {"weights_sha256": weights_sha256})
    clear_all()
    assert head_rows.load_best_statistics(TRANSLATOR, weights_sha256).heading == "over 3 texts"


def test_label_and_scores_over_many_are_shown_with_those_of_this_text(open_app, listed, study):
    app = open_app("models", model="gpt2", text="The quick fox.", part="heads")
    assert not app.exception
    header, statistics = header_of(app), load_statistics(study, read_json(study / "heads.json")["weights_sha256"])
    assert "over 3 texts" in str(header)
    table = statistics.kinds["decoder"]
    for row in header["rows"]:
        label = table.label(int(row["layer"]) - 1, int(row["head"]) - 1)
        assert row["often"] == head_rows.label_text(label) != ""
    assert statistics.weights_sha256[:12] in page_text(app) and "mean distance here" in page_text(app)

    content = read_json(study / "heads.json")
    write_json(study / "heads.json", content | {"weights_sha256": "0" * 64})
    clear_all()
    app = open_app("models", model="gpt2", text="The quick fox.", part="heads")
    assert not app.exception
    assert "over 3 texts" not in str(header_of(app)) and "mean distance here" not in page_text(app)
