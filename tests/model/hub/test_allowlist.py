"""The models that may be opened are read once from a setting; names are never paths."""

from __future__ import annotations

from pathlib import Path

import pytest

from model.hub.allowlist import AllowedModel, ModelAllowlist, read_allowlist
from model.hub.checkpoint_summary import summarize, summarize_allowed
from tests.model.hub import tiny


@pytest.mark.parametrize("text", ["", "  ", ",", "\n"])
def test_an_empty_setting_allows_nothing(text):
    assert read_allowlist(text) == ModelAllowlist((), False)
    assert read_allowlist(text).source("gpt2") is None


@pytest.mark.parametrize("text", ["any", " ANY\n"])
def test_any_allows_ids_but_no_paths(text):
    allowlist = read_allowlist(text)
    assert allowlist.any
    assert allowlist.source("owner/name") == "owner/name"
    for path in ("/etc", "../x", "~/model", "a/b/c", ""):
        assert allowlist.source(path) is None


def test_listed_models_have_names_and_sources(tmp_path):
    folder = tmp_path / "my-model"
    folder.mkdir()
    allowlist = read_allowlist(f"{folder}, owner/name@0123abc\nother")
    assert allowlist.listed == (
        AllowedModel("my-model", str(folder)),
        AllowedModel("owner/name", "owner/name@0123abc"),
        AllowedModel("other", "other"),
    )
    assert allowlist.source("owner/name") == "owner/name@0123abc"
    assert allowlist.source(str(folder)) is None
    assert allowlist.source("owner/else") is None


def test_the_setting_is_read_from_the_environment(monkeypatch):
    monkeypatch.setenv("ATLAS_MODELS", "any")
    assert read_allowlist().any


def test_a_summary_before_a_model_is_opened(tmp_path):
    summary = summarize("tiny", str(tiny.save("t5", tmp_path)))
    network = tiny.network("t5")
    stored = sum(tensor.numel() for tensor in {id(t): t for t in network.state_dict().values()}.values())
    assert (summary.name, summary.type, summary.layers, summary.heads, summary.problem) == (
        "tiny",
        "t5",
        (2, 2),
        4,
        None,
    )
    assert 0 < summary.parameters <= stored
    assert summary.bytes == 4 * summary.parameters


def test_a_model_that_is_not_downloaded_is_marked(tmp_path):
    missing, empty = summarize_allowed(read_allowlist(f"owner/no-such-model,{tmp_path}"))
    assert not missing.downloaded
    assert "no config.json" in str(empty.problem)


def test_no_server_configuration_allows_any_model():
    root = Path(__file__).parents[3]
    files = [file for file in (root / "deploy").rglob("*") if file.is_file() and file.suffix != ".md"]
    assert files
    for file in files:
        assert "ATLAS_MODELS=any" not in file.read_text(encoding="utf-8", errors="replace"), file
