"""The model as a diagram, and the networks before it in the same places."""

from __future__ import annotations

import streamlit as st

from model.networks.recurrent_config import RecurrentConfig
from pages.history import networks
from pages.shared.runs import fragment
from pages.shared.service import Service
from views import frame
from views.address import settings
from views.components.drawing_view import drawing_view
from views.controls import widgets
from views.svg.architecture import Sizes, architecture
from views.svg.recurrent_architecture import RecurrentSizes, recurrent_architecture
from views.text import prose
from views.text.catalogue import say

TRANSFORMER = "transformer"


@fragment
def show(service: Service) -> None:
    """The loaded model, or one of the networks that were trained on the same sentences before it."""
    called = {TRANSFORMER: networks.TRANSFORMER()} | networks.options()
    chosen = widgets.pick(say("translate.diagram", "Which network"), called, "diagram", hidden=True)
    links = frame.titles(), settings.shared()
    if chosen == TRANSFORMER:
        drawn, about = architecture(Sizes(**_taken(service.model.config, Sizes)), *links), "diagram"
    else:
        sizes = RecurrentSizes(**_taken(RecurrentConfig.preset(chosen), RecurrentSizes))
        drawn, about = recurrent_architecture(sizes, *links), "diagram-before"
    drawing_view(drawn, key="architecture")
    st.caption(prose.block("translate", about))


def _taken(config: object, sizes: type) -> dict[str, object]:
    return {name: getattr(config, name) for name in sizes.__dataclass_fields__}
