"""Every method that ranks heads ranks a head of the known circuit first, or misses it for a known reason."""

import re
from functools import cache

import numpy as np
import pytest

from model.causal.activation_patching import patch
from model.causal.composition import composition, copying_scores
from model.causal.embedding_noise import patch_noise
from model.causal.head_replacement import ablate, record_pool
from model.causal.integrated_gradients import integrate_gradients
from model.causal.logit_attribution import attribute_logit
from model.causal.logit_lens import logit_lens
from model.causal.metrics import evaluate
from model.causal.own_networks import resumable
from model.causal.path_patching import path_patch
from model.causal.repeated_ids import score_heads
from tests.model.causal.known_circuits import CIRCUITS, LOOKED_AT, Circuit, Head
from tests.processes import ROOT

SHARE = 0.1  # of the largest possible effect, from which a head counts as found
NO_PATH = "the head acts through another head, and only direct effects on the logit are measured"
BACKUP = "another head takes over when it is silent (Wang et al. 2022, section 3.3)"
MISSED = {  # (method, circuit) -> the heads that it cannot see, and why
    ("path to the logits", "induction"): ({("decoder", 0, 1)}, NO_PATH),
    ("logit attribution", "induction"): ({("decoder", 0, 1)}, NO_PATH),
    ("zero ablation", "backup"): ({("decoder", 0, 0)}, BACKUP),
}

made = cache(lambda name: CIRCUITS[name]())


def by_head(tables: dict[str, np.ndarray]) -> dict[Head, float]:
    """One number for each head."""
    return {
        (kind, layer, head): float(table[layer, head])
        for kind, table in tables.items()
        for layer, head in np.ndindex(*table.shape)
    }


def patched(circuit: Circuit, direction: str) -> dict[Head, float]:
    causal = resumable(circuit.network)
    results = {
        kind.name: patch(
            causal, circuit.clean, circuit.corrupt, circuit.metric, "head_output", kind.name, direction=direction
        )
        for kind in causal.kinds
    }
    return by_head({kind: result.restored for kind, result in results.items()})


def ablated(circuit: Circuit, replacement: str) -> dict[Head, float]:
    causal = resumable(circuit.network)
    pool = record_pool(causal, [circuit.clean, circuit.corrupt])
    result = ablate(causal, circuit.clean, circuit.metric, replacement, pool=pool, pairs_among=0)
    return scaled(circuit, by_head(result.effects))


def direct(circuit: Circuit) -> dict[Head, float]:
    causal = resumable(circuit.network)
    result = path_patch(causal, circuit.clean, circuit.corrupt, circuit.metric, inputs=["queries"])
    return scaled(circuit, by_head(result.direct))


def attributed(circuit: Circuit) -> dict[Head, float]:
    result = attribute_logit(resumable(circuit.network), circuit.clean, circuit.metric.index, circuit.metric.other)
    return scaled(circuit, by_head(result.heads))


def scaled(circuit: Circuit, effects: dict[Head, float]) -> dict[Head, float]:
    """Effects as shares of the distance between the two inputs."""
    causal = resumable(circuit.network)
    clean, corrupt = (evaluate(causal, causal.run(own), circuit.metric) for own in (circuit.clean, circuit.corrupt))
    return {head: effect / float(clean - corrupt) for head, effect in effects.items()}


METHODS = {
    "denoising": lambda circuit: patched(circuit, "denoising"),
    "noising": lambda circuit: patched(circuit, "noising"),
    "zero ablation": lambda circuit: ablated(circuit, "zero"),
    "mean ablation": lambda circuit: ablated(circuit, "mean"),
    "resample ablation": lambda circuit: ablated(circuit, "resample"),
    "path to the logits": direct,
    "logit attribution": attributed,
}


@cache
def found(method: str, name: str) -> frozenset[Head]:
    """The heads that a method finds in a circuit."""
    return frozenset(head for head, share in METHODS[method](made(name)).items() if abs(share) >= SHARE)


@pytest.mark.parametrize("name", CIRCUITS)
@pytest.mark.parametrize("method", METHODS)
def test_a_method_finds_the_circuit_and_nothing_else(method, name):
    circuit = made(name)
    missed, reason = MISSED.get((method, name), (set(), ""))
    assert found(method, name) == circuit.heads - missed, reason
    shares = METHODS[method](circuit)
    if circuit.heads - missed:
        assert max(shares, key=lambda head: abs(shares[head])) in circuit.heads


def test_the_figures_of_the_document_are_those_of_the_circuits():
    text = (ROOT / "docs/causal.md").read_text(encoding="utf-8")
    heads = sum(len(made(name).heads) for name in CIRCUITS)
    for method in METHODS:
        right = sum(len(found(method, name) & made(name).heads) for name in CIRCUITS)
        wrong = sum(len(found(method, name) - made(name).heads) for name in CIRCUITS)
        precision, recall = 100 * right / (right + wrong), 100 * right / heads
        row = re.search(rf"^\| {method} \| (\d+) % \| (\d+) % \|", text, re.MULTILINE)
        assert row is not None and (int(row[1]), int(row[2])) == (round(precision), round(recall)), method


def test_the_corrupt_input_has_another_answer_in_every_circuit():
    for name in CIRCUITS:
        circuit = made(name)
        causal = resumable(circuit.network)
        clean, corrupt = (
            float(evaluate(causal, causal.run(own), circuit.metric)) for own in (circuit.clean, circuit.corrupt)
        )
        assert clean > 0 and clean - corrupt > 1.5


