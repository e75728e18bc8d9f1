"""Expected results of the programs of *Attention*, at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

from model import Trace
from tests.pages.shared.programs import OTHER, OWN, Case, Expected, Values, of_a_sentence


@of_a_sentence
def maps(network, trace: Trace, values: Values) -> Expected:
    checked = trace.verify()
    maps_and_checks = {name: trace.attention(name) for name in ("encoder", "decoder", "cross")}
    maps_and_checks |= {"row_sum_error": checked.row_sum_error, "masked_weight": checked.masked_weight}
    return maps_and_checks | {"difference": checked.max_difference}


CASES: dict[str, Case] = {
    "attention": (OWN, OTHER, maps),
}
