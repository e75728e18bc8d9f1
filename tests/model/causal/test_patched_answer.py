"""The answer of a patched run equals that of a whole run with this tensor replaced."""

import numpy as np
import pytest

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
