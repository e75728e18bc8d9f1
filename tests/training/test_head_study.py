"""The statistics of the heads: measured by the command, shipped with the weights, listed in the card."""

import json
import shutil

import numpy as np
import pytest

from model.attribution.head_ablation import ablate_translation_heads
from model.attribution.head_labels import text_scores
from model.attribution.head_statistics import FILE, load_statistics
from model.data.corpus import Corpus
from model.runtime.checkpoint import CheckpointError, sha256_of
from model.text.word_alignment import AlignmentTable, find_links
from model.tracing.kinds import CROSS
from model.translator import Translator
from training.__main__ import main
from training.card import card_markdown, evaluate_translator
from training.head_card import write_readable_card
from training.head_study import study_translator

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
    write_readable_card(copy, card_markdown)
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
