"""The settings that the sections of the Positions page share: length, d_model and form of the encoding."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from model.networks.positional import EncodingForm, positional_table, sinusoidal_angles, wavelengths
from pages.shared.page_header import Request
from pages.shared.texts import block, caption
from views.controls import widgets
from views.text.catalogue import Message, Untranslated, say

LENGTH, LARGEST = 64, 512
FORMS: dict[EncodingForm, Message] = {
    "paper": Message("positions.form.paper", "Paper"),
    "column": Message("positions.form.column", "Column index"),
}


@dataclass(frozen=True)
class EncodingSettings:
    """The chosen length, width and form, and the encoding that they give."""

    length: int
    d_model: int
    form: EncodingForm

    @cached_property
    def table(self) -> np.ndarray:
        """`(length, d_model)` float64, computed once."""
        return positional_table(self.length, self.d_model, self.form)

    @cached_property
    def angles(self) -> np.ndarray:
        """`(length, d_model)` float64, in radians: what the sines and cosines are taken of."""
        return sinusoidal_angles(self.length, self.d_model, self.form).numpy()

    @cached_property
    def wavelengths(self) -> np.ndarray:
        """`(d_model,)`, in positions."""
        return wavelengths(self.d_model, self.form).numpy()

    @property
    def name(self) -> str:
        """For files."""
        return f"positions-{self.form}-{self.length}x{self.d_model}"


def choose_settings(request: Request, length: int = 0) -> EncodingSettings:
    """Draw the controls in a row, without that of the length if `length` is set, and note which form the model uses."""
    trained = request.service.model.config
    *first, second, third = st.columns(2 if length else 3, gap="medium")
    if first:
        with first[0]:
            length = widgets.slider(say("positions.length", "Positions"), "length", LENGTH, 2, LARGEST)
    with second:
        d_model = widgets.slider(Untranslated("d_model")(), "width", trained.d_model, 2, LARGEST, 2)
    with third:
        help = " ".join(block("positions", "form-help").split())
        form = widgets.pick(say("positions.form", "Form"), FORMS, "form", help=help)
    if form == "column":
        caption("positions", "form-column")
    elif d_model == trained.d_model:
        caption("positions", "form-paper")
    else:
        caption("positions", "form-other-width", d_model=trained.d_model)
    return EncodingSettings(length, d_model, form)
