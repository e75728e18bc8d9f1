"""All parts of a site at once, and the translation that a patched run generates, compared with whole runs."""

import numpy as np
import pytest
import torch

from model.causal.activation_patching import patch
from model.causal.own_networks import resumable
from model.causal.patched_translation import patch_parts_in_steps, translate_patched_in_steps
from model.causal.sentence_pairs import pair_sentences, prepare_pair
from model.causal.sites import SITES, parts_of
from model.networks.tap import Intervention, Recorder
from model.runtime.progress import run_to_end
from model.text.tokenizer import Tokenizer
from model.translator import SHIPPED
from tests.model.causal.test_activation_patching import tap_name
from tests.model.networks import tiny_network
from tests.tiers import nightly

TOKENIZER = Tokenizer(SHIPPED / "tokenizer.model")


@pytest.fixture(scope="module")
def causal():
    return resumable(tiny_network(2, max_positions=10).double().requires_grad_(False))


def prepared(causal, metric):
    pair = pair_sentences(causal, TOKENIZER, (20, 21, 40, 50, 3), (20, 23, 41, 50, 3))
    place = next(target.place for target in pair.targets if target.changes)
    return pair, place, prepare_pair(causal, TOKENIZER, pair, place, metric)


def generate(network, source, start, name, head, position, giving) -> list[int]:
    """Greedy translation by the whole network at every step, with a part of one tensor replaced."""

    def change(tensor):
        changed = tensor.clone()
        length = min(giving.shape[-2], tensor.shape[-2])
        places = [position] if position is not None else range(length)
        for place in places:
            if place >= tensor.shape[-2]:
                continue
            row = giving[0, place] if head is None else giving[0, head, place]
            if name.endswith(".weights"):
                width = min(len(row), tensor.shape[-1])
                changed[0, head, place] = 0
                changed[0, head, place, :width] = row[:width]
            elif head is None:
                changed[0, place] = row
            else:
                changed[0, head, place] = row
        return changed

    ids = start.clone()
    never, most = list(network.config.never_generated), network.most_generated(source.shape[1])
    while ids.shape[1] <= min(128, most):
        logits = network(source, ids, Intervention({name: change}))[:, -1]
        logits[:, never] = -torch.inf
        ids = torch.cat([ids, logits.argmax(dim=-1, keepdim=True)], dim=1)
        if int(ids[0, -1]) == network.config.eos_id:
            break
    return ids[0, 1:].tolist()


@pytest.mark.parametrize("metric", ["difference", nightly("loss")])
@pytest.mark.parametrize("direction", ["denoising", nightly("noising")])
def test_a_patched_run_translates_as_whole_runs_with_this_tensor_replaced(causal, metric, direction):
    pair, place, experiment = prepared(causal, metric)
    assert place > 0  # the decoder is fed a beginning
    give, receive = (experiment.clean, experiment.corrupt)[:: 1 if direction == "denoising" else -1]
    recorder = Recorder()
    causal.network(*give, recorder)
    generator = np.random.default_rng(0)
    for site in SITES.values():
        grids = run_to_end(patch_parts_in_steps(causal, experiment, site.name, direction=direction))
        assert list(grids) == parts_of(causal, site)
        for part, result in grids.items():
            alone = patch(
                causal, experiment.clean, experiment.corrupt, experiment.metric, site.name, part, direction=direction
            )
            np.testing.assert_array_equal(result.grid.values, alone.grid.values)
            cell = tuple(int(generator.integers(size)) for size in result.grid.values.shape)
            options = {"place": place, "direction": direction}
            patched = run_to_end(translate_patched_in_steps(causal, experiment, site.name, part, cell, **options))
            assert patched.value == pytest.approx(result.grid.values[cell], abs=1e-9)
            label = result.grid.axes[0].labels[cell[0]]
            name = tap_name(site, part, label - (0 if site.step == "" else 1))
            head, position = (cell[1], None) if site.by_head else (None, cell[1])
            of_encoder = part == "encoder" or (part == "cross" and site.of_keys)
            start = receive[1][:, : 1 if of_encoder else place + 1]
            expected = generate(causal.network, receive[0], start, name, head, position, recorder.tensors[name])
            assert list(patched.ids) == expected
            assert patched.fed == start.shape[1] - 1
            assert patched.cross.shape[2:] == (len(patched.ids), receive[0].shape[1])
            np.testing.assert_allclose(patched.cross.sum(axis=-1), 1, atol=1e-6)
            if part == "cross" and site.name == "attention_weights" and not of_encoder:
                shared = min(patched.cross.shape[-1], recorder.tensors[name].shape[-1])
                fed = min(start.shape[1], len(patched.ids))
                np.testing.assert_allclose(
                    patched.cross[label - 1, head, :fed, :shared],
                    recorder.tensors[name][0, head, :fed, :shared],
                    atol=1e-6,
                )


def test_sentences_of_different_lengths_are_aligned(causal):
    pair = pair_sentences(causal, TOKENIZER, (20, 30, 40, 3), (20, 40, 3))
    experiment, alignment = (
        prepare_pair(causal, TOKENIZER, pair, 0, "probability"),
        pair.alignment("start", "denoising"),
    )
    grids = run_to_end(patch_parts_in_steps(causal, experiment, "residual", alignment=alignment))
    assert grids["encoder"].grid.axes[1].labels == pair.corrupt_tokens
    assert grids["decoder"].grid.axes[1].labels == experiment.corrupt_labels["decoder"]
    cell = len(grids["encoder"].grid.values) - 1, 1
    steps = translate_patched_in_steps(causal, experiment, "residual", "encoder", cell, place=0, alignment=alignment)
    assert run_to_end(steps).value == pytest.approx(grids["encoder"].grid.values[cell], abs=1e-9)
