"""Runs with edges cut, of networks that give one answer: a ViT, a decoder-only network, and opened models."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from model.causal.experiments import Experiment
from model.causal.metrics import LogitDifference
from model.causal.own_networks import resumable
from model.causal.path_edges import LOGITS, TOKEN, WHOLE_INPUT, cut_answer_in_steps, path_edges_in_steps
from model.runtime.progress import run_to_end
from tests.model.causal.small_networks import inputs_of, small_network
from tests.model.hub.causal.live_models import live
from tests.tiers import nightly

MASKED = "The quick [MASK] fox", "The quick [MASK] dog"
METRIC = LogitDifference(5, 9)


def setting(name: str):
    """A network as the methods run it, and two inputs of equal length."""
    if name in ("vision", "language"):
        causal = resumable(small_network(name))
        metric = LogitDifference(0, 1) if name == "vision" else METRIC
        return causal, Experiment(inputs_of(name, 1), inputs_of(name, 2), {}, {}, metric)
    model = live(name)
    if name == "albert":
        return model.resumable, dataclasses.replace(model.prepare_experiment(*MASKED), metric=METRIC)
    texts = ("The quick brown fox", "The quick brown dog")
    if model.task == "fill":
        texts = MASKED
    return model.resumable, model.prepare_experiment(*texts)


@pytest.mark.parametrize("name", ["vision", "language", "gpt2", nightly("llama"), nightly("bert")])
@pytest.mark.parametrize("by_token", [True, False])
def test_cut_edges_have_their_effects_and_all_of_them_give_the_other_answer(name, by_token):
    causal, experiment = setting(name)
    found = run_to_end(path_edges_in_steps(causal, experiment, by_token=by_token))
    metric = experiment.measured(None)
    place = getattr(metric, "position", -1)
    scale = max(abs(found.heads.receiver), abs(found.heads.donor), 1.0)
    close = {"abs": scale * (1e-9 if experiment.clean[0].dtype == torch.float64 or name == "language" else 2e-5)}
    senders = {edge.sender.kind for edge in found.edges}
    assert (TOKEN in senders, WHOLE_INPUT in senders) == (by_token, not by_token)
    kinds = {(edge.sender.kind, edge.receiver.kind, edge.input): edge for edge in found.edges}
    for edge in kinds.values():
        cut = run_to_end(cut_answer_in_steps(causal, experiment, [edge], place))
        assert cut.value - found.heads.receiver == pytest.approx(edge.effect, **close), edge.id
    everything = run_to_end(cut_answer_in_steps(causal, experiment, found.edges, place))
    direct = [edge for edge in found.edges if edge.receiver.kind == LOGITS]
    assert direct and everything.value == pytest.approx(found.heads.donor, abs=close["abs"] * 10)
    assert everything.probabilities.sum() == pytest.approx(1, abs=1e-6)
    nothing = run_to_end(cut_answer_in_steps(causal, experiment, [], place))
    with torch.no_grad():
        own = causal.logits(causal.run(experiment.clean)[:1, place])[0].double().softmax(dim=-1).numpy()
    np.testing.assert_allclose(nothing.probabilities, own, atol=1e-6)


def test_a_network_without_a_proven_stream_has_edges_between_heads_alone():
    causal, experiment = setting("albert")
    found = run_to_end(path_edges_in_steps(causal, experiment))
    assert {edge.sender.kind for edge in found.edges} == {"encoder"}
    edge = found.edges[0]
    cut = run_to_end(cut_answer_in_steps(causal, experiment, [edge], -1))
    assert cut.value - found.heads.receiver == pytest.approx(edge.effect, abs=2e-5)
