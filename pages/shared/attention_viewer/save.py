"""The fold "Save this view" below a view of the attention viewer."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from pages.shared import files
from pages.shared.attention_viewer import bundle
from pages.shared.attention_viewer.saved import Saved
from pages.shared.attention_viewer.subject import Subject
from views.address import settings
from views.controls import picture_input
from views.text import prose
from views.text.catalogue import say


def link(subject: Subject) -> str:
    """Path and query of the address that shows this view; the sentence, or the sample's name, is always among it."""
    address = settings.address()
    if address.get(picture_input.ADDRESS) == picture_input.OWN:  # nobody else could open it
        del address[picture_input.ADDRESS]
    path = "/vision" if subject.kind.places else "/attention"
    return f"{path}?{urlencode(sorted(address.items()), doseq=True)}"


def save(saved: Saved, pictures: bool = True) -> None:
    """Offer the view as files.

    Args:
        pictures: with all heads as SVG and PNG.
    """
    name = saved.subject.kind.name
    with st.expander(say("viewer.save", "Save this view")):
        st.caption(prose.block("attention_viewer", "save"))
        with st.container(horizontal=True):
            if pictures:
                files.pictures(lambda: bundle.all_heads(saved), f"{name}-overview", say("viewer.overview", "Overview"))
            files.download(say("viewer.html", "One HTML file"), lambda: bundle.page(saved), f"attention-{name}.html")
            files.download(
                say("viewer.zip", "Everything as ZIP"), lambda: bundle.everything(saved), f"attention-{name}.zip"
            )
