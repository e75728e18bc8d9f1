"""The settings that the parts of the Positions page share: length, d_model and form of the encoding."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from model.networks.positional import Form, positional_table
from pages.shared.opening import Request
from views.controls import widgets

LARGEST = 512
FORMS: dict[str, Form] = {"Paper": "paper", "Column index": "column"}


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
        length = widgets.slider("Positions", "length", 64, shortest, LARGEST)
    with second:
        d_model = widgets.slider("d_model", "width", trained.d_model, 2, LARGEST, 2)
    with third:
        chosen = widgets.pick(
            "Form",
            tuple(FORMS),
            "form",
            help=(
                "Paper: columns 2i and 2i + 1 share one frequency; this model uses it. Column index: every column "
                "has its own, as many tutorials write it."
            ),
        )
    if FORMS[chosen] == "column":
        st.caption("The variant: exponent = column / d_model. **This model uses the paper\u2019s form, not this one.**")
    else:
        same = "" if d_model == trained.d_model else f", with d_model {trained.d_model}"
        st.caption(
            f"The paper\u2019s form: exponent = 2i / d_model for columns 2i and 2i + 1. **This model uses it{same}.**"
        )
    return Settings(length, d_model, FORMS[chosen])
