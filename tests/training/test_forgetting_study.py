"""The measurement of forgetting: figures by hand, and the whole command."""

import json

import numpy as np
import pytest

from model.lessons.forgetting import FILE, NETWORKS, load_forgetting
from model.lessons.recurrence_gradients import state_gradients
from model.recurrent_translator import RecurrentTranslator
from model.runtime.checkpoint import read_json
from training.__main__ import main
from training.forgetting_study import group_by_distance


def test_sizes_are_grouped_by_distance():
    near, far = group_by_distance([{0: 1.0, 1: 0.1}, {0: 4.0}])
    assert (near.sentences, near.mean, near.typical) == (2, 2.5, pytest.approx(2.0))
    assert near.spread == pytest.approx(np.log10(2))
    assert (far.sentences, far.mean, far.typical, far.spread) == (1, 0.1, pytest.approx(0.1), 0.0)


@pytest.mark.nightly
def test_the_command_measures_both_networks_and_binds_the_file_to_their_weights(folders, data_file, corpus):
    _, recurrent = folders
    words = ["forgetting", "--data", data_file, "--recurrent", recurrent, "--heldout", 6, "--sentences", 4]
    assert main([str(word) for word in (*words, "--device", "cpu")]) == 0
    hashes = {name: read_json(recurrent / name / "card.json")["weights_sha256"] for name in NETWORKS}
    figures = load_forgetting(hashes, recurrent)
    assert figures.to_dict() == json.loads((recurrent / FILE).read_text(), object_hook=_with_tuples)
    assert figures.sentences == 4
    sentences = list(corpus.heldout)[:4]
    for name, states in NETWORKS.items():
        model = RecurrentTranslator.load(recurrent / name, "cpu")
        sizes = [state_gradients(model.network, [*model.check(text), 3]) for text in sentences]
        for state in states:
            first = [getattr(one, state)[0] for one in sizes]  # the encoders read backwards: the first is read last
            assert figures.sizes[name][state][0].mean == pytest.approx(np.mean(first))
            longest = max(len(one.distance) for one in sizes)
            assert len(figures.sizes[name][state]) == longest - 1  # without `</s>`


def test_no_sentences_and_training_data_are_refused(folders, data_file, capsys):
    _, recurrent = folders
    words = ["forgetting", "--data", data_file, "--recurrent", recurrent]
    assert main([str(word) for word in (*words, "--heldout", 6, "--sentences", 0)]) == 2
    assert "leave nothing to measure" in capsys.readouterr().err
    assert main([str(word) for word in (*words, "--heldout", 7)]) == 2
    assert "was trained on some of these held-out sentences" in capsys.readouterr().err
    assert not (recurrent / FILE).exists()


def _with_tuples(values: dict) -> dict:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
