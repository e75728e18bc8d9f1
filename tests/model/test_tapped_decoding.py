"""Greedy decoding under a tap: an idle tap changes nothing, and a draft only saves work."""

import pytest
import torch

from model.decoding import greedy_batch
from model.interventions import Interventions, Scale
from model.position_effects import positions_tap
from model.scaling import scores_times
from model.tap import Chain, Intervention, Recorder
from model.tapped_decoding import greedy_under, greedy_under_in_parts
from tests.model.networks import random_ids, tiny_network

SOURCE = [*random_ids(6).tolist(), 3]


@pytest.mark.parametrize("seed", range(3))
def test_an_idle_tap_is_greedy_decoding(seed):
    network = tiny_network(seed)
    expected = greedy_batch(network, [SOURCE], max_length=12)[0]
    assert greedy_under(network, SOURCE, Intervention({}), 12) == expected
    assert greedy_under(network, SOURCE, positions_tap(network, "both", "kept", len(SOURCE), 4), 12) == expected
    assert greedy_under(network, SOURCE, Recorder(), 3) == expected[:3]


@pytest.mark.parametrize("seed", range(4))
def test_a_draft_changes_the_work_and_not_the_translation(seed):
    network = tiny_network(seed)
    shapes = {"cross": (2, 2, 1, len(SOURCE))}
    taps = [scores_times(network, ("encoder", "cross"), 2.0), Interventions((Scale("cross", ((0, 1),)),)).tap(shapes)]
    for tap in taps:
        plain = greedy_under(network, SOURCE, tap, 12)
        others = [plain[:5], [*plain[:3], 5, *plain[4:]], [7] * 20, [*plain[:4], network.config.eos_id], plain + [9, 9]]
        for draft in (plain, *others):
            assert greedy_under(network, SOURCE, tap, 12, draft) == plain


def test_a_right_draft_takes_one_pass():
    network, passes = tiny_network(1), Passes()
    draft = greedy_batch(network, [SOURCE], max_length=12)[0]
    assert greedy_under(network, SOURCE, Chain(passes), 12, draft) == draft
    assert passes.count == 1
    greedy_under(network, SOURCE, passes, 12)
    assert passes.count == 1 + len(draft)


def test_each_step_is_a_part():
    network = tiny_network(1)
    written = greedy_under(network, SOURCE, Intervention({}), 5)
    parts = list(greedy_under_in_parts(network, SOURCE, Intervention({}), 5))
    assert parts == [(done, 5) for done in range(1, len(written) + 1)]


class Passes:
    """A tap that counts how often the decoder ran."""

    count = 0

    def __call__(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        self.count += name == "decoder.embedded"
        return tensor
