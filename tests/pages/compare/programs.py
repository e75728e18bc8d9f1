"""Expected results of the program of *Compare* at two settings; `tests/pages/shared/test_code.py` runs it."""

from __future__ import annotations

from model import HeadInterventions, Trace, Translator
from model.attribution.intervention_result import token_losses
from tests.pages.shared.programs import OTHER, OWN, Case, Expected, Values, of_a_run


@of_a_run
def changed(model: Translator, trace: Trace, values: Values) -> Expected:
    result = model.intervene(trace, HeadInterventions.from_text(values["plan"]))
    return {
        "translation": result.translation,
        "before": token_losses(trace),
        "after": token_losses(result.after),
        "weights": result.after.cross_attention,
    }


CASES: dict[str, Case] = {
    "compare": (
        OWN | {"plan": "pull:cross:4.1.2.3.4.5.6.7.8:5.5.2.75;pull:decoder:1.2:1.2.-inf"},
        OTHER | {"plan": "scale:decoder:3.1.2.3.4.5.6.7.8:0"},
        changed,
    ),
}
