"""The study of attention without projections: the whole command, counts by hand, and the shipped file."""

import json
import math
import shutil

import pytest
import torch

from model import CheckpointError, Translator
from model.lessons.raw_attention import RawAttention, encoder_stages
from model.lessons.raw_attention_heldout import FILE, RawAttentionFigures
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import RecurrentConfig
from model.recurrent_translator import SHIPPED
from model.runtime.checkpoint import read_json, write_json
from model.translator import SHIPPED as TRANSLATOR
from training.__main__ import main
from training.card import write_weights
from training.raw_attention_study import StageSums, unused_tokens, vocabulary_exceeding


def test_rows_and_pairs_of_a_vocabulary():
    rows = torch.tensor([[1.0, 0], [2, 0], [4, 1], [0, 3], [2, 0]])
    # row 0 is exceeded by 1, 2 and 4, rows 1 and 4, which are equal, by 2
    tokens, pairs, wide, widest = vocabulary_exceeding(rows)
    assert (tokens, pairs, wide) == ([0, 1, 4], 5, 0)
    assert widest == pytest.approx(math.degrees(math.atan2(1, 4)))
    assert vocabulary_exceeding(torch.eye(700)) == ([], 0, 0, 0)


@pytest.mark.parametrize("angle", [10, 44, 46, 70, 89])
def test_a_row_is_exceeded_at_any_angle_below_90_degrees_by_one_that_is_long_enough(angle):
    radians = math.radians(angle)
    direction, long = torch.tensor([math.cos(radians), math.sin(radians)]), 1.01 / math.cos(radians)
    for length, exceeded in ((long, True), (0.98 * long, False)):
        rows = torch.stack([torch.tensor([1.0, 0.0]), length * direction])
        tokens, pairs, wide, widest = vocabulary_exceeding(rows)
        assert (tokens, pairs, wide) == ([0] * exceeded, exceeded, exceeded and angle > 45)
        assert widest == pytest.approx(angle * exceeded, abs=1e-4)


def test_bytes_and_special_tokens_are_counted():
    tokenizer = Translator.load(device="cpu").tokenizer
    special = [tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id]
    assert unused_tokens([*special, *tokenizer.encode("\uac00"), *tokenizer.encode("a cat")], tokenizer) == 4 + 3


def test_one_stage_is_summed_up_over_sentences():
    gathered = StageSums()
    for vectors, heads in (([[1, 0], [2, 0]], [[0.2, 0.8], [0.4, 0.6]]), ([[3, 0], [3, 0]], [[0.5, 0.5], [1, 0]])):
        raw = RawAttention(torch.tensor(vectors, dtype=torch.float32).numpy(), torch.tensor([heads]).numpy())
        gathered.add(raw)
    figures = gathered.figures("layer-1")
    assert (figures.stage, figures.pairs, figures.exceeding, figures.equal) == ("layer-1", 4, 1, 2)
    assert figures.own["cosine"] == pytest.approx(0.5)
    assert figures.trained == pytest.approx((0.2 + 0.6 + 0.5 + 0) / 4)
    assert figures.trained_first == pytest.approx(2 / 4)


@pytest.fixture
def folders(trained, tmp_path):
    """The finished toy translator, and an untrained recurrent network."""
    transformer, recurrent = shutil.copytree(trained, tmp_path / "transformer"), tmp_path / "recurrent"
    card = read_json(transformer / "card.json")
    torch.manual_seed(0)
    size = len(Translator.load(transformer, "cpu").tokenizer)
    config = RecurrentConfig.preset("lstm-dot", vocabulary_size=size, d_model=16)
    write_json(recurrent / "config.json", config.to_dict())
    shutil.copy(transformer / "tokenizer.model", recurrent)
    facts = {"tokenizer_sha256": card["tokenizer_sha256"], "data": card["data"]}
    write_json(recurrent / "card.json", write_weights(recurrent, RecurrentNetwork(config)) | facts)
    return transformer, recurrent


def run_command(folders, data_file, *more):
    words = ["raw-attention", "--data", data_file, "--model", folders[0], "--recurrent", folders[1], *more]
    return main([str(word) for word in (*words, "--device", "cpu")])


def test_the_command_binds_the_file_to_both_weights(folders, data_file, corpus):
    assert run_command(folders, data_file, "--heldout", 6, "--sentences", 4) == 0
    hashes = tuple(read_json(folder / "card.json")["weights_sha256"] for folder in folders)
    figures = RawAttentionFigures.read(folders[0], hashes)
    assert figures.to_dict()["stages"] == tuple(json.loads((folders[0] / FILE).read_text())["stages"])
    translator = Translator.load(folders[0], "cpu")
    chosen = list(corpus.heldout.items())[:4]
    lengths = [len(translator.tokenizer.encode_source(english)) for english, _ in chosen]
    assert (figures.sentences, figures.tokens, figures.vocabulary) == (4, sum(lengths), len(translator.tokenizer))
    stages = [encoder_stages(translator.network, translator.trace(text, target=french[0])) for text, french in chosen]
    assert [stage.stage for stage in figures.stages] == [
        "embedding", *(f"layer-{layer}" for layer in range(1, len(stages[0]) - 1)), "output", "lstm",
    ]  # fmt: skip
    for place, stage in enumerate(figures.stages[:-1]):
        assert stage.pairs == sum(length * (length - 1) for length in lengths)
        assert stage.exceeding == sum(int(comparison[place].exceeds.sum()) for comparison in stages)
        assert (stage.trained is None) == (stages[0][place].heads is None)
    with pytest.raises(CheckpointError, match="belongs to other weights"):
        RawAttentionFigures.read(folders[0], ("a", "b"))


def test_training_data_and_no_sentences_are_refused(folders, data_file, capsys):
    assert run_command(folders, data_file, "--heldout", 7) == 2
    assert "was trained on some of these held-out sentences" in capsys.readouterr().err
    assert run_command(folders, data_file, "--heldout", 6, "--sentences", 0) == 2
    assert "give --sentences 1 or more" in capsys.readouterr().err
    assert not (folders[0] / FILE).exists()


def test_the_shipped_study_is_of_the_shipped_weights():
    cards = (read_json(folder / "card.json") for folder in (TRANSLATOR, SHIPPED / "lstm-dot"))
    figures = RawAttentionFigures.read(TRANSLATOR, tuple(card["weights_sha256"] for card in cards))
    rows = vocabulary_exceeding(Translator.load(device="cpu").network.embedding.weight)
    counts = (figures.vocabulary_tokens, figures.vocabulary_pairs, figures.vocabulary_wide)
    assert counts == (len(rows.tokens), rows.pairs, rows.wide)
    assert figures.vocabulary_wide / figures.vocabulary_pairs > 0.3 and figures.vocabulary_widest > 70
    assert figures.vocabulary_tokens - figures.vocabulary_unused < 10
    assert figures.sentences == 500 and len(figures.stages) == 7
    assert len(figures.examples) == min(8, sum(stage.exceeding > 0 for stage in figures.stages))
    text, stage = figures.examples[0][1], figures.examples[0][0]
    assert stage == "lstm" and Translator.load(device="cpu").check(text)
