"""States and context vectors of recurrent networks, patched step by step, equal whole runs; a counter is found."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from model import RecurrentTranslator
from model.causal.activation_patching import number_positions
from model.causal.causal_error import CausalError
from model.causal.experiments import Experiment
from model.causal.metrics import LogitDifference, evaluate
from model.causal.recurrent_patching import (
    RECURRENT_SITES,
    RecurrentCausalNetwork,
    patch_recurrent,
    patch_states_in_steps,
    translate_with_state_in_steps,
)
from model.networks.tap import Chain, Intervention, Recorder, replace_by
from model.runtime.progress import run_to_end
from tests.model.causal.known_circuits import CHANGED, counter
from tests.model.causal.small_networks import inputs_of
from tests.model.networks import tiny_recurrent
from tests.tiers import nightly

METRIC = LogitDifference(4, 5)
KINDS = ["rnn-vector", "lstm-vector", "lstm-additive", "lstm-dot"]


def small(kind: str) -> RecurrentCausalNetwork:
    return RecurrentCausalNetwork(tiny_recurrent(kind).double().requires_grad_(False))


def pair() -> tuple:
    """Two sources with the same target."""
    clean, corrupt = inputs_of("translator", 1), inputs_of("translator", 2)
    return clean, (corrupt[0], clean[1])


def places(causal: RecurrentCausalNetwork) -> list[tuple[str, str]]:
    found = []
    for site in RECURRENT_SITES:
        try:
            found += [(site, part) for part in causal.parts(site)]
        except CausalError:
            continue
    return found


@pytest.mark.parametrize("kind", ["lstm-additive", "rnn-vector", nightly("lstm-vector"), nightly("lstm-dot")])
@pytest.mark.parametrize("direction", ["denoising", nightly("noising")])
@torch.inference_mode()
def test_every_step_equals_a_whole_run(kind, direction):
    causal, (clean, corrupt) = small(kind), pair()
    give, receive = (clean, corrupt) if direction == "denoising" else (corrupt, clean)
    recorder = Recorder()
    causal.network(*give, recorder)
    assert ("context_vector", "decoder") in places(causal) or kind.endswith("vector")
    for site, part in places(causal):
        result = patch_recurrent(causal, clean, corrupt, METRIC, site, part, direction=direction)
        name = part.replace("_", ".")
        for step, value in enumerate(result.grid.values):
            names = [f"{name}.{step}.{quantity}" for quantity in RECURRENT_SITES[site]]
            tap = Intervention({one: replace_by(recorder.tensors[one]) for one in names})
            logits = causal.network(*receive, tap)[0, -1]
            assert value == pytest.approx(float(logits[4] - logits[5]), abs=1e-12)
        assert np.abs(result.effects).max() > 1e-6
        check = result.check
        assert (check.everything, check.nothing, check.effect_of_nothing) == (
            pytest.approx(0, abs=1e-12),
            pytest.approx(0, abs=1e-12),
            0,
        )
        assert (result.site, result.part, result.grid.axes[0].name) == (site, part, "position")


@pytest.mark.parametrize("kind", ["lstm-additive", *(nightly(kind) for kind in KINDS if kind != "lstm-additive")])
@torch.inference_mode()
def test_everything_is_patched_and_translations_are_those_of_whole_runs(kind):
    """Each token is the most probable one of a run of the whole network with the same state replaced."""
    causal, (clean, corrupt) = small(kind), pair()
    labels, place = number_positions(causal.lengths(clean)), clean[1].shape[1] - 1
    experiment = Experiment(clean, corrupt, labels, labels, METRIC)
    results = run_to_end(patch_states_in_steps(causal, experiment))
    assert list(results) == [(site, part) for site, parts in causal.sites.items() for part in parts] == places(causal)
    donor, config = causal.record(clean).tensors, causal.network.config
    for (site, part), result in results.items():
        cell = int(np.abs(result.effects).argmax())
        names = [f"{part.replace('_', '.')}.{cell}.{quantity}" for quantity in RECURRENT_SITES[site]]
        tap = Intervention({name: replace_by(donor[name]) for name in names})
        patched = run_to_end(translate_with_state_in_steps(causal, experiment, site, part, cell, place=place))
        assert patched.value == pytest.approx(result.grid.values[cell], abs=1e-12)
        assert patched.fed == (place if part == "decoder" else 0)
        assert patched.ids[: patched.fed] == tuple(clean[1][0, 1 : 1 + patched.fed].tolist())
        recorder = Recorder()
        fed = torch.tensor([[config.bos_id, *patched.ids[:-1]]])
        logits = causal.network(corrupt[0], fed, Chain(tap, recorder))[0]
        chances = logits.softmax(dim=-1)[range(len(patched.ids)), patched.ids]
        np.testing.assert_allclose(patched.probabilities, chances, atol=1e-6)
        logits[:, list(config.never_generated)] = -torch.inf
        assert logits.argmax(dim=-1)[patched.fed :].tolist() == list(patched.ids[patched.fed :])
        if config.alignment == "none":
            assert patched.cross.shape[:3] == (0, 0, len(patched.ids))
        else:
            weights = [recorder.tensors[f"decoder.{step}.cross.weights"] for step in range(len(patched.ids))]
            np.testing.assert_allclose(patched.cross, torch.cat(weights, dim=2), atol=1e-6)


def test_a_counter_is_ranked_first():
    """Its number is in the cell state from the changed token on; hidden states do not carry it on."""
    circuit = counter()
    causal = RecurrentCausalNetwork(circuit.network)
    runs = [float(evaluate(causal, causal.run(own), circuit.metric)) for own in (circuit.clean, circuit.corrupt)]
    assert runs[0] > 0
    assert runs[0] - runs[1] > 1.5
    for direction in ("denoising", "noising"):
        options = dict(direction=direction)
        cells = patch_recurrent(causal, circuit.clean, circuit.corrupt, circuit.metric, "cell_state", **options)
        expected = np.arange(6) >= CHANGED
        np.testing.assert_allclose(cells.restored, expected, atol=0.01)
        hidden = patch_recurrent(causal, circuit.clean, circuit.corrupt, circuit.metric, "hidden_state", **options)
        assert np.abs(hidden.restored).max() < 0.01
    both = {
        part: patch_recurrent(causal, circuit.clean, circuit.corrupt, circuit.metric, "state", part)
        for part in causal.parts("state")
    }
    ranked = {(part, step): abs(value) for part, result in both.items() for step, value in enumerate(result.restored)}
    order = sorted(ranked, key=lambda place: -ranked[place])
    circuit_places = {("encoder_forwards", step) for step in range(CHANGED, 6)} | {("decoder", 0), ("decoder", 1)}
    assert set(order[: len(circuit_places)]) == circuit_places
    assert ranked[order[len(circuit_places)]] < 0.01


def test_aligned_sources_of_different_lengths():
    causal, (clean, corrupt) = small("lstm-dot"), pair()
    longer = (torch.cat([corrupt[0], corrupt[0][:, -1:]], dim=1), corrupt[1])
    with pytest.raises(CausalError, match="differ in length"):
        patch_recurrent(causal, clean, longer, METRIC)
    result = patch_recurrent(causal, clean, longer, METRIC, alignment={"encoder": [(4, 3), (0, 0)]})
    assert result.grid.axes[0].labels == ("5", "1")
    assert result.check.everything is None


@pytest.mark.parametrize(
    ("kind", "site", "part", "message"),
    [
        ("rnn-vector", "cell_state", None, "Only an LSTM"),
        ("lstm-vector", "context_vector", None, "no attention"),
        ("lstm-dot", "residual", None, "no site 'residual'"),
        ("lstm-dot", "context_vector", "encoder_forwards", "choose one of decoder"),
    ],
)
def test_what_a_network_does_not_have_is_refused(kind, site, part, message):
    with pytest.raises(CausalError, match=message):
        patch_recurrent(small(kind), *pair(), METRIC, site, part)


@pytest.mark.parametrize("kind", ["lstm-additive", *(nightly(kind) for kind in KINDS if kind != "lstm-additive")])
def test_a_shipped_network_carries_the_changed_word(kind):
    translator = RecurrentTranslator.load(kind, device="cpu")
    site = "hidden_state" if kind == "rnn-vector" else "state"
    metric = LogitDifference(500, 600)  # not all of them translate the two words differently
    result = translator.patch("I have a black cat.", "I have a black dog.", metric, site)
    assert result.check.everything < 1e-5
    assert result.check.nothing < 1e-5
    ids = [translator.read_ids(text) for text in ("I have a black cat.", "I have a black dog.")]
    (place,) = (place for place, (one, two) in enumerate(zip(*ids, strict=True)) if one != two)
    before, after = np.split(result.restored, [place])
    if result.part == "encoder_backwards":
        after, before = result.restored[: place + 1], result.restored[place + 1 :]
    assert np.abs(before).max() < 1e-4  # the word has not been read
    assert np.abs(after).max() > 0.1
    one = translator.patch("I have a black cat.", "I have a black dog.", metric, site, positions=[4])
    assert one.grid.values == pytest.approx(result.grid.values[4:5], abs=1e-5)
