"""Every row of the stream is read out as the architecture reads its last one."""

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.logit_lens import logit_lens, logit_lens_in_steps
from model.causal.own_networks import resumable
from model.networks.tap import Recorder
from tests.model.causal.small_networks import inputs_of, small_network

POSITIONS = {"translator": 3, "language": 5, "vision": 10}


def read_out(kind: str, network, stream: torch.Tensor) -> torch.Tensor:
    """Logits of a row of the stream, written out for each architecture."""
    if kind == "vision":
        return network.head(network.norm(stream))
    stream = network.norm(stream) if kind == "language" else stream
    return stream @ network.embedding.weight.T


@pytest.mark.parametrize("kind", POSITIONS)
def test_each_row_is_read_out_with_the_last_norm_of_pre_norm_networks_alone(kind):
    network, inputs, count = small_network(kind), inputs_of(kind, 1), POSITIONS[kind]
    causal = resumable(network)
    right = [place % 3 for place in range(count)]
    lens = logit_lens(causal, inputs, right, [str(place) for place in range(count)], top=3)
    recorder = Recorder()
    causal.run(inputs, recorder)
    stack = causal.output_stack
    names = [f"{stack}.embedded", f"{stack}.0.residual", f"{stack}.1.residual"]
    final = read_out(kind, network, recorder.tensors[names[-1]][0]).log_softmax(-1)
    for row, name in enumerate(names):
        ln_p = read_out(kind, network, recorder.tensors[name][0]).log_softmax(-1)
        np.testing.assert_allclose(lens.probabilities[row], ln_p.exp()[range(count), right], atol=1e-12)
        best = ln_p.argsort(dim=-1, descending=True)[:, :3]
        np.testing.assert_array_equal(lens.top_ids[row], best)
        np.testing.assert_allclose(lens.top_probabilities[row], ln_p.exp().gather(1, best), atol=1e-12)
        ranks = [1 + int((values > values[id_]).sum()) for values, id_ in zip(ln_p, right, strict=True)]
        assert lens.ranks[row].tolist() == ranks
        divergence = (ln_p.exp() * (ln_p - final)).sum(-1)
        np.testing.assert_allclose(lens.divergence[row], divergence, atol=1e-12)
    assert lens.difference < 1e-14 and np.abs(lens.divergence[-1]).max() == 0
    assert lens.divergence[0].min() > 1e-4
    assert lens.tables["top_id"].values.shape == (3, count, 3)
    assert lens.tables["probability"].axes[0].labels == (0, 1, 2)


@pytest.mark.parametrize(
    ("right", "labels", "top", "message"),
    [
        ([1] * 4, ["x"] * 5, 5, "5 positions; give a token and a label for each, not 4 and 5"),
        ([1] * 5, ["x"] * 5, 0, "from 1 to 64"),
        ([1] * 5, ["x"] * 5, 65, "from 1 to 64"),
        ([64] * 5, ["x"] * 5, 5, "does not exist; there are 64"),
    ],
)
def test_what_cannot_be_read_gets_one_sentence(right, labels, top, message):
    with pytest.raises(CausalError, match=message):
        logit_lens(resumable(small_network("language")), inputs_of("language", 1), right, labels, top)


def test_long_texts_are_read_out_in_parts(monkeypatch):
    causal, inputs = resumable(small_network("language")), inputs_of("language", 1)
    arguments = causal, inputs, [0] * 5, list("abcde")
    whole = logit_lens(*arguments)
    monkeypatch.setattr("model.causal.logit_lens.PROJECTED", 2 * causal.columns)
    assert [step.done for step in logit_lens_in_steps(*arguments)] == [2, 4, 5]
    parts = logit_lens(*arguments)
    for name, table in whole.tables.items():
        np.testing.assert_allclose(parts.tables[name].values, table.values, atol=1e-12)
    assert parts.difference <= 1e-12
