"""Heads that form: the study's file, and one sentence through the weights of every step."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model import CheckpointError, Translator
from model.lessons.head_formation import FILE, follow_training_in_steps, load_formation
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import load_weights
from model.runtime.progress import run_to_end
from model.runtime.snapshot_weights import read_snapshot, snapshot_file
from tests.model.random_positions import STEPS, random_network, write_networks

SENTENCE = "I want to buy a car."
TARGET = "Je veux acheter une voiture."


@pytest.fixture(scope="module")
def translator(tmp_path_factory):
    return PositionTranslator.load(write_networks(tmp_path_factory.mktemp("positions")) / "sinusoidal", "cpu")


@pytest.fixture(scope="module")
def study(translator):
    return load_formation(translator.folder, translator.weights_sha256)


def follow(translator, hashes):
    source, _, following = translator.forced(SENTENCE, TARGET)
    sizes = translator.config, translator.tokenizer, translator.folder
    return follow_training_in_steps(*sizes, hashes, source, following, "cpu")


def test_a_sentence_at_a_step_is_that_of_the_network_with_these_weights(translator, study):
    steps = run_to_end(follow(translator, study.snapshots_sha256))
    assert tuple(step.step for step in steps) == STEPS
    for step in steps:
        network = random_network("sinusoidal")
        load_weights(network, read_snapshot(translator.folder, step.step), "")
        own = Translator(network, translator.tokenizer)
        trace = own.trace(SENTENCE, TARGET)
        np.testing.assert_array_equal(step.weights["encoder"], trace.encoder_attention)
        np.testing.assert_array_equal(step.weights["cross"], trace.cross_attention)
        logits = network(torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids]))[0]
        expected = F.cross_entropy(logits, torch.tensor(trace.next_ids), reduction="none")
        np.testing.assert_allclose(step.losses, expected.numpy(), rtol=1e-4)
        np.testing.assert_allclose([row.probability for row in step.predictions], np.exp(-step.losses), rtol=1e-4)
        assert [row.id for row in step.predictions] == list(trace.next_ids)
        most = 2 * len(trace.source_ids) + 10
        assert step.text == own.translate(SENTENCE, max_length=most)
        assert step.verification.max_difference < 1e-5 and 0 <= step.difference < 1e-5
    assert len({step.losses.tobytes() for step in steps}) == len(steps)


def test_every_step_is_a_part_with_its_progress(translator, study):
    assert [tuple(part) for part in follow(translator, study.snapshots_sha256)] == [(1, 3), (2, 3), (3, 3)]


def test_heads_with_a_role_are_counted_at_every_step(study):
    run, other = study.runs
    assert run.counts(study.least_copying) == {
        "alignment": [0, 0, 1],
        "previous token": [0, 0, 1],
        "end of sentence": [0, 0, 1],
        "copying": [0, 0, 1],
    }
    assert run.counts(0.8)["copying"] == [0, 0, 0]
    assert run.roles(2, study.least_copying)["cross"] == [[(), ()], [("alignment", "copying"), ()]]
    assert run.roles(2, 0.8)["cross"][1][0] == ("alignment",) and run.roles(0, 0.5)["encoder"] == [[(), ()], [(), ()]]
    assert study.first_steps("copying") == [STEPS[-1], None] and study.first_steps("alignment") == [STEPS[-1]] * 2
    (head,) = run.forms["alignment"]
    assert (head.kind, head.layer, head.head, head.needed, head.needed_at_end) == ("cross", 1, 0, False, True)
    assert head.change.value == 0.1 and other.seed == 1


def test_other_weights_and_missing_snapshots_get_one_sentence(tmp_path):
    folder = write_networks(tmp_path) / "sinusoidal"
    translator = PositionTranslator.load(folder, "cpu")
    study = load_formation(folder, translator.weights_sha256)
    with pytest.raises(CheckpointError, match=f"{FILE} in sinusoidal belongs to other weights; run `make formation`"):
        load_formation(folder, "0")
    snapshot_file(folder, STEPS[1]).write_bytes(snapshot_file(folder, STEPS[2]).read_bytes())
    with pytest.raises(CheckpointError, match="step-000003.safetensors .* does not match its recorded SHA-256"):
        run_to_end(follow(translator, study.snapshots_sha256))
    snapshot_file(folder, STEPS[1]).unlink()
    with pytest.raises(CheckpointError, match="step-000003.safetensors is missing"):
        run_to_end(follow(translator, study.snapshots_sha256))
