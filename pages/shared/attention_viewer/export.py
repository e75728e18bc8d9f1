"""The fold "Save this view" of the attention viewer: one HTML file, all heads, everything in one archive."""

import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import streamlit as st

from pages.shared import checks, files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.provenance import Provenance
from pages.shared.texts import block, caption
from views import navigation
from views.components import html_export
from views.controls import picture_input
from views.export import downloads, drawing
from views.export.overview_image import overview
from views.map_weights import Scale
from views.text.catalogue import say
from views.text.glossary import plain_text, unlink_terms
from views.url_state import bound_settings
from views.version import VERSION
from views.viewer.attention_maps import AttentionMaps, KindMaps
from views.viewer.saved_facts import NAMES, value_text

COMPUTED_BY = ("torch", "numpy")
OWN_FOLDER = {"model": ["own"]}  # in the address of a view of a folder that only its visit has


@dataclass(frozen=True, eq=False)
class SavedView:
    """A view of the attention viewer to be saved. Files are made on request.

    Attributes:
        shown: the maps, prepared as chosen.
        recipe: lines of Python that compute their weights again.
        settings: the chosen values, by id.
        link: path and query of the address that shows this view.
        scale: colour scale of all heads.
        explanation: id of the text that explains how to read the view.
        snapshot: makes the component with its content.
        files: name -> maker of a further file, and a line about it; may replace "attention.npz", without a line.
    """

    shown: KindMaps
    provenance: Provenance
    recipe: tuple[str, ...]
    settings: Mapping[str, object]
    link: str
    scale: Scale
    explanation: str
    snapshot: Callable[[], html_export.ComponentSnapshot]
    files: Mapping[str, tuple[Callable[[], bytes | str], str]]


def view_link(page: str) -> str:
    """Return path and query of the address that shows this view, with the sentence or the sample's name."""
    address = bound_settings.view_query()
    if address.get(picture_input.SETTING) == picture_input.OWN:  # only this visit has the picture
        del address[picture_input.SETTING]
    return f"/{page}?{urlencode(sorted(address.items()), doseq=True)}"


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


def used_versions(opened: bool) -> dict[str, str]:
    """Return the versions of what computed a result, by name; `opened` if an opened model did."""
    return {
        navigation.NAME: VERSION,
        "python": platform.python_version(),
        **{name: version(name) for name in COMPUTED_BY},
        **({"transformers": version("transformers")} if opened else {}),
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


def is_of_own_folder(link: str) -> bool:
    """Whether an address shows a model in a folder that only its visit has."""
    return OWN_FOLDER.items() <= parse_qs(urlsplit(link).query).items()


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
    is_large = downsampled.is_large(AttentionMaps({"": saved.shown}))
    blocks = downsampled.cached_blocks(saved.shown, saved.provenance)[0] if is_large else None
    return overview(saved.shown, saved.scale, blocks)


def build_html(saved: SavedView) -> bytes:
    """Return the view as one HTML file."""
    kind, snapshot = saved.shown.kind, saved.snapshot()
    text = block("attention_viewer", saved.explanation, query_side=kind.queries(), key_side=kind.keys())
    return html_export.to_html(kind.headline, [plain_text(text)], view_facts(saved, snapshot), snapshot)


def build_archive(saved: SavedView) -> bytes:
    """Return the archive. It contains no time, so the same view gives the same bytes."""
    shown = saved.shown
    arrays = lambda: downloads.attention_npz(  # noqa: E731
        shown.kind.name, shown.weights, shown.queries.labels, shown.keys.labels
    )
    makers: dict[str, Callable[[], bytes | str]] = {
        "attention.npz": arrays,
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
