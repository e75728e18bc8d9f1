"""Networks that differ in their positions, read from folders: independent checks, and damaged files."""

import numpy as np
import pytest
import torch

from model import CheckpointError, InputError
from model.lessons.positions_compared import shipped_kinds
from model.networks.config import POSITION_KINDS
from model.position_translator import SHIPPED, PositionTranslator
from tests.model.random_positions import LONGEST, write_networks
from training.position_networks import MOST_PARAMETERS

MOST_BYTES = 2_700_000  # of the weights of one network
SENTENCE = "I want to buy a car."
LONG = "The animal did not cross the street because it was too tired and the street was too wide. "


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_networks(tmp_path_factory.mktemp("positions"))


@pytest.mark.parametrize("kind", POSITION_KINDS)
def test_logits_equal_a_second_form_and_a_cache_changes_nothing(folder, kind):
    translator = PositionTranslator.load(folder / kind, "cpu")
    assert translator.config.positions == kind and translator.folder == folder / kind
    check_against_a_second_form(translator)


@pytest.mark.parametrize("kind", shipped_kinds())
def test_a_network_that_ships_is_small_and_passes_the_same_checks(kind):
    translator = PositionTranslator.load(kind, "cpu")
    assert translator.config.positions == kind and translator.parameters <= MOST_PARAMETERS
    assert (SHIPPED / kind / "model.safetensors").stat().st_size <= MOST_BYTES
    assert translator.card["data"]["longest_tokens"] == LONGEST and translator.card["evaluation"]
    check_against_a_second_form(translator)


def check_against_a_second_form(translator):
    """Compare the logits with those without a tap and with a cache, and check the weights of a trace."""
    trace = translator.trace(SENTENCE, target="Je veux acheter une voiture.")
    check = trace.verify()
    assert check.max_difference < 1e-5 and check.row_sum_error < 2e-6 and check.masked_weight == 0
    source, target = torch.tensor([trace.source_ids]), torch.tensor([trace.target_ids])
    fused = translator.network(source, target)[0].numpy()  # without a tap
    np.testing.assert_allclose(trace.logits, fused, atol=1e-5 * np.abs(fused).max())
    decoder = translator.network.begin_decoding(source)
    cached = np.concatenate([decoder.step(target[0, place : place + 1]).numpy() for place in range(len(target[0]))])
    np.testing.assert_allclose(cached, fused, atol=1e-5 * np.abs(fused).max())
    np.testing.assert_allclose(trace.cross_attention.sum(axis=-1), 1, atol=2e-6)


def test_a_longer_sentence_or_target_than_the_learned_table_gets_one_sentence(folder):
    learned = PositionTranslator.load(folder / "learned", "cpu")
    with pytest.raises(InputError, match=rf"has \d+ tokens and the model reads at most {LONGEST}. Shorten it by"):
        learned.translate(LONG)
    ids = (5,) * (LONGEST + 2)
    with pytest.raises(InputError, match=rf"translation has {LONGEST + 2} tokens and the model reads at most 17"):
        learned.trace(SENTENCE, target_ids=ids)
    assert len(learned.trace(SENTENCE, target_ids=ids[1:]).next_ids) == LONGEST + 1
    assert PositionTranslator.load(folder / "rotary", "cpu").trace(LONG, target_ids=ids).logits.shape[0] == len(ids)


@pytest.mark.parametrize("name", ["card.json", "config.json", "model.safetensors"])
def test_a_missing_or_altered_file_gets_one_sentence(tmp_path, name):
    folder = write_networks(tmp_path) / "alibi"
    content = bytearray((folder / name).read_bytes())
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(CheckpointError, match="restore it with `git checkout -- assets`"):
        PositionTranslator.load(folder, "cpu")
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=f"{name}"):
        PositionTranslator.load(folder, "cpu")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_files_of_another_kind_are_refused_by_their_hash(tmp_path, name):
    folder = write_networks(tmp_path)  # of both kinds the weights have the same names and shapes
    (folder / "none" / name).write_bytes((folder / "alibi" / name).read_bytes())
    with pytest.raises(CheckpointError, match=f"{name} in .* does not match its recorded SHA-256"):
        PositionTranslator.load(folder / "none", "cpu")
