"""Numbers in the address bar, before Streamlit's controls read them."""

from __future__ import annotations

import functools
import math

from streamlit.runtime.state import session_state as controls


def refuse_infinite_numbers() -> None:
    """Make a control ignore an infinite number in the address, such as `1e400`, as it ignores any other nonsense.

    Streamlit's whole-number controls would try to round it and end the page with an error. There is no public place
    between the address and the control, so its reader of addresses is wrapped; the tests fail if it moves.
    """
    read = controls.parse_url_param
    if hasattr(read, "__wrapped__"):
        return

    @functools.wraps(read)
    def read_finite(value, value_type):
        found = read(value, value_type)
        for number in found if isinstance(found, list) else [found]:
            if isinstance(number, float) and math.isinf(number):
                raise ValueError("An infinite number is no value of a control.")
        return found

    controls.parse_url_param = read_finite