def test_path_patching_finds_the_keys_of_the_induction_head():
    circuit = made("induction")
    result = path_patch(resumable(circuit.network), circuit.clean, circuit.corrupt, circuit.metric)
    ((sender, receiver, name),) = circuit.edges
    connection, place, effect = result.strongest(1)[0]
    assert (connection.sender.name, *place[:2]) == sender and (connection.receiver.name, *place[2:]) == receiver
    assert connection.input == name
    distance = result.receiver - result.donor
    assert effect < -0.9 * distance and abs(result.strongest(2)[1][2]) < 0.05 * distance


def test_head_scores_name_the_heads():
    circuit = made("induction")
    scores = score_heads(resumable(circuit.network), length=7, rows=4).scores["decoder"]
    for name, place in (("previous", (0, 1)), ("induction", (1, 2))):
        assert np.unravel_index(scores[name].argmax(), scores[name].shape) == place and scores[name][place] > 0.9
    scores = score_heads(resumable(made("duplicate").network), length=7, rows=4).scores["decoder"]["duplicate"]
    assert np.unravel_index(scores.argmax(), scores.shape) == (1, 1) and scores[1, 1] > 0.8


def test_composition_and_copying_name_the_heads():
    result = composition(resumable(made("induction").network))
    for connection, table in result.scores.items():
        place = np.unravel_index(int(np.nanargmax(table)), table.shape)
        # by keys the previous-token head writes what the induction head reads
        assert (place == (0, 1, 1, 2)) == (connection.input == "keys")
    keys = next(table for connection, table in result.scores.items() if connection.input == "keys")
    assert keys[0, 1, 1, 2] > 2 * result.chance
    for name, kind, place in (
        ("induction", "decoder", (1, 2)),
        ("majority", "decoder", (0, 0)),
    ):
        scores = copying_scores(resumable(made(name).network))[kind]
        assert scores[place] == pytest.approx(1, abs=1e-9) and np.unravel_index(scores.argmax(), scores.shape) == place


def test_a_backup_shows_in_the_pair():
    circuit = made("backup")
    result = ablate(resumable(circuit.network), circuit.clean, circuit.metric, "zero")
    pair = {head: result.leading.index(head) for head in (("decoder", 0, 0), ("decoder", 1, 1))}
    first, second = pair.values()
    assert result.pairs[first, second] < -0.9 * result.reference
    assert abs(result.pairs[first, first]) < 0.1 * result.reference
    strongest = np.unravel_index(np.abs(result.interactions).argmax(), result.interactions.shape)
    assert set(strongest) == {first, second}


def test_the_copy_head_reads_the_token_by_its_value_and_its_place_by_its_key():
    circuit = made("copy")
    causal = resumable(circuit.network)
    options = dict(part="cross", by_position=True)
    values = patch(causal, circuit.clean, circuit.corrupt, circuit.metric, "values", **options)
    assert values.restored[1, 3, 2] == pytest.approx(1, abs=0.01)
    assert (
        np.abs(np.delete(values.restored.ravel(), np.ravel_multi_index((1, 3, 2), values.restored.shape))).max() < 0.01
    )
    keys = patch(causal, circuit.clean, circuit.corrupt, circuit.metric, "keys", **options)
    assert np.abs(keys.restored).max() < 0.01  # both inputs have the token in the same place
    stream = patch(causal, circuit.clean, circuit.corrupt, circuit.metric, "residual", "encoder")
    np.testing.assert_allclose(stream.restored, np.eye(4)[[2] * 3], atol=1e-3)  # up to what the random heads move
    assert stream.restored[0, 2] == pytest.approx(1, abs=1e-12)


def test_the_vit_looks_at_one_patch():
    circuit = made("one patch")
    causal = resumable(circuit.network)
    stream = patch(causal, circuit.clean, circuit.corrupt, circuit.metric)
    assert stream.restored[0, 1 + LOOKED_AT] == pytest.approx(1, abs=1e-9)
    assert not np.delete(stream.effects[0], 1 + LOOKED_AT).any()
    np.testing.assert_allclose(stream.restored[1:, 0], 1, atol=0.01)  # then CLS has the colour
    gradients = integrate_gradients(causal, circuit.clean, circuit.metric).attributions["patches"]
    assert gradients.argmax() == LOOKED_AT and gradients[LOOKED_AT] > 3 * np.abs(np.delete(gradients, LOOKED_AT)).max()
    lens = logit_lens(causal, circuit.clean, [0] * 10, [str(place) for place in range(10)])
    assert lens.probabilities[0, 0] < 0.4 < 0.95 < lens.probabilities[1, 0]  # after the layer of the head


def test_noise_on_the_copied_token_is_undone_at_its_place_alone():
    circuit = made("copy")
    result = patch_noise(resumable(circuit.network), circuit.clean, circuit.metric, {"encoder": [2]}, samples=4)
    np.testing.assert_allclose(result.restored, np.eye(4)[[2] * 3], atol=1e-3)


def test_the_lens_shows_the_copied_token_after_the_layer_of_the_head():
    circuit = made("induction")
    ids = circuit.clean[0][0].tolist()
    lens = logit_lens(resumable(circuit.network), circuit.clean, [*ids[1:], 7], [str(id_) for id_ in ids])
    before, after = lens.probabilities[1:, -1]
    assert after > 5 * before
