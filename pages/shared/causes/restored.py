"""The share of the difference between two runs that a change restores, in words."""

import math

from model.causal.result_tables import restored_share
from views.text.catalogue import say
from views.text.numbers import percent


def share_text(value: float, receiver: float, donor: float) -> str:
    """The share as a percentage; "undefined" where both runs have the same value."""
    share = float(restored_share(value, receiver, donor))
    return say("circuits.undefined", "undefined") if math.isnan(share) else percent(share)
