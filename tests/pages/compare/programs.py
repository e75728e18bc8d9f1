"""Expected results of the programs of *Compare* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

from model import HeadInterventions, Trace, Translator
from model.attribution.intervention_result import token_losses
from tests.pages.conftest import SENTENCE
from tests.pages.shared.programs import COOK, OTHER, OWN, Case, Expected, Values, of_a_run, of_the_translator


@of_a_run
def changed(model: Translator, trace: Trace, values: Values) -> Expected:
    result = model.intervene(trace, HeadInterventions.from_text(values["plan"]))
    return {
        "translation": result.translation,
        "before": token_losses(trace),
        "after": token_losses(result.after),
        "weights": result.after.cross_attention,
    }


@of_the_translator
def compared(model: Translator, values: Values) -> Expected:
    first, second = (model.trace(values[side], target_ids=values[f"{side}_ids"]) for side in ("first", "second"))
    return {
        "tokens": (first.next_tokens, second.next_tokens),
        "losses_a": token_losses(first),
        "losses_b": token_losses(second),
        "weights_a": first.cross_attention,
        "weights_b": second.cross_attention,
    }


CASES: dict[str, Case] = {
    "other": (
        {"first": SENTENCE, "second": "I want to sell a car.", "first_ids": None, "second_ids": None},
        {"first": SENTENCE, "second": COOK, "first_ids": (220, 15, 3), "second_ids": (220, 15, 3)},
        compared,
    ),
    "changed": (
        OWN | {"plan": "pull:cross:4.1.2.3.4.5.6.7.8:5.5.2.75;pull:decoder:1.2:1.2.-inf"},
        OTHER | {"plan": "scale:decoder:3.1.2.3.4.5.6.7.8:0"},
        changed,
    ),
}
