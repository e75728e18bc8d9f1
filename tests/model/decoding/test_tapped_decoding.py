"""Greedy decoding under a tap: the same as running the whole decoder for each token, with less work."""

import pytest
import torch

from model.decoding.search import greedy_batch
from model.decoding.tapped_decoding import greedy_with_tap_in_steps
from model.lessons.position_effects import POSITION_CHANGES, positions_tap
from model.lessons.scaling import scale_scores
from model.networks.tap import Chain, Intervention, Recorder
from model.networks.transformer import CachedDecoder
from model.runtime.progress import as_one_call
from model.tracing.head_interventions import Forbid, NoMask, OneHot, Scale, Temperature, Window
from model.tracing.interventions import HeadInterventions
from tests.model.networks import random_ids, tiny_network

generate_under = as_one_call(greedy_with_tap_in_steps)
SOURCE = [*random_ids(6).tolist(), 3]


def greedy_under(*arguments, **named) -> list[int]:
    return list(generate_under(*arguments, **named).ids)


ALL = ((0, 0), (0, 1), (1, 0), (1, 1))
SHAPES = {
    "encoder": (2, 2, len(SOURCE), len(SOURCE)),
    "decoder": (2, 2, 8, 8),
    "cross": (2, 2, 8, len(SOURCE)),
}
INTERVENTIONS = [
    (Scale("decoder", ((0, 1),), -2.0), Temperature("cross", ALL, 0.3)),
    (Window("decoder", ALL, 2), Window("encoder", ((1, 0),), 1)),
    (Forbid("cross", ALL, (1, 2)), Forbid("decoder", ((1, 1),), (3,))),
    (OneHot("decoder", ALL, 2), OneHot("cross", ((0, 0), (1, 1)), 1, 3)),
    (NoMask("decoder", ((0, 0), (1, 1))), Temperature("decoder", ((0, 0),), 0.2)),
    (NoMask("decoder", ((0, 1),)), OneHot("decoder", ((1, 0),), 5)),  # before the sixth key exists
]


@torch.inference_mode()
def token_by_token(network, source, tap, limit):
    """Run the whole decoder again for each token."""
    config = network.config
    memory = network.encode(torch.tensor([source]), None, tap)
    generated = [config.bos_id]
    while len(generated) <= limit and generated[-1] != config.eos_id:
        logits = network.project(network.decode(torch.tensor([generated]), memory, None, tap)[0, -1])
        logits[list(config.never_generated)] = -torch.inf
        generated.append(int(logits.argmax()))
    return generated[1:]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("changes", INTERVENTIONS)
def test_interventions_act_on_each_step_as_on_the_whole_target(changes, seed):
    network, plan = tiny_network(seed), HeadInterventions(changes)
    tap = plan.tap(SHAPES)
    expected = token_by_token(network, SOURCE, tap, 12)
    for draft in ((), expected, [7, 8, *expected[2:]], greedy_batch(network, [SOURCE], max_length=12)[0]):
        assert greedy_under(network, SOURCE, tap, 12, draft, looks_ahead=plan.looks_ahead) == expected


@pytest.mark.parametrize("change", POSITION_CHANGES)
@pytest.mark.parametrize("where", ["decoder", "both"])
def test_moved_positions_act_on_each_step_as_on_the_whole_target(change, where):
    network = tiny_network(2)
    tap = positions_tap(network, where, change, len(SOURCE), 6)
    expected = token_by_token(network, SOURCE, tap, 12)
    assert greedy_under(network, SOURCE, tap, 12) == expected
    assert greedy_under(network, SOURCE, tap, 12, [5, *expected]) == expected


@torch.inference_mode()
def test_cached_positions_equal_the_whole_target_and_can_be_discarded():
    network, tap = tiny_network(), HeadInterventions(INTERVENTIONS[0]).tap(SHAPES)
    memory = network.encode(torch.tensor([SOURCE]), None, tap)
    decoder, ids = CachedDecoder(network, memory, None, tap), random_ids(1, 9)
    decoder.extend(ids[:, :4])
    decoder.extend(torch.tensor([[7, 7, 7]]))
    decoder.truncate(4)
    assert decoder.cache.length == 4
    result, expected = decoder.extend(ids[:, 4:]), network.decode(ids, memory, None, tap)
    assert result.shape == (1, 5, network.config.d_model)
    assert (result - expected[:, 4:]).abs().max() < 1e-5


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
    taps = [
        scale_scores(network, ("encoder", "cross"), 2.0),
        HeadInterventions((Scale("cross", ((0, 1),)),)).tap(shapes),
    ]
    for tap in taps:
        plain = greedy_under(network, SOURCE, tap, 12)
        others = [plain[:5], [*plain[:3], 5, *plain[4:]], [7] * 20, [*plain[:4], network.config.eos_id], plain + [9, 9]]
        for draft in (plain, *others):
            assert greedy_under(network, SOURCE, tap, 12, draft) == plain


@torch.inference_mode()
@pytest.mark.parametrize("drafted", [False, True])
def test_probabilities_are_those_of_one_pass_over_the_finished_translation(drafted):
    network, tap = tiny_network(1), HeadInterventions(INTERVENTIONS[0]).tap(SHAPES)
    draft = greedy_batch(network, [SOURCE], max_length=12)[0] if drafted else ()
    generated = generate_under(network, SOURCE, tap, 12, draft)
    fed = torch.tensor([[network.config.bos_id, *generated.ids[:-1]]])
    memory = network.encode(torch.tensor([SOURCE]), None, tap)
    logits = network.project(network.decode(fed, memory, None, tap)[0])
    expected = logits.softmax(dim=-1).gather(-1, torch.tensor(generated.ids)[:, None])[:, 0]
    torch.testing.assert_close(torch.tensor(generated.probabilities), expected, atol=1e-5, rtol=0)


def test_a_correct_draft_takes_one_pass():
    network, passes = tiny_network(1), Passes()
    draft = greedy_batch(network, [SOURCE], max_length=12)[0]
    assert greedy_under(network, SOURCE, Chain(passes), 12, draft) == draft
    assert passes.count == 1
    greedy_under(network, SOURCE, passes, 12)
    assert passes.count == 1 + len(draft)


def test_each_step_reports_its_progress():
    network = tiny_network(1)
    generated = greedy_under(network, SOURCE, Intervention({}), 5)
    parts = list(greedy_with_tap_in_steps(network, SOURCE, Intervention({}), 5))
    assert parts == [(done, 5) for done in range(1, len(generated) + 1)]


class Passes:
    """A tap that counts how often the decoder ran."""

    count = 0

    def __call__(self, name: str, tensor: torch.Tensor) -> torch.Tensor:
        self.count += name == "decoder.embedded"
        return tensor
