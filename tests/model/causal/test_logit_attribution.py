"""The parts of a logit sum to it, and each is what the logit loses without it while the norms are frozen."""

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.logit_attribution import attribute_logit
from model.causal.own_networks import resumable
from tests.model.causal.small_networks import inputs_of, small_network

NETWORKS = ["translator", "language", "vision"]


class FrozenNorms:
    """Runs a network with the means and deviations of its norms as in an earlier run."""

    def __init__(self, network):
        self.norms = [module for module in network.modules() if isinstance(module, torch.nn.LayerNorm)]
        self.statistics = {}

    def record(self, module, arguments, output):
        (stream,) = arguments
        deviation = (stream.var(-1, correction=0, keepdim=True) + module.eps).sqrt()
        self.statistics[module] = deviation

    def freeze(self, module, arguments, output):
        (stream,) = arguments
        centred = stream - stream.mean(-1, keepdim=True)
        return centred / self.statistics[module] * module.weight + module.bias

    def __call__(self, run, hook):
        handles = [norm.register_forward_hook(hook) for norm in self.norms]
        try:
            return run()
        finally:
            for handle in handles:
                handle.remove()


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("other", [None, 2])
def test_parts_sum_to_the_logit(kind, other):
    network, inputs = small_network(kind), inputs_of(kind, 1)
    causal = resumable(network)
    logits = causal.logits(causal.run(inputs))[0]
    for position in range(len(logits)):
        result = attribute_logit(causal, inputs, 1, other, position)
        wanted = logits[position, 1] - (0 if other is None else logits[position, other])
        assert result.logit == pytest.approx(float(wanted), abs=1e-12)
        assert abs(result.remainder) < 1e-12
        values = np.concatenate([table.values.ravel() for table in result.tables.values()])
        assert values.sum() == pytest.approx(result.logit, abs=1e-11)
        assert min(np.abs(table).min() for table in result.heads.values()) > 1e-8


@pytest.mark.parametrize("kind", NETWORKS)
def test_each_head_is_what_the_logit_loses_without_it_under_frozen_norms_and_frozen_other_parts(kind):
    """All norms are frozen and every other sub-layer's output too, so that only the direct path remains."""
    network, inputs = small_network(kind), inputs_of(kind, 1)
    causal = resumable(network)
    run = causal.record(inputs)
    frozen = FrozenNorms(network)
    frozen(lambda: causal.run(inputs), frozen.record)
    result = attribute_logit(causal, inputs, 1, 2)
    outputs = {name: tensor for name, tensor in run.tensors.items() if name.endswith("sublayer_output")}
    for attention in causal.kinds:
        if attention.stack != causal.output_stack:
            continue
        for layer in range(2):
            for head in range(2):
                name = attention.tap_name(layer)
                part = run.tensors[f"{name}.outputs"][:, head]
                columns = causal.attention(attention, layer).output.weight.unflatten(1, (2, -1))[:, head]
                without = {**outputs, f"{name}.sublayer_output": outputs[f"{name}.sublayer_output"] - part @ columns.T}

                def tap(step, tensor, without=without):
                    return without.get(step, tensor)

                logits = causal.logits(frozen(lambda tap=tap: causal.run(inputs, tap), frozen.freeze))[0, -1]
                share = result.logit - float(logits[1] - logits[2])
                assert result.heads[attention.name][layer, head] == pytest.approx(share, abs=1e-11)


def test_single_precision_sums_to_a_ten_thousandth():
    for kind in NETWORKS:
        inputs = tuple(part if part.dtype == torch.int64 else part.float() for part in inputs_of(kind, 1))
        result = attribute_logit(resumable(small_network(kind).float()), inputs, 1, 2)
        assert 0 < abs(result.remainder) < 1e-4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((64,), "no logit 64"), ((1, -1), "no logit -1"), ((1, 2, 5), "no output position 5; there are 5")],
)
def test_what_does_not_exist_gets_one_sentence(arguments, message):
    with pytest.raises(CausalError, match=message):
        attribute_logit(resumable(small_network("language")), inputs_of("language", 1), *arguments)
