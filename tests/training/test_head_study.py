"""The statistics of the heads: measured by the command, shipped with the weights, listed in the card."""

import json
import shutil

import numpy as np
import pytest
import torch

from model.attribution.head_ablation import ablate_translation_heads
from model.attribution.head_labels import text_scores
from model.attribution.head_statistics import FILE, load_statistics
from model.causal.metrics import TargetLoss
from model.data.corpus import Corpus, read_split
from model.language_model import LanguageModel
from model.networks.tap import Recorder
from model.runtime.checkpoint import CheckpointError, sha256_of, write_json
from model.text.word_alignment import AlignmentTable, find_links
from model.tracing.kinds import CROSS
from model.translator import Translator
from tests.model.causal.small_networks import small_language_network
from tests.model.networks import tiny_network
from training.__main__ import main
from training.card import evaluate_translator, write_weights
from training.head_study import study_translator
from training.readable_card import write_readable_card

SENTENCES = 3


@pytest.fixture(scope="module")
def folder(trained, data_file, tmp_path_factory):
    """A copy of the finished translator, studied by the command."""
    copy = shutil.copytree(trained, tmp_path_factory.mktemp("studied") / "copy")
    words = ["heads", "--data", data_file, "--model", copy, "--heldout", 6, "--sentences", SENTENCES, "--device", "cpu"]
    assert main([str(word) for word in words]) == 0
    return copy


def test_means_and_spreads_are_over_the_first_held_out_sentences(folder, corpus):
    translator = Translator.load(folder, "cpu")
    alignment = AlignmentTable.load(folder, translator.card["tokenizer_sha256"])
    statistics = load_statistics(folder, translator.weights_sha256)
    assert (statistics.inputs, statistics.of) == (SENTENCES, "held-out sentences")
    changes, aligned, same = [], [], []
    for english, french in list(corpus.heldout.items())[:SENTENCES]:
        trace = translator.trace(english, target=french[0])
        changes.append(ablate_translation_heads(translator.network, trace).changes["cross"])
        links = find_links(alignment, trace.source_ids, trace.next_ids)
        scores = text_scores(trace.cross_attention, CROSS, trace.target_ids, trace.source_ids, links)
        same.append(scores.scores["same"])
        if links.any():
            aligned.append(scores.scores["aligned"])
    cross = statistics.kinds["cross"]
    np.testing.assert_allclose(cross.effect.mean, np.mean(changes, axis=0), atol=2e-5)
    np.testing.assert_allclose(cross.effect.sd, np.std(changes, axis=0), atol=2e-5)
    np.testing.assert_allclose(cross.scores["same"].mean, np.mean(same, axis=0), atol=2e-5)
    assert aligned, "the alignment links nothing in the toy language"
    np.testing.assert_allclose(cross.scores["aligned"].mean, np.mean(aligned, axis=0), atol=2e-5)
    assert set(statistics.kinds) == {"encoder", "decoder", "cross"}
    assert statistics.kinds["encoder"].effect.mean.shape == translator.trace("The cat.").encoder_attention.shape[:2]


def test_the_card_has_a_line_for_each_head_and_retains_it(folder, corpus):
    text = (folder / "card.md").read_text()
    statistics = load_statistics(folder, sha256_of(folder / "model.safetensors"))
    assert f"Over {SENTENCES} held-out sentences" in text
    for kind, table in statistics.kinds.items():
        for layer, head in np.ndindex(*table.effect.mean.shape):
            (line,) = [line for line in text.splitlines() if line.startswith(f"| {kind} {layer + 1}.{head + 1} |")]
            assert table.label(layer, head).name in line
            assert f"{table.effect.mean[layer, head]:+.4f} ± {table.effect.sd[layer, head]:.4f}" in line
    evaluate_translator(folder, corpus, "cpu")
    assert "## What the heads do" in (folder / "card.md").read_text()
    assert text.index("## Quality") < text.index("## What the heads do") < text.index("## Files")


def test_statistics_of_other_weights_leave_the_card_and_are_refused(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    content = json.loads((copy / FILE).read_text())
    (copy / FILE).write_text(json.dumps(content | {"weights_sha256": "0" * 64}))
    write_readable_card(copy)
    assert "## What the heads do" not in (copy / "card.md").read_text()
    with pytest.raises(CheckpointError, match="belongs to other weights"):
        load_statistics(copy, sha256_of(copy / "model.safetensors"))


def test_another_data_file_and_no_sentences_are_refused(folder, corpus, data_file, capsys):
    before = (folder / FILE).read_bytes()
    with pytest.raises(ValueError, match="so no sentence is held out"):
        study_translator(folder, Corpus(corpus.train, corpus.heldout, "0" * 64), device="cpu")
    words = ["heads", "--data", data_file, "--model", folder, "--heldout", 7]
    for more, message in ((["--sentences", 0], "leave nothing to measure"), ([], "give a smaller --heldout")):
        assert main([str(word) for word in [*words, *more]]) == 2
        assert message in capsys.readouterr().err
    assert (folder / FILE).read_bytes() == before


@pytest.fixture(params=["translator", "language"])
def untrained(request, tokenizer, tmp_path):
    """A folder as training writes it, without figures."""
    make = tiny_network if request.param == "translator" else small_language_network
    network = make(vocabulary_size=len(tokenizer))
    folder = tmp_path / "network"
    folder.mkdir()
    shutil.copy(tokenizer.path, folder / "tokenizer.model")
    write_json(folder / "config.json", network.config.to_dict())
    hashes = {"tokenizer_sha256": sha256_of(folder / "tokenizer.model")}
    write_json(folder / "card.json", write_weights(folder, network) | hashes)
    (folder / "card.md").write_text("# Model card\n")
    return folder, LanguageModel if request.param == "language" else Translator


def test_the_command_writes_means_over_all_positions(untrained, data_file, capsys):
    path, type_of = untrained
    command = ["head-means", "--model", str(path), "--data", str(data_file), "--heldout", "6", "--sentences", "4"]
    assert main([*command, "--device", "cpu"]) == 0
    assert "4 sentences" in capsys.readouterr().out
    model = type_of.load(path, "cpu")
    corpus = read_split(data_file, 6, 4)
    outputs = []
    with torch.inference_mode():
        for english, french in corpus.validation.items():
            trace = model.trace(english, french[0])
            recorder = Recorder({"decoder.1.self.outputs"})
            model.resumable.run(model.read_trace(trace).inputs, recorder)
            outputs.append(recorder.tensors["decoder.1.self.outputs"][0])  # (head, position, d_k)
    wanted = torch.cat(outputs, dim=1).double().mean(dim=1)
    means = model.head_means
    assert means.inputs == 4
    np.testing.assert_allclose(means.means["decoder"][1], wanted, atol=1e-6)
    result = model.replace_heads(trace, "mean", metric=TargetLoss((5,), (0,)), pairs_among=0)
    assert np.abs(result.effects["decoder"]).max() > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(["--sentences", "0"], "0 sentences leave nothing"), (["--sentences", "100000"], "too few different sentences")],
)
def test_numbers_that_leave_nothing_get_one_sentence(untrained, data_file, capsys, arguments, message):
    command = ["head-means", "--model", str(untrained[0]), "--data", str(data_file), "--heldout", "6"]
    assert main([*command, *arguments]) == 2
    assert message in capsys.readouterr().err
