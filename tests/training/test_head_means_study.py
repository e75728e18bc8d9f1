"""Mean outputs of the heads over validation sentences: by hand, and as the models find them."""

import shutil

import numpy as np
import pytest
import torch

from model.causal.metrics import TargetLoss
from model.data.corpus import read_split
from model.language_model import LanguageModel
from model.networks.tap import Recorder
from model.runtime.checkpoint import sha256_of, write_json
from model.translator import Translator
from tests.model.causal.small_networks import small_language_network
from tests.model.networks import tiny_network
from training.__main__ import main
from training.card import write_weights


@pytest.fixture(params=["translator", "language"])
def folder(request, tokenizer, tmp_path):
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


def test_the_command_writes_means_over_all_positions(folder, data_file, capsys):
    path, type_of = folder
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
def test_numbers_that_leave_nothing_get_one_sentence(folder, data_file, capsys, arguments, message):
    command = ["head-means", "--model", str(folder[0]), "--data", str(data_file), "--heldout", "6"]
    assert main([*command, *arguments]) == 2
    assert message in capsys.readouterr().err
