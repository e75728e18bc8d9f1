"""Expected results of the programs of *Decoding* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

from functools import cache

import numpy as np

from model import DecodingOptions, LanguageModel, Trace, Translator
from model.decoding.sampling_stages import sampling_stages
from model.decoding.search import beam_tree
from model.lessons.cache_costs import cache_steps
from model.lessons.one_stack import cross_block, following_ids, sum_heads
from model.lessons.output_layer import check_row, recompute_output
from model.lessons.teacher_forcing import compare_runs, shift_right
from tests.pages.conftest import SENTENCE
from tests.pages.shared.programs import (
    COOK,
    OTHER,
    OWN,
    Case,
    Expected,
    Values,
    of_a_run,
    of_a_sentence,
    of_the_translator,
)


@of_a_sentence
def output_layer(network, trace: Trace, values: Values) -> Expected:
    computed = recompute_output(network, trace, values["step"] - 1)
    return {"hidden": computed.hidden, "logits": computed.logits, "probabilities": computed.probabilities}


@of_a_run
def teacher_forcing(translator: Translator, trace: Trace, values: Values) -> Expected:
    free = translator.trace(values["sentence"])
    computed = compare_runs(trace, free, translator.config.never_generated)
    return {
        "right": [row.target_probability for row in computed.forced],
        "free": [row.probability for row in computed.free],
        "generated": free.next_ids,
    }


@of_a_sentence
def choice(network, trace: Trace, values: Values) -> Expected:
    filters = values["temperature"], values["top_k"], values["top_p"]
    computed = sampling_stages(trace.logits[values["step"] - 1], *filters, network.config.never_generated)
    return {name: getattr(computed, name) for name in ("logits", "plain", "scaled", "kept", "probabilities")}


@of_the_translator
def searched(translator: Translator, values: Values) -> Expected:
    options = DecodingOptions("beam", beam=values["beam"], length_penalty=values["penalty"])
    source = translator.tokenizer.encode_source(values["sentence"])
    best = beam_tree(translator.network, source, options).best
    texts = tuple(translator.tokenizer.decode(node.ids) for node in best)
    sums = {"totals": [node.log_probability for node in best], "scores": [node.score for node in best]}
    return {"texts": texts} | sums


@cache
def language() -> LanguageModel:
    return LanguageModel.load(device="cpu")


def costs_of_steps(values: Values) -> Expected:
    trace = language().trace(values["sentence"], target_ids=values["target_ids"])
    steps = cache_steps(language().network, trace.source_ids, following_ids(trace))
    return {"computed": steps.computed, "cached": steps.cached, "uncached": steps.uncached, "kept": steps.bytes}


@of_a_run
def one_sequence(translator: Translator, trace: Trace, values: Values) -> Expected:
    forced = language().trace(values["sentence"], target_ids=trace.next_ids)
    measures = sum_heads(forced, None).measures
    return {"block": cross_block(forced), "source": measures.source, "to_first": measures.first}


def by_hand(values: Values) -> Expected:
    rows = [check_row(row) for row in values["rows"]]
    named = {"argmax": tuple(row.argmax for row in rows), "totals": [row.total for row in rows]}
    return named | {"softmax": {place: np.array(row.softmax) for place, row in enumerate(rows)}}


def shifted(values: Values) -> Expected:
    positions = shift_right(values["tokens"])
    names = ("reads", "expected", "seen")
    return {name: tuple(getattr(position, name) for position in positions) for name in names}


CASES: dict[str, Case] = {
    "given-tokens": ({"tokens": ("a", "b", "c")}, {"tokens": ("\ub098\ub294",)}, shifted),
    "rows": ({"rows": ((0.2, 0.1, 0.1), (0.4, 0.5, 0.1))}, {"rows": ((1.0,), (-3.0, 700.0))}, by_hand),
    "step-by-step": (
        OWN | {"step": 1, "temperature": 0.7, "top_k": 40, "top_p": 0.9},
        OTHER | {"step": 3, "temperature": 1.0, "top_k": 0, "top_p": 1.0},
        choice,
    ),
    "linear-softmax": (OWN | {"step": 1}, OTHER | {"step": 3}, output_layer),
    "teacher-forcing": (OWN, OTHER, teacher_forcing),
    "kv-cache": (OWN, OTHER, costs_of_steps),
    "one-stack": (OWN, OTHER, one_sequence),
    "beam-search": (
        {"sentence": SENTENCE, "beam": 4, "penalty": 0.6},
        {"sentence": COOK, "beam": 3, "penalty": 0.0},
        searched,
    ),
}
