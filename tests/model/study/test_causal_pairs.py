"""Patching over a corpus of pairs: every line is that of `patch`, a cut-off file is continued, others are refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

from model.study.__main__ import main
from model.study.causal_pairs import LINES, SUMMARY, run_causal_study
from model.study.networks import studied_checkpoint
from model.study.study_data import StudyError, StudyInput, StudyInputs
from tests.model.hub.causal.live_models import live

PAIRS = [
    ("The quick brown fox jumps", "The quick brown dog jumps"),
    ("The quick brown fox jumps", "The quick"),
    ("The quick fox is tired", "The quick dog is tired"),
    ("The lazy fox is tired", "The lazy dog is tired"),
]


def corpus(pairs=PAIRS) -> StudyInputs:
    return StudyInputs("pairs", [lambda pair=pair: StudyInput(*pair) for pair in pairs])


@pytest.fixture(scope="module")
def studied():
    return studied_checkpoint(live("llama"), "llama")


def read_lines(folder) -> list[dict]:
    return [json.loads(line) for line in (folder / LINES).read_text().splitlines()]


def test_lines_and_means_are_those_of_patch(studied, tmp_path):
    summary = run_causal_study(studied, corpus(), tmp_path, "head_output", direction="noising")
    plan, *lines = read_lines(tmp_path)
    assert plan["site"] == "head_output"
    assert "give an alignment" in lines[1]["skipped"]
    shares = []
    for (clean, corrupt), line in zip(PAIRS, lines, strict=True):
        if "skipped" in line:
            continue
        result = studied.model.patch(clean, corrupt, site="head_output", direction="noising")
        np.testing.assert_allclose(line["effects"], result.effects)
        assert line["axes"] == {"layer": [1, 2], "head": [1, 2, 3, 4]}
        shares.append(result.restored)
    assert summary["used"] == len(shares) > 1
    np.testing.assert_allclose(summary["restored_mean"], np.mean(shares, axis=0))
    np.testing.assert_allclose(summary["restored_sd"], np.std(shares, axis=0, ddof=1))
    assert summary["largest_everything"] < 1e-5
    assert json.loads((tmp_path / SUMMARY).read_text()) == summary


def test_a_file_that_was_cut_off_is_continued(studied, tmp_path, monkeypatch):
    whole = run_causal_study(studied, corpus(), tmp_path, "residual")
    text = (tmp_path / LINES).read_text()
    lines = text.splitlines(keepends=True)
    (tmp_path / LINES).write_text("".join(lines[:3]) + lines[3][:20])
    calls = []
    own = type(studied.model).patch
    monkeypatch.setattr(
        type(studied.model), "patch", lambda *given, **options: calls.append(given) or own(*given, **options)
    )
    assert run_causal_study(studied, corpus(), tmp_path, "residual") == whole
    assert (tmp_path / LINES).read_text() == text
    assert len(calls) == 2  # the third pair and the fourth
    with pytest.raises(StudyError, match="differs in site"):
        run_causal_study(studied, corpus(), tmp_path, "head_output")


def test_what_cannot_be_patched_is_refused(studied, tmp_path, capsys):
    with pytest.raises(StudyError, match="give pairs"):
        run_causal_study(studied, StudyInputs("texts", corpus().items), tmp_path, "residual")
    with pytest.raises(StudyError, match="No pair could be used"):
        run_causal_study(studied, corpus(PAIRS[1:2]), tmp_path, "residual")
    texts = tmp_path / "texts.txt"
    texts.write_text("I am a student.\n")
    assert main(["translator", str(texts), "--out", str(tmp_path / "out"), "--causal", "residual"]) == 2
    assert "give pairs" in capsys.readouterr().err
