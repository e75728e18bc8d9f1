"""The recipe, its optimisers and the learning rate."""

import copy
import math

import pytest
import torch

from tests.model.networks import random_ids, tiny_network
from training.optimizer import (
    Recipe,
    build_optimizers,
    optimizer_tensors,
    rate_factor,
    restore_optimizers,
    set_rate,
)

RECIPE = Recipe(learning_rate=0.01, matrix_learning_rate=0.02)


def descend(network, optimizers, steps: int, first: int = 0) -> list[float]:
    """Train on fixed random ids; the losses."""
    losses = []
    for step in range(first, first + steps):
        set_rate(optimizers, 1 / (step + 1))
        source, target = random_ids(4, 5, seed=step), random_ids(4, 6, seed=step + 100)
        logits = network(source, target[:, :-1])
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten())
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize(
    ("step", "progress", "warmup", "expected"),
    [
        (0, 0.0, 4, 0.25),
        (1, 0.0, 4, 0.5),
        (3, 0.0, 4, 1.0),
        (4, 0.0, 4, 1.0),
        (100, 0.25, 4, 0.75),
        (1, 0.5, 4, 0.25),
        (100, 1.0, 4, 0.0),
        (100, 1.5, 4, 0.0),
        (0, 0.0, 0, 1.0),
        (0, 0.5, 1, 0.5),
    ],
)
def test_the_rate_rises_over_the_warm_up_and_falls_over_the_run(step, progress, warmup, expected):
    assert rate_factor(step, progress, warmup) == expected


@pytest.mark.parametrize(("progress", "expected"), [(0, 1), (1 / 3, 0.75), (0.5, 0.5), (2 / 3, 0.25), (1, 0)])
def test_a_cosine_falls_along_half_a_wave(progress, expected):
    assert rate_factor(100, progress, 10, "cosine") == pytest.approx(expected, abs=1e-12)
    assert rate_factor(4, progress, 10, "cosine") == pytest.approx(expected / 2, abs=1e-12)


def test_muon_gets_the_matrices_inside_the_layers_and_adamw_everything_else():
    network = tiny_network()
    adam, muon = build_optimizers(network, RECIPE)
    assert isinstance(adam, torch.optim.AdamW) and isinstance(muon, torch.optim.Muon)
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    with_muon = {names[id(p)] for group in muon.param_groups for p in group["params"]}
    with_adam = {names[id(p)] for group in adam.param_groups for p in group["params"]}
    assert with_muon | with_adam == set(names.values())
    assert not with_muon & with_adam
    assert all(name.endswith(".weight") and "norm" not in name and "embedding" not in name for name in with_muon)
    assert len(with_muon) == 2 * (4 + 2) + 2 * (8 + 2)
    assert "embedding.weight" in with_adam and "decoder.0.cross_norm.norm.weight" in with_adam


def test_without_a_rate_for_matrices_adamw_gets_all():
    network = tiny_network()
    (adam,) = build_optimizers(network, Recipe(matrix_learning_rate=0))
    assert sum(len(group["params"]) for group in adam.param_groups) == len(list(network.parameters()))


def test_each_optimiser_has_its_own_peak():
    optimizers = build_optimizers(tiny_network(), RECIPE)
    for factor in (0.5, 0.1, 1.0):
        set_rate(optimizers, factor)
        assert [group["lr"] for o in optimizers for group in o.param_groups] == [0.01 * factor, 0.02 * factor]


def test_restored_optimisers_continue_exactly_as_the_saved_ones():
    network = tiny_network()
    optimizers = build_optimizers(network, RECIPE)
    descend(network, optimizers, 4)
    saved = {name: tensor.clone() for name, tensor in optimizer_tensors(optimizers).items()}
    assert any(tensor.ndim == 2 for name, tensor in saved.items() if name.startswith("optimizer.1."))
    network_copy = copy.deepcopy(network)
    restored = build_optimizers(network_copy, RECIPE)
    restore_optimizers(restored, saved | {"averaged": torch.tensor(3), "network.x.weight": torch.zeros(2)})
    expected = descend(network, optimizers, 4, first=4)
    assert descend(network_copy, restored, 4, first=4) == expected
    assert all(torch.equal(a, b) for a, b in zip(network.parameters(), network_copy.parameters(), strict=True))
    forgetful = build_optimizers(copy.deepcopy(network), RECIPE)
    assert optimizer_tensors(forgetful) == {}


def test_the_two_optimisers_lower_a_loss():
    network = tiny_network()
    losses = descend(network, build_optimizers(network, RECIPE), 30)
    assert sum(losses[-5:]) / 5 < losses[0] - 0.1


def test_a_recipe_is_restored_from_its_dictionary():
    recipe = Recipe(epochs=3, precision="fp32")
    assert Recipe(**recipe.to_dict()) == recipe


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (dict(epochs=0), "epochs is 0; it must be at least 1."),
        (dict(batch_tokens=-5), "batch_tokens is -5; it must be at least 1."),
        (dict(learning_rate=0.0), "learning_rate is 0.0; it must be above 0."),
        (dict(learning_rate=math.nan), "learning_rate is nan; it must be above 0."),
        (dict(clip_norm=math.inf), "clip_norm is inf; it must be above 0."),
        (dict(matrix_learning_rate=-0.1), "matrix_learning_rate is -0.1; it must be at least 0."),
        (dict(warmup_steps=-1), "warmup_steps is -1; it must be at least 0."),
        (dict(weight_decay=-1.0), "weight_decay is -1.0; it must be at least 0."),
        (dict(seed=-1), "seed is -1; it must be at least 0."),
        (dict(label_smoothing=1.0), "label_smoothing is 1.0; it must be at least 0 and below 1."),
        (dict(average_decay=-0.5), "average_decay is -0.5; it must be at least 0 and below 1."),
        (dict(precision="fp16"), "precision is 'fp16'; choose bf16 or fp32."),
        (dict(schedule="step"), "schedule is 'step'; choose linear or cosine."),
    ],
)
def test_a_recipe_out_of_range_is_refused_with_a_sentence(changes, sentence):
    with pytest.raises(ValueError) as error:
        Recipe(**changes)
    assert str(error.value) == sentence
