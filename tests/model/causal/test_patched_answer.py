"""The answer of a patched run equals that of a whole run with this tensor replaced."""

import numpy as np
import pytest

from model.causal.causal_error import CausalError
from model.causal.experiments import Experiment
from model.causal.metrics import LogitDifference
from model.causal.own_networks import resumable
from model.causal.patched_answer import patched_probabilities
from model.networks.tap import Intervention, Recorder
from tests.model.causal.small_networks import inputs_of, small_network


@pytest.mark.parametrize("direction", ["denoising", "noising"])
def test_probabilities_equal_a_whole_runs(direction):
    network = small_network("vision")
    clean, corrupt = inputs_of("vision", 1), inputs_of("vision", 2)
    labels = {"vision": tuple(map(str, range(10)))}
    experiment = Experiment(clean, corrupt, labels, labels, LogitDifference(1, 2))
    give, receive = (clean, corrupt) if direction == "denoising" else (corrupt, clean)
    recorder = Recorder()
    network(*give, recorder)
    cells = {
        ("head_output", (1, 0), None): ("vision.1.self.outputs", (0, 0)),
        ("residual", (1, 0), (0,)): ("vision.0.residual", (0, 0)),
    }
    for (site, cell, positions), (name, index) in cells.items():

        def change(tensor, name=name, index=index):
            changed = tensor.clone()
            changed[index] = recorder.tensors[name][index]
            return changed

        expected = network(*receive, Intervention({name: change}))[0].softmax(dim=-1)
        found = patched_probabilities(
            resumable(network), experiment, site, "vision", cell, direction=direction, positions=positions
        )
        np.testing.assert_allclose(found, expected.numpy(), atol=1e-12)


def test_other_positions_heads_at_a_position_and_layers():
    network = small_network("language")
    clean, corrupt = inputs_of("language", 1), inputs_of("language", 2)
    labels = {"decoder": tuple(map(str, range(5)))}
    experiment = Experiment(clean, corrupt, labels, labels, LogitDifference(1, 2))
    recorder = Recorder()
    resumable(network).run(clean, recorder)

    def change(tensor):
        changed = tensor.clone()
        changed[0, 1, 2] = recorder.tensors["decoder.1.self.outputs"][0, 1, 2]
        return changed

    changed = resumable(network).run(corrupt, Intervention({"decoder.1.self.outputs": change}))
    expected = resumable(network).logits(changed)[0, 3].softmax(dim=-1)
    arguments = resumable(network), experiment, "head_output", "decoder", (0, 1, 2)
    found = patched_probabilities(*arguments, by_position=True, layers=[1], position=3)
    np.testing.assert_allclose(found, expected.numpy(), atol=1e-12)
    with pytest.raises(CausalError, match="layers of this site from 0 to 1"):
        patched_probabilities(*arguments, layers=[2])
