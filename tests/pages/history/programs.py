"""Expected results of the programs of *Before the Transformer*; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

import numpy as np

from model import TransformerConfig, Translator
from model.lessons.first_attention import recompute_first_attention
from model.lessons.forgetting import NETWORKS as ONE_VECTOR
from model.lessons.network_comparison import NETWORKS, load_comparison, shipped_cards
from model.lessons.raw_attention import encoder_stages, encoder_states, self_weights
from model.lessons.recurrence import unroll
from model.lessons.recurrence_gates import read_gates
from model.lessons.recurrence_gradients import measure_drift, state_gradients
from model.lessons.sequential_operations import build_state_graph
from model.networks.recurrent_config import RecurrentConfig
from tests.pages.conftest import SENTENCE
from tests.pages.shared.programs import COOK, OTHER, OWN, Case, Expected, Values, load_recurrent, of_the_translator


def unrolled(values: Values) -> Expected:
    network = load_recurrent("rnn-vector")
    computed = unroll(network.network, network.tokenizer.encode_source(values["sentence"]), values["direction"])
    return {name: getattr(computed, name) for name in ("hidden", "from_token", "from_state", "bias")}


def gates(values: Values) -> Expected:
    network = load_recurrent(values["network"])
    computed = read_gates(network.network, network.trace(values["sentence"]), f"encoder.{values['direction']}")
    return dict(vars(computed.record))


def aligned(values: Values) -> Expected:
    computed = recompute_first_attention(
        load_recurrent(values["score"]).trace(values["sentence"], target_ids=values["target_ids"])
    )
    return {name: getattr(computed, name) for name in ("queries", "states", "scores", "weights", "contexts")}


def forgotten(values: Values) -> Expected:
    sizes, drifts = {}, {}
    for name, states in ONE_VECTOR.items():
        network, tokenizer = load_recurrent(name).network, load_recurrent(name).tokenizer
        ids, (replacement,) = tokenizer.encode_source(values["sentence"]), tokenizer.encode(values["replacement"])
        computed = state_gradients(network, ids)
        sizes |= {(name, state): getattr(computed, state)[::-1] for state in states}  # both read backwards
        drifts[name] = measure_drift(network, ids, replacement).hidden
    return {"sizes": sizes, "drifts": drifts}


def start_state(values: Values) -> Expected:
    translator = load_recurrent("lstm-vector")
    trace = translator.trace(values["sentence"])
    lengths = [np.linalg.norm(part) for part in (trace.start_hidden, trace.start_cell)]
    text = {"text": translator.translate(values["sentence"]), "translation": tuple(trace.next_ids)}
    return text | {"hidden": trace.start_hidden, "cell": trace.start_cell, "lengths": lengths}


def waiting(values: Values) -> Expected:
    sizes = values["source"], values["target"]
    configs = [TransformerConfig() if name == "transformer" else RecurrentConfig.preset(name) for name in NETWORKS]
    ways = {"given": False, "decoding": True}
    return {
        name: [build_state_graph(each, *sizes, generated).steps for each in configs] for name, generated in ways.items()
    }


def lengths(values: Values) -> Expected:
    source, target, (side, *place) = values["source"], values["target"], values["end"]
    paths = {"right": {}, "left": {}, "output": {}, "path": {}}
    for name in NETWORKS:
        config = TransformerConfig() if name == "transformer" else RecurrentConfig.preset(name)
        graph = build_state_graph(config, source, target)
        chosen = graph.within_source if side == "s" else graph.to_output
        paths["right"][name] = graph.within_source(0, source - 1)
        paths["left"][name] = graph.within_source(source - 1, 0)
        paths["output"][name] = graph.to_output(0, target - 1)
        paths["path"][name] = chosen(values["start"] - 1, int("".join(place)) - 1)
    length = lambda path: len(path) - 1 if path else np.inf  # noqa: E731
    return {which: {name: length(path) for name, path in each.items()} for which, each in paths.items()}


def ladder(values: Values) -> Expected:
    cards = shipped_cards()
    comparison = load_comparison({name: cards[name]["weights_sha256"] for name in NETWORKS})
    names, speeds = list(NETWORKS), comparison.tokens_per_second
    if values["order"] == "speed":
        names.sort(key=lambda name: -speeds[name])
    figures = {"speeds": [speeds[name] for name in names], "parameters": [cards[name]["parameters"] for name in names]}
    bleu = [comparison.whole(name) for name in names]
    assert [round(each, 2) for each in bleu] == [cards[name]["evaluation"]["greedy"]["bleu"] for name in names]
    return {"names": tuple(names), "bleu": bleu} | figures


@of_the_translator
def projected_by_nothing(translator: Translator, values: Values) -> Expected:
    trace = translator.trace(values["sentence"])
    states = encoder_states(load_recurrent("lstm-dot").trace(values["sentence"]))
    vectors = (*encoder_stages(translator.network, trace), states)
    weights = np.stack([raw.weights(values["form"]) for raw in vectors])
    exceeding = sum(int(raw.exceeds.sum()) for raw in vectors)
    return {"weights": weights, "exceeding": exceeding, "on_itself": self_weights(weights).mean(axis=1)}


CASES: dict[str, Case] = {
    "one-word": (
        {"sentence": SENTENCE, "direction": "backwards"},
        {"sentence": COOK, "direction": "forwards"},
        unrolled,
    ),
    "gates": (
        {"sentence": SENTENCE, "network": "lstm-additive", "direction": "backwards"},
        {"sentence": COOK, "network": "lstm-vector", "direction": "backwards"},
        gates,
    ),
    "attention-over-states": (
        OWN | {"score": "lstm-additive"},
        OTHER | {"score": "lstm-dot"},
        aligned,
    ),
    "without-projections": (
        {"sentence": SENTENCE, "form": "scaled"},
        {"sentence": COOK, "form": "cosine"},
        projected_by_nothing,
    ),
    "forgetting": (
        {"sentence": SENTENCE, "replacement": "house"},
        {"sentence": COOK, "replacement": "seven"},
        forgotten,
    ),
    "one-vector": ({"sentence": SENTENCE}, {"sentence": COOK}, start_state),
    "ladder": ({"order": "history"}, {"order": "speed"}, ladder),
    "path-lengths": (
        {"source": 8, "target": 9, "start": 1, "end": "t9"},
        {"source": 5, "target": 4, "start": 3, "end": "s5"},
        lengths,
    ),
    "recurrence": ({"source": 8, "target": 7}, {"source": 3, "target": 11}, waiting),
}
