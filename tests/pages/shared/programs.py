"""More of what programs are to find, at two settings, of translators and of settings; `test_code.py` runs them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from model import DecodingOptions, RecurrentTranslator, TransformerConfig, Translator
from model.attribution.agreement import METHODS, explain, word_drops
from model.attribution.leave_one_out import leave_one_out
from model.decoding.search import beam_tree
from model.lessons.contexts import word_in_contexts
from model.lessons.forgetting import NETWORKS as ONE_VECTOR
from model.lessons.network_comparison import NETWORKS, load_comparison, shipped_cards
from model.lessons.position_basis import curve, fit, harmonics
from model.lessons.position_effects import position_losses_in_steps
from model.lessons.raw_attention import encoder_stages, encoder_states, own_weights
from model.lessons.recurrence_gradients import drift, state_gradients
from model.lessons.waiting_steps import state_graph
from model.networks.config import part_sizes
from model.networks.positional import positional_table
from model.networks.recurrent_config import RecurrentConfig
from model.runtime.progress import in_one_go
from model.runtime.training_record import training_curves
from model.text.spelling import spellings, splits
from tests.pages.conftest import SENTENCE

Values = dict[str, object]
COOK = "Where did you learn to cook?"


@cache
def earlier(name: str) -> RecurrentTranslator:
    return RecurrentTranslator.load(name, device="cpu")


def attributed(translator: Translator, values: Values) -> dict[str, object]:
    trace = translator.trace(values["sentence"], target_ids=values["target_ids"])
    explained = explain(translator.network, trace)
    assert tuple((word.start, word.end) for word in explained.source) == values["words"]
    left_out = leave_one_out(translator.network, trace, explained.source, values["way"])
    (place,) = (at for at, word in enumerate(explained.target) if (word.start, word.end) == values["word"])
    scores = {method: explained.scores[method][place] for method in METHODS[:3]}
    named = dict(zip(("last_layer", "all_layers", "value_weighted"), scores.values(), strict=True))
    return {"drops": word_drops(left_out, explained.target)[place]} | named


def contexts(translator: Translator, values: Values) -> dict[str, object]:
    word = {"the cat that I raise": "cat", "Where did you learn to cook?": "cook"}[values["sentences"][0]]
    found = word_in_contexts(translator.network, translator.tokenizer, list(values["sentences"]), word)
    assert found.places == values["places"]
    return {"cosines": dict(zip(found.pairs, found.cosines, strict=True)), "explained": found.explained}


def spelt(translator: Translator, values: Values) -> dict[str, object]:
    typed = [*spellings(values["word"])[:5], ("other", values["other"])]
    found = splits(translator.tokenizer, typed)
    tokens = {row.text: tuple(translator.tokenizer.tokens(row.ids)) for row in found}
    counts, shared = ({row.text: of(row) for row in found} for of in (lambda row: len(row.ids), lambda row: row.shared))
    return {"tokens": tokens, "counts": counts, "shared": shared}


def without_positions(translator: Translator, values: Values) -> dict[str, object]:
    source = translator.tokenizer.encode_source(values["sentence"])
    given = source, list(values["next_ids"]), values["seed"], values["shift"]
    losses = in_one_go(position_losses_in_steps)(translator.network, *given)
    where = values["where"], values["change"]
    return {"per_token": losses.per_token[where], "loss": losses.mean(*where)}


def searched(translator: Translator, values: Values) -> dict[str, object]:
    options = DecodingOptions("beam", beam=values["beam"], length_penalty=values["penalty"])
    source = translator.tokenizer.encode_source(values["sentence"])
    best = beam_tree(translator.network, source, options).best
    texts = tuple(translator.tokenizer.decode(node.ids) for node in best)
    sums = {"totals": [node.log_probability for node in best], "scores": [node.score for node in best]}
    return {"texts": texts} | sums


def projected_by_nothing(translator: Translator, values: Values) -> dict[str, object]:
    trace = translator.trace(values["sentence"])
    states = encoder_states(earlier("lstm-dot").trace(values["sentence"]))
    vectors = (*encoder_stages(translator.network, trace), states)
    weights = np.stack([raw.weights(values["form"]) for raw in vectors])
    exceeding = sum(int(raw.exceeds.sum()) for raw in vectors)
    return {"weights": weights, "exceeding": exceeding, "on_itself": own_weights(weights).mean(axis=1)}


def forgotten(values: Values) -> dict[str, object]:
    sizes, drifts = {}, {}
    for name, states in ONE_VECTOR.items():
        network, tokenizer = earlier(name).network, earlier(name).tokenizer
        ids, (replacement,) = tokenizer.encode_source(values["sentence"]), tokenizer.encode(values["replacement"])
        found = state_gradients(network, ids)
        sizes |= {(name, state): getattr(found, state)[::-1] for state in states}  # both read backwards
        drifts[name] = drift(network, ids, replacement).hidden
    return {"sizes": sizes, "drifts": drifts}


def handed_over(values: Values) -> dict[str, object]:
    translator = earlier("lstm-vector")
    trace = translator.trace(values["sentence"])
    lengths = [np.linalg.norm(part) for part in (trace.start_hidden, trace.start_cell)]
    text = {"text": translator.translate(values["sentence"]), "translation": tuple(trace.next_ids)}
    return text | {"hidden": trace.start_hidden, "cell": trace.start_cell, "lengths": lengths}


def waiting(values: Values) -> dict[str, object]:
    sizes = values["source"], values["target"]
    configs = [TransformerConfig() if name == "transformer" else RecurrentConfig.preset(name) for name in NETWORKS]
    ways = {"given": False, "decoding": True}
    return {name: [state_graph(each, *sizes, generated).steps for each in configs] for name, generated in ways.items()}


def ladder(values: Values) -> dict[str, object]:
    cards = shipped_cards()
    comparison = load_comparison({name: cards[name]["weights_sha256"] for name in NETWORKS})
    names, speeds = list(NETWORKS), comparison.tokens_per_second
    if values["order"] == "speed":
        names.sort(key=lambda name: -speeds[name])
    figures = {"speeds": [speeds[name] for name in names], "parameters": [cards[name]["parameters"] for name in names]}
    bleu = [comparison.whole(name) for name in names]
    assert [round(each, 2) for each in bleu] == [cards[name]["evaluation"]["greedy"]["bleu"] for name in names]
    return {"names": tuple(names), "bleu": bleu} | figures


def sizes(values: Values) -> dict[str, object]:
    depth = {f"n_{stack}_layers": values["layers"] for stack in ("encoder", "decoder")}
    widths = {name: values[name] for name in ("d_model", "n_heads", "d_ff")}
    config = TransformerConfig(vocabulary_size=values["vocabulary"], **widths, **depth)
    parts = part_sizes(config)
    found = {part.name.replace("-", "_"): part.parameters for part in parts}
    return found | {"parameters": sum(part.total for part in parts), "d_k": config.d_k}


def fitted(values: Values) -> dict[str, object]:
    of = values["length"], values["d_model"]
    table = positional_table(*of, values["form"]) if values["basis"] == "columns" else harmonics(*of)
    target = curve(values["curve"], values["length"])
    found = fit(target, np.asarray(table), values["columns"])
    return {"target": target, "residuals": found.residuals, "approximation": found.approximation}


def trained(values: Values) -> dict[str, object]:
    curves = training_curves(Translator.load(device="cpu").folder)
    by_step = values["axis"] == "steps"
    at, ends = (curves.steps, curves.heldout_steps) if by_step else (curves.epochs, curves.heldout_epochs)
    heldout = curves.heldout_nlls
    most = next(place for place, each in enumerate(heldout) if heldout[0] - each >= 0.9 * (heldout[0] - heldout.min()))
    lines = {"losses": curves.losses, "nlls": curves.nlls, "rates": curves.rates, "heldout": heldout}
    return lines | {"at": at, "heldout_at": ends, "most": most + 1}


CATS = "the cat that I raise", "the cat that catches sparrows", "the cat character in a game"
WAVES = {"length": 64, "d_model": 256, "form": "paper", "curve": "square-wave", "basis": "columns", "columns": 64}
REPLY = (271, 372, 1300, 312, 567, 260, 3)
EIGHT = tuple((place, place + 1) for place in range(8))  # source words of a token each
COOKED = ((0, 3), (3, 4), (4, 5), (5, 6))
Case = tuple[Values, Values, Callable[..., dict[str, object]]]
# page, part -> two settings, and what the page computes of them with the translator
OF_THE_TRANSLATOR: dict[tuple[str, str], Case] = {
    ("attribution", "attribution"): (
        {"sentence": SENTENCE, "target_ids": None, "way": "delete", "words": EIGHT, "word": (0, 1)},
        {"sentence": "Cook it!", "target_ids": (220, 15, 3), "way": "mask", "words": COOKED, "word": (0, 2)},
        attributed,
    ),
    ("tokens", "contexts"): (
        {"sentences": CATS, "places": ((1, 2),) * 3},
        {
            "sentences": (COOK, "We cook.", "I can cook the rice.", "Cook it!"),
            "places": ((5, 6), (1, 2), (2, 3), (0, 3)),
        },
        contexts,
    ),
    ("tokens", "spelling"): (
        {"word": "cat", "other": "\uace0\uc591\uc774"},
        {"word": "Antidisestablishment", "other": "  \u0153uvre\u2014 42\u00b2 \u2581\U0001f642"},
        spelt,
    ),
    ("positions", "trained-model"): (
        {"sentence": SENTENCE, "next_ids": REPLY, "change": "none", "where": "encoder", "seed": 0, "shift": 10},
        {"sentence": COOK, "next_ids": (220, 15, 9, 3), "change": "shuffled", "where": "both", "seed": 4, "shift": 0},
        without_positions,
    ),
    ("decoding", "beam-search"): (
        {"sentence": SENTENCE, "beam": 4, "penalty": 0.6},
        {"sentence": COOK, "beam": 3, "penalty": 0.0},
        searched,
    ),
    ("history", "without-projections"): (
        {"sentence": SENTENCE, "form": "scaled"},
        {"sentence": COOK, "form": "cosine"},
        projected_by_nothing,
    ),
}
# the same with networks before the Transformer
OF_EARLIER_NETWORKS: dict[tuple[str, str], Case] = {
    ("history", "forgetting"): (
        {"sentence": SENTENCE, "replacement": "house"},
        {"sentence": COOK, "replacement": "seven"},
        forgotten,
    ),
    ("history", "one-vector"): ({"sentence": SENTENCE}, {"sentence": COOK}, handed_over),
    ("history", "ladder"): ({"order": "history"}, {"order": "speed"}, ladder),
}
# the same of parts that need no network
OF_SETTINGS: dict[tuple[str, str], Case] = {
    ("history", "recurrence"): ({"source": 8, "target": 7}, {"source": 3, "target": 11}, waiting),
    ("tokens", "sizes"): (
        {"d_model": 256, "n_heads": 8, "d_ff": 1024, "layers": 4, "vocabulary": 8000},
        {"d_model": 30, "n_heads": 3, "d_ff": 7, "layers": 2, "vocabulary": 11},
        sizes,
    ),
    ("positions", "basis"): (
        WAVES,
        {"length": 33, "d_model": 20, "form": "column", "curve": "bump", "basis": "harmonics", "columns": 9},
        fitted,
    ),
    ("loss", "training-curves"): ({"axis": "steps"}, {"axis": "epochs"}, trained),
}
