"""The settings that the parts of the Positions page share: length, d_model and form of the encoding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from model.networks.positional import Form, positional_table
from pages.shared.opening import Request
from views.controls import widgets
from views.text.catalogue import Message, say

LARGEST = 512
FORMS: dict[Form, Message] = {
    "paper": Message("positions.form.paper", "Paper"),
    "column": Message("positions.form.column", "Column index"),
}


@dataclass(frozen=True)
class Settings:
    """What the reader set."""

    length: int
    d_model: int
    form: Form

    @cached_property
    def table(self) -> np.ndarray:
        """`(length, d_model)` float64, computed once."""
        return positional_table(self.length, self.d_model, self.form)

    @property
    def name(self) -> str:
        """For files."""
        return f"positions-{self.form}-{self.length}x{self.d_model}"


def settings(request: Request, shortest: int = 2) -> Settings:
    """Three controls in a row, and which form the model uses."""
    trained = request.service.model.config
    first, second, third = st.columns([2, 2, 2], gap="medium")
    with first:
        length = widgets.slider(say("positions.length", "Positions"), "length", 64, shortest, LARGEST)
    with second:
        d_model = widgets.slider("d_model", "width", trained.d_model, 2, LARGEST, 2)
    with third:
        chosen = widgets.pick(
            say("positions.form", "Form"),
            {form: said() for form, said in FORMS.items()},
            "form",
            help=say(
                "positions.form.help",
                "Paper: columns 2i and 2i + 1 share one frequency; this model uses it. Column index: every column "
                "has its own, as many tutorials have it.",
            ),
        )
    if chosen == "column":
        st.caption(
            say(
                "positions.form.column.used",
                "The variant: exponent = column / d_model. **This model uses the paper\u2019s form, not this one.**",
            )
        )
    elif d_model == trained.d_model:
        st.caption(
            say(
                "positions.form.paper.used",
                "The paper\u2019s form: exponent = 2i / d_model for columns 2i and 2i + 1. **This model uses it.**",
            )
        )
    else:
        st.caption(
            say(
                "positions.form.paper.other-width",
                "The paper\u2019s form: exponent = 2i / d_model for columns 2i and 2i + 1. **This model uses it, with "
                "d_model {d_model}.**",
                d_model=trained.d_model,
            )
        )
    return Settings(length, d_model, chosen)
