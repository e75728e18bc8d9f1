"""Expected results of the programs of *Attribution*, at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

import numpy as np

from model.attribution.agreement import METHODS, explain, spearman, sum_drops_by_word
from model.attribution.integrated_source import INTEGRATED, integrate_source
from model.attribution.leave_one_out import leave_one_out
from tests.pages.shared.programs import OWN, Case, Expected, Values, of_the_translator

EIGHT = tuple((place, place + 1) for place in range(8))
COOKED = ((0, 3), (3, 4), (4, 5), (5, 6))


def _explained(translator, values: Values):
    """Return the scores of every method, and the place of the target word."""
    trace = translator.trace(values["sentence"], target_ids=values["target_ids"])
    explained = explain(translator.network, trace)
    assert tuple((word.start, word.end) for word in explained.source) == values["words"]
    (place,) = (at for at, word in enumerate(explained.target) if (word.start, word.end) == values["word"])
    return trace, explained, place


@of_the_translator
def attributed(translator, values: Values) -> Expected:
    trace, explained, place = _explained(translator, values)
    left_out = leave_one_out(translator.network, trace, explained.source, values["way"])
    scores = {method: explained.scores[method][place] for method in METHODS[:3]}
    named = dict(zip(("last_layer", "all_layers", "value_weighted"), scores.values(), strict=True))
    return {"drops": sum_drops_by_word(left_out, explained.target)[place]} | named


@of_the_translator
def rolled(translator, values: Values) -> Expected:
    _, explained, place = _explained(translator, values)
    return {"rollout": explained.scores["Rollout"][place]}


@of_the_translator
def by_gradient(translator, values: Values) -> Expected:
    _, explained, place = _explained(translator, values)
    return {"relevance": explained.scores["Gradient relevance"][place]}


@of_the_translator
def integrated(translator, values: Values) -> Expected:
    _, explained, place = _explained(translator, values)
    trace = translator.trace(values["sentence"], target_ids=values["target_ids"])
    both = explained.add_integrated(integrate_source(translator.network, trace))
    return {"integrated": both.scores[INTEGRATED][place]}


def agreed(values: Values) -> Expected:
    drops = np.array(values["drops"])
    return {"correlations": {name: spearman(np.array(each), drops) for name, each in values["scores"].items()}}


OWN_WORDS = OWN | {"words": EIGHT, "word": (0, 1)}
COOK_IT = {"sentence": "Cook it!", "target_ids": (220, 15, 3), "words": COOKED, "word": (0, 2)}  # a word of two tokens
CASES: dict[str, Case] = {
    "attribution": (OWN_WORDS | {"way": "delete"}, COOK_IT | {"way": "mask"}, attributed),
    "rollout": (OWN_WORDS, COOK_IT, rolled),
    "relevance": (OWN_WORDS, COOK_IT, by_gradient),
    "integrated": (OWN_WORDS, COOK_IT, integrated),
    "agreement": (
        {"drops": (1.0, 2.0, 2.0, 4.0), "scores": {"some": (3.0, 1.0, 1.5, 0.0), "equal": (1.0,) * 4}},
        {"drops": (0.5, 0.25), "scores": {"two": (1.0, 2.0)}},
        agreed,
    ),
}
