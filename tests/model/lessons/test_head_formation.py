"""Heads that form: the study's file, and one sentence through the weights of every step."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model import CheckpointError, Translator
from model.lessons.head_formation import FILE, RAISING, follow_training_in_steps, load_formation
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import load_weights, read_snapshot, snapshot_file
from model.runtime.progress import run_to_end
from tests.model.random_positions import STEPS, random_network, write_networks
from training.formation_study import formation_markdown

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
    assert run.counts() == {
        "alignment": [0, 0, 1],
        "previous token": [0, 0, 1],
        "end of sentence": [0, 0, 1],
        RAISING: [0, 0, 1],
    }
    assert run.roles(2)["cross"] == [[(), ()], [("alignment", RAISING), ()]]
    assert run.roles(0)["encoder"] == [[(), ()], [(), ()]]
    first, second = study.first_heads(RAISING)
    assert second is None and (first.after, first.step, first.later) == (STEPS[1], STEPS[2], 0)
    (head,) = run.forms["alignment"]
    assert (head.kind, head.layer, head.head, head.needed, head.needed_at_end) == ("cross", 1, 0, False, True)
    assert head.change.value == 0.1 and other.seed == 1


def test_the_share_of_a_role_stands_beside_that_of_the_rest(study):
    # of the three other heads of cross-attention two are needed at the end, in either run
    assert study.rest_needed("alignment", at_end=True) == (4, 6) == study.rest_needed("alignment", at_end=False)
    assert study.rest_needed(RAISING, at_end=True) == (2, 3)  # the other run has no such head, and no rest
    early = replace(study.runs[0].forms["alignment"][0], step=STEPS[0], after=None, later=2)
    run = replace(study.runs[0], forms={"alignment": [early]})
    assert run.rest_needed("alignment", {0}) == (1, 3) and run.rest_needed("alignment", {0, 2}) == (3, 6)
    assert replace(run, forms={"alignment": []}).rest_needed("alignment", {0}) == (0, 0)


def test_falls_and_the_widest_gap_follow_from_the_steps(study):
    assert study.falls() == [1.5, 4.25] and study.widest_gap() == (STEPS[1], STEPS[2])


@pytest.mark.parametrize("seeds", [1, 2])
def test_the_card_states_intervals_baselines_and_which_weights_ship(study, seeds):
    text = formation_markdown(replace(study, runs=study.runs[:seeds]))
    assert "| 0 | alignment | cross 2.1 | 3 and 40 | 0 |" in text
    row = {
        1: "1 of 1 | 3 and 40 | 0 of 1 | 2 of 3 | 1 of 1 | 2 of 3",
        2: "2 of 2 | 3 and 40; 3 and 40 | 0 of 2 | 4 of 6",
    }
    assert f"| alignment | {row[seeds]} |" in text
    assert "falls by 1.50 to 4.25 nats" in text and "between step 3 and 40:\n92 % of the training" in text
    assert ("those of seed 1 do not" in text) == (seeds == 2) and ("One training, seed 0" in text) == (seeds == 1)
    assert "| 0 | cross 2.1 | 90 % | 69 % | 53 % | 12 | 55 % | 3,000 |" in text and "copies" not in text


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
