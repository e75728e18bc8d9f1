"""Patching over a corpus of pairs: every line is that of `patch`, a cut-off file is continued, others are refused."""

from __future__ import annotations

import json

import numpy as np
import pytest
import torch

from model.study.__main__ import main
from model.study.causal_pairs import LINES, SUMMARY, run_causal_study
from model.study.networks import open_studied_model, studied_checkpoint
from model.study.study_data import StudyError, StudyInput, StudyInputs
from model.translator import Translator
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


def table(line: dict, name: str) -> np.ndarray:
    return np.array(line["tables"][name]["values"], dtype=float)


def test_paths_are_those_of_path_patch_and_means_are_shares(studied, tmp_path):
    summary = run_causal_study(studied, corpus(), tmp_path, "path_patch", direction="denoising")
    plan, *lines = read_lines(tmp_path)
    assert (plan["site"], plan["direction"]) == ("path_patch", "denoising")
    assert "equal length" in lines[1]["skipped"]
    shares = []
    for (clean, corrupt), line in zip(PAIRS, lines, strict=True):
        if "skipped" in line:
            continue
        result = studied.model.path_patch(clean, corrupt, direction="denoising")
        assert set(line["tables"]) == set(result.tables)
        for name, expected in result.tables.items():
            np.testing.assert_allclose(table(line, name), expected.values, err_msg=name)
        shares.append({name: each.values / (result.donor - result.receiver) for name, each in result.tables.items()})
    assert summary["used"] == len(shares) > 1
    for name, content in summary["tables"].items():
        values = [share[name] for share in shares]
        np.testing.assert_allclose(np.array(content["mean"], float), np.mean(values, axis=0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(np.array(content["sd"], float), np.std(values, axis=0, ddof=1), atol=1e-9)
        assert list(content["axes"])[-2:] == list(lines[0]["tables"][name]["axes"])[-2:]
    assert summary["largest_check"]["nothing"] < 1e-5


@pytest.mark.parametrize(
    ("network", "method"), [("llama", "logit_lens"), ("bert-classes", "logit_lens"), ("gpt2", "logit_attribution")]
)
def test_the_clean_run_is_read_where_the_answers_differ(network, method, tmp_path):
    studied = studied_checkpoint(live(network), network)
    summary = run_causal_study(studied, corpus(), tmp_path, method)
    lines = read_lines(tmp_path)[1:]
    used = [place for place, line in enumerate(lines) if "skipped" not in line]
    assert summary["used"] == len(used) > 1
    for place in used:
        experiment, line = studied.model.prepare_experiment(*PAIRS[place]), lines[place]
        resumable, metric = studied.model.resumable, experiment.metric
        with torch.no_grad():
            logits = resumable.logits(resumable.run(experiment.clean)[:1, metric.position])[0].double()
        if method == "logit_lens":
            probability = float(logits.softmax(-1)[metric.index])
            assert table(line, "probability")[-1] == pytest.approx(probability, rel=1e-4)
            assert table(line, "rank")[-1] == 1 + int((logits > logits[metric.index]).sum())
        else:
            total = sum(table(line, name).sum() for name in line["tables"])
            assert total == pytest.approx(float(logits[metric.index] - logits[metric.other]), abs=1e-4)
    for name, content in summary["tables"].items():
        expected = np.mean([table(lines[place], name) for place in used], axis=0)
        np.testing.assert_allclose(content["mean"], expected, err_msg=name)
    assert max(summary["largest_check"].values()) < 1e-4


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


def test_the_translator_is_measured_by_the_command_line(tmp_path):
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("The cat sleeps.\tThe dog sleeps.\nI see a red car.\tI see a red house.\n")
    for method in ("logit_lens", "logit_attribution"):
        assert main(["translator", str(pairs), "--out", str(tmp_path / method), "--causal", method]) == 0
    summary = json.loads((tmp_path / "logit_lens" / SUMMARY).read_text())
    model = Translator.load(device="cpu")
    probabilities = []
    for clean, corrupt in [line.split("\t") for line in pairs.read_text().splitlines()]:
        first, second = (model.trace(text).next_ids for text in (clean, corrupt))
        place = next(place for place, (one, two) in enumerate(zip(first, second, strict=False)) if one != two)
        probabilities.append(model.trace(clean).logit_lens().probabilities[:, place])  # of the token that follows
    np.testing.assert_allclose(summary["tables"]["probability"]["mean"], np.mean(probabilities, axis=0), rtol=1e-5)
    assert summary["tables"]["probability"]["axes"]["layer"] == list(range(len(probabilities[0])))
    parts = json.loads((tmp_path / "logit_attribution" / SUMMARY).read_text())
    assert set(parts["tables"]) == {"decoder", "cross", "feed_forward", "rest"}
    assert max(parts["largest_check"].values()) < 1e-4


def test_what_cannot_be_measured_is_refused(studied, tmp_path):
    recurrent = open_studied_model("lstm-dot", "cpu")
    with pytest.raises(StudyError, match="lstm-dot has no method path_patch"):
        run_causal_study(recurrent, corpus(), tmp_path, "path_patch")
    with pytest.raises(StudyError, match="logit_lens has no --part"):
        run_causal_study(studied, corpus(), tmp_path, "logit_lens", part="decoder")
    with pytest.raises(StudyError, match="logit_attribution has no --direction"):
        run_causal_study(studied, corpus(), tmp_path, "logit_attribution", direction="noising")


def test_what_cannot_be_patched_is_refused(studied, tmp_path, capsys):
    with pytest.raises(StudyError, match="give pairs"):
        run_causal_study(studied, StudyInputs("texts", corpus().items), tmp_path, "residual")
    with pytest.raises(StudyError, match="No pair could be used"):
        run_causal_study(studied, corpus(PAIRS[1:2]), tmp_path, "residual")
    texts = tmp_path / "texts.txt"
    texts.write_text("I am a student.\n")
    assert main(["translator", str(texts), "--out", str(tmp_path / "out"), "--causal", "residual"]) == 2
    assert "give pairs" in capsys.readouterr().err
