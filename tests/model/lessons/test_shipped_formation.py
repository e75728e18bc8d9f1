"""The study of forming heads that ships belongs to the network and the snapshots next to it."""

import numpy as np
import pytest
import torch

from model.lessons.head_formation import RAISING, ROLES, load_formation
from model.position_translator import FIRST, SHIPPED, PositionTranslator
from model.runtime.checkpoint import FOLDER, load_tensors, read_snapshot, sha256_of, snapshot_file

SNAPSHOTS = 12
MOST_BYTES = 32_000_000  # of all snapshots


@pytest.fixture(scope="module")
def translator():
    return PositionTranslator.load(SHIPPED / FIRST, "cpu")


@pytest.fixture(scope="module")
def study(translator):
    return load_formation(translator.folder, translator.weights_sha256)


def test_twelve_snapshots_ship_in_half_precision(translator, study):
    assert len(study.steps) == SNAPSHOTS and study.steps[0] == 0
    files = [snapshot_file(translator.folder, step) for step in study.steps]
    assert sorted(files) == sorted((translator.folder / FOLDER).glob("*.safetensors"))
    assert sum(file.stat().st_size for file in files) <= MOST_BYTES
    assert {step: sha256_of(file) for step, file in zip(study.steps, files, strict=True)} == study.snapshots_sha256
    tensors, _ = load_tensors(files[-1])
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}
    assert set(tensors) == set(translator.network.state_dict())
    first, last = read_snapshot(translator.folder, 0), read_snapshot(translator.folder, study.steps[-1])
    assert any(not torch.equal(first[name], last[name]) for name in first)


def test_the_card_states_how_unequal_falls_and_gaps_are(translator, study):
    falls, text = -np.diff(study.runs[0].heldout), (translator.folder / "formation.md").read_text()
    assert study.sentences == 200 and (falls > 0).all()
    assert f"falls by {falls.min():.2f} to {falls.max():.2f} nats" in text and falls.max() > 2 * falls.min()
    assert f"{study.widest_gap()[0]:,} and {study.widest_gap()[1]:,}" in text and "equal amounts" not in text


def test_layer_2_raises_the_aligned_token_and_no_head_is_outside_the_band_of_the_others(study):
    sent = study.runs[0].sent["cross"][-1]
    assert study.links == sent.links == 863
    assert sent.target_raised[1].min() > 0.75 and sent.target_rank[1].max() < 700
    assert sent.target_raised[1].min() > sent.source_raised[1].max() - 0.05 and sent.source_rank[1].min() > 1600
    assert not study.runs[0].forms[RAISING]


def test_every_seed_has_figures_of_all_heads(translator, study):
    sizes = translator.config
    assert [run.seed for run in study.runs] == list(range(len(study.runs)))
    for run in study.runs:
        assert {len(labels) for labels in run.labels.values()} == {SNAPSHOTS}
        for labels in run.labels.values():
            assert np.shape(labels) == (SNAPSHOTS, 2, sizes.n_heads)
        assert set(run.forms) == {*ROLES, RAISING}
        assert {len(values) for values in run.curves.values()} == {len(run.curves["step"])}
        for heads in run.forms.values():
            assert all(head.needed == (head.change.low > 0) for head in heads)
