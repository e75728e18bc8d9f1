"""The fold "Save this view" of the attention viewer: one HTML file, all heads, everything in one archive."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from pages.shared import checks, files
from pages.shared.attention_viewer import downsampled
from pages.shared.provenance import Provenance, is_of_own_folder, used_versions
from pages.shared.texts import block, caption
from views import navigation
from views.components import controls, html_export
from views.export import downloads, drawing, weight_files
from views.export.overview_image import overview
from views.map_weights import Scale
from views.text.catalogue import say
from views.text.glossary import plain_text, unlink_terms
from views.viewer.attention_maps import KindMaps
from views.viewer.saved_facts import NAMES, value_text


@dataclass(frozen=True, eq=False)
class SavedView:
    """A view of the attention viewer to be saved. Files are made on request."""

    shown: KindMaps  # the maps, prepared as chosen
    provenance: Provenance
    recipe: tuple[str, ...]  # lines of Python that compute their weights again
    settings: Mapping[str, object]  # the chosen values, by id
    link: str  # path and query of the address that shows this view
    scale: Scale  # colour scale of all heads
    explanation: str  # id of the text that explains how to read the view
    snapshot: Callable[[], html_export.ComponentSnapshot]  # makes the component with its content
    # name -> maker of a further file, and a line about it; may replace "attention.npz", without a line
    files: Mapping[str, tuple[Callable[[], bytes | str], str]]


def describe_view(saved: SavedView) -> dict[str, Any]:
    """Return model, input, settings, check and versions, for `settings.json`."""
    shown, source = saved.shown, dict(saved.provenance.source)
    hashes: dict[str, object] = {"weights_sha256": saved.provenance.weights_sha256}
    if "tokenizer_sha256" in source:
        hashes["tokenizer_sha256"] = source.pop("tokenizer_sha256")
    check = saved.provenance.records[shown.kind.name].verification
    return {
        "app": navigation.NAME,
        "link": saved.link,
        "model": hashes,
        "input": source,
        "settings": {
            "attention": shown.kind.name,
            "shape": dict(zip(("layer", "head", "query", "key"), shown.weights.shape, strict=True)),
            "units": shown.units,
            "special_tokens": "hidden" if shown.special_hidden else "shown",
            **saved.settings,
        },
        "check": {
            "largest_difference": check.max_difference,
            "row_sum_error": check.row_sum_error,
            "weight_on_masked_keys": check.masked_weight,
        },
        "versions": used_versions("opened" in source),
    }


def view_facts(saved: SavedView, snapshot: html_export.ComponentSnapshot) -> list[tuple[str, str]]:
    """Return names and values for the foot of the HTML file."""
    description = describe_view(saved)
    values = description["input"] | description["model"] | description["settings"]
    versions = ", ".join(f"{name} {number}" for name, number in description["versions"].items())
    return [
        *((NAMES[id](), value_text(id, value)) for id, value in values.items()),
        (say("fact.check", "Check"), plain_text(_check_line(saved))),
        (say("fact.numbers", "Numbers in this file"), snapshot.numbers),
        (say("fact.link", "Link"), _link_text(saved.link)),
        (say("fact.versions", "Computed with"), versions),
    ]


def _link_text(link: str) -> str:
    """The link, with a note where it cannot open what the view is of."""
    if not is_of_own_folder(link):
        return link
    return say("fact.link.own-folder", "{link} (a link cannot open your own folder: type its path first)", link=link)


def _check_line(saved: SavedView) -> str:
    """Return the result of the record's check, as Markdown."""
    kind = saved.shown.kind
    return checks.describe_attention_check(saved.provenance.records[kind.name], kind.causal)[0]


def render_export(saved: SavedView, pictures: bool = True) -> None:
    """Render the fold with downloads of the view.

    Args:
        pictures: also offer all heads as SVG and PNG.
    """
    name = saved.shown.kind.name
    html, archive = say("viewer.html", "One HTML file"), say("viewer.zip", "Everything as ZIP")
    with st.expander(say("viewer.save", "Save this view")):
        caption("attention_viewer", "save")
        with st.container(horizontal=True):
            if pictures:
                files.pictures(lambda: draw_all_heads(saved), f"{name}-overview", say("viewer.overview", "Overview"))
            files.download(html, lambda: build_html(saved), f"attention-{name}.html")
            files.download(archive, lambda: build_archive(saved), f"attention-{name}.zip")


def draw_all_heads(saved: SavedView) -> drawing.Drawing:
    """Draw every head and the means as one picture."""
    whole = controls.fits(saved.shown.weight_count)
    blocks = None if whole else downsampled.cached_blocks(saved.shown, saved.provenance)[0]
    return overview(saved.shown, saved.scale, blocks)


def build_html(saved: SavedView) -> bytes:
    """Return the view as one HTML file."""
    kind, snapshot = saved.shown.kind, saved.snapshot()
    text = block("attention_viewer", saved.explanation, query_side=kind.queries(), key_side=kind.keys())
    return html_export.to_html(kind.headline, [plain_text(text)], view_facts(saved, snapshot), snapshot)


def build_archive(saved: SavedView) -> bytes:
    """Return the archive. It contains no time, so the same view gives the same bytes."""
    makers: dict[str, Callable[[], bytes | str]] = {
        "attention.npz": lambda: weight_files.maps_npz(saved.shown),
        "overview.svg": lambda: drawing.to_svg(draw_all_heads(saved)),
        **{name: make for name, (make, _) in saved.files.items()},
    }
    contents = {name: make() for name, make in makers.items()}
    contents["view.html"] = build_html(saved)
    contents["settings.json"] = json.dumps(describe_view(saved), indent=2, ensure_ascii=False) + "\n"
    contents["README.txt"] = _readme(saved)
    return downloads.archive(
        {name: text.encode() if isinstance(text, str) else text for name, text in sorted(contents.items())}
    )


def _readme(saved: SavedView) -> str:
    recipe = [
        "import numpy as np",
        "",
        *saved.recipe,
        "",
        "stored = np.load('attention.npz')['attention']",
        "print(np.abs(attention - stored).max())",
    ]
    listed = "".join(f"\n{name}: {line}" for name, (_, line) in saved.files.items() if line)
    text = unlink_terms(block("attention_viewer", "bundle", files=listed, recipe="\n".join(recipe)))
    source = saved.provenance.source
    if "pixels_sha256" in source and "sample" not in source:
        text += "\n\n" + block("attention_viewer", "own-picture")
    if is_of_own_folder(saved.link):
        text += "\n\n" + block("attention_viewer", "own-folder")
    return text + "\n"
