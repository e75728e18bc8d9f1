"""The fold "Save this view" of the attention viewer: one HTML page, all heads, everything in one archive."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import streamlit as st

from pages.shared import files
from pages.shared.attention_viewer.saved import Saved, description, facts, flat
from pages.shared.attention_viewer.subject import Subject
from pages.shared.texts import block, caption
from views import maps
from views.address import settings
from views.components import standalone
from views.controls import picture_input
from views.export import downloads, drawing
from views.export.overview import Overview, overview
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
    html, archive = say("viewer.html", "One HTML file"), say("viewer.zip", "Everything as ZIP")
    with st.expander(say("viewer.save", "Save this view")):
        caption("attention_viewer", "save")
        with st.container(horizontal=True):
            if pictures:
                files.pictures(lambda: all_heads(saved), f"{name}-overview", say("viewer.overview", "Overview"))
            files.download(html, lambda: page(saved), f"attention-{name}.html")
            files.download(archive, lambda: everything(saved), f"attention-{name}.zip")


def all_heads(saved: Saved) -> drawing.Drawing:
    """Every head and the means as one picture."""
    subject = saved.subject
    weights = maps.with_means(subject.attention)  # (layers + 1, heads + 1, query, key)
    return overview(Overview(weights, subject.layers, subject.heads, subject.kind, saved.scale))


def page(saved: Saved) -> bytes:
    """The view as one HTML file."""
    kind, part = saved.subject.kind, saved.part()
    text = block("attention_viewer", saved.paragraphs, query_side=kind.queries(), key_side=kind.keys())
    return standalone.to_html(standalone.Document(kind.headline, [flat(text)], facts(saved, part), part))


def everything(saved: Saved) -> bytes:
    """The archive. It names no time, so the same view gives the same bytes."""
    subject = saved.subject
    arrays = lambda: downloads.attention_npz(  # noqa: E731
        subject.kind.name, subject.attention, subject.queries, subject.keys
    )
    own = {"attention.npz": arrays, "overview.svg": lambda: drawing.to_svg(all_heads(saved))}
    made = {name: make() for name, make in (own | dict(saved.files)).items()}
    made["view.html"] = page(saved)
    made["settings.json"] = json.dumps(description(saved), indent=2, ensure_ascii=False) + "\n"
    made["README.txt"] = _readme(saved)
    return downloads.archive(
        {name: made[name] if isinstance(made[name], bytes) else made[name].encode() for name in sorted(made)}
    )


def _readme(saved: Saved) -> str:
    recipe = [
        "import numpy as np",
        "",
        *saved.subject.recipe,
        "",
        "stored = np.load('attention.npz')['attention']",
        "print(np.abs(attention - stored).max())",
    ]
    listed = "".join(f"\n{name}: {line}" for name, line in saved.said.items())
    text = block("attention_viewer", "bundle", files=listed, recipe="\n".join(recipe))
    if "pixels_sha256" in saved.subject.source and "sample" not in saved.subject.source:
        text += "\n\n" + block("attention_viewer", "own-picture")
    return text + "\n"
