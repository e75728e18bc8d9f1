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
from pages.shared.attention_viewer.provenance import ViewedAttention
from pages.shared.texts import block, caption
from views import kind_labels, map_labels, map_weights, navigation
from views.components import html_export
from views.controls import picture_input
from views.export import downloads, drawing
from views.export.overview_image import Overview, overview
from views.text import terms
from views.text.catalogue import Message, say
from views.text.glossary import plain_text, unlink_terms
from views.url_state import bound_settings
from views.version import VERSION

NAMES = {
    "sentence": Message("fact.sentence", "Sentence"),
    "target": Message("fact.target", "Target"),
    "target_ids": Message("fact.target-ids", "Ids of the target tokens"),
    "pixels_sha256": Message("fact.pixels", "SHA-256 of the pixels"),
    "opened": Message("fact.opened", "Model"),
    "second": Message("fact.second", "Second text"),
    "target_language": Message("fact.target-language", "Language of the target"),
    "sample": Message("fact.sample", "Picture"),
    "weights_sha256": Message("fact.weights", "SHA-256 of the weights"),
    "tokenizer_sha256": Message("fact.tokenizer", "SHA-256 of the tokenizer"),
    "attention": Message("kind.label", "Attention"),
    "shape": Message("fact.shape", "Layers \u00d7 heads \u00d7 queries \u00d7 keys"),
    "units": Message("viewer.units", "Rows and columns"),
    "special_tokens": Message("viewer.special", "Special tokens"),
    "look": Message("viewer.look", "View"),
    "layer": terms.LAYER,
    "head": terms.HEAD,
    "scale": Message("scale", "Colour scale"),
    "layers": Message("fact.layers", "Layers drawn"),
    "heads": Message("fact.heads", "Heads drawn"),
    "mass": Message("fact.mass", "Share of each query\u2019s weights drawn"),
}
OPTIONS = {
    "units": {
        "tokens": Message("viewer.units.tokens", "Tokens"),
        "words": Message("viewer.units.words", "Whole words"),
        "positions": Message("viewer.units.positions", "CLS and patches"),
    },
    "special_tokens": {
        "shown": Message("viewer.special.shown", "Shown"),
        "hidden": Message("viewer.special.hidden", "Hidden"),
    },
    "look": {
        "maps": Message("viewer.maps", "Maps"),
        "lines": Message("viewer.lines", "Lines"),
        "one-weight": Message("viewer.one-weight", "One weight"),
    },
    "layer": {map_labels.MEAN: terms.MEAN},
    "head": {map_labels.MEAN: terms.MEAN},
    "scale": {
        "shared": Message("scale.shared", "Shared"),
        "own": Message("scale.own.head", "Per head"),
        "log": Message("scale.log", "Logarithmic"),
    },
}
# fact -> value -> its label
VALUES: dict[str, Mapping[str, Callable[[], str]]] = {
    **OPTIONS,
}


def _value_text(id: str, value: object) -> str:
    """Format the value of the fact `id`; numbers, names and texts of the input stay as they are."""
    if isinstance(value, dict):
        return " \u00d7 ".join(map(str, value.values()))
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if id == "attention":
        return kind_labels.kind_named(str(value)).title
    label = VALUES.get(id, {}).get(str(value))
    return str(value) if label is None else label()


COMPUTED_BY = ("torch", "numpy")
OWN_FOLDER = {"model": ["own"]}  # in the address of a view of a folder that only its visit has


@dataclass(frozen=True, eq=False)
class SavedView:
    """A view of the attention viewer to be saved. Files are made on request.

    Attributes:
        settings: the chosen values, by id.
        link: path and query of the address that shows this view.
        scale: colour scale of all heads.
        explanation: id of the text that explains how to read the view.
        snapshot: makes the component with its content.
        files: name -> maker of a further file; may replace "attention.npz".
        descriptions: name -> a line about each of them.
    """

    viewed: ViewedAttention
    settings: Mapping[str, object]
    link: str
    scale: map_weights.Scale
    explanation: str
    snapshot: Callable[[], html_export.ComponentSnapshot]
    files: Mapping[str, Callable[[], bytes | str]]
    descriptions: Mapping[str, str]


def describe_view(saved: SavedView) -> dict[str, Any]:
    """Return model, input, settings, check and versions, for `settings.json`."""
    viewed = saved.viewed
    source = dict(viewed.source)
    hashes: dict[str, object] = {"weights_sha256": viewed.weights_sha256}
    if "tokenizer_sha256" in source:
        hashes["tokenizer_sha256"] = source.pop("tokenizer_sha256")
    check = viewed.check
    return {
        "app": navigation.NAME,
        "link": saved.link,
        "model": hashes,
        "input": source,
        "settings": {
            "attention": viewed.kind.name,
            "shape": dict(zip(("layer", "head", "query", "key"), viewed.attention.shape, strict=True)),
            "units": "positions" if viewed.kind.places else "words" if "words" in viewed.key else "tokens",
            "special_tokens": "hidden" if "ordinary" in viewed.key else "shown",
            **saved.settings,
        },
        "check": {
            "largest_difference": check.max_difference,
            "row_sum_error": check.row_sum_error,
            "weight_on_masked_keys": check.masked_weight,
        },
        "versions": {
            navigation.NAME: VERSION,
            "python": platform.python_version(),
            **{name: version(name) for name in COMPUTED_BY},
            **({"transformers": version("transformers")} if "opened" in viewed.source else {}),
        },
    }


def view_facts(saved: SavedView, snapshot: html_export.ComponentSnapshot) -> list[tuple[str, str]]:
    """Return names and values for the foot of the HTML file."""
    description = describe_view(saved)
    values = description["input"] | description["model"] | description["settings"]
    versions = ", ".join(f"{name} {number}" for name, number in description["versions"].items())
    return [
        *((NAMES[id](), _value_text(id, value)) for id, value in values.items()),
        (say("fact.check", "Check"), plain_text(check_line(saved.viewed))),
        (say("fact.numbers", "Numbers in this file"), snapshot.numbers),
        (say("fact.link", "Link"), _link_text(saved.link)),
        (say("fact.versions", "Computed with"), versions),
    ]


def _is_of_own_folder(link: str) -> bool:
    return OWN_FOLDER.items() <= parse_qs(urlsplit(link).query).items()


def _link_text(link: str) -> str:
    """The link, with a note where it cannot open what the view is of."""
    if not _is_of_own_folder(link):
        return link
    return say("fact.link.own-folder", "{link} (a link cannot open your own folder: type its path first)", link=link)


def check_line(viewed: ViewedAttention) -> str:
    """Return the result of the record's check, as Markdown."""
    return checks.describe_attention_check(viewed.record, viewed.kind.causal)[0]


def view_link(viewed: ViewedAttention) -> str:
    """Return path and query of the address that shows this view, with the sentence or the sample's name."""
    address = bound_settings.view_query()
    if address.get(picture_input.SETTING) == picture_input.OWN:  # only this visit has the picture
        del address[picture_input.SETTING]
    return f"/{viewed.page}?{urlencode(sorted(address.items()), doseq=True)}"


def render_export(saved: SavedView, pictures: bool = True) -> None:
    """Render the fold with downloads of the view.

    Args:
        pictures: also offer all heads as SVG and PNG.
    """
    name = saved.viewed.kind.name
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
    viewed = saved.viewed
    if downsampled.is_large({"": viewed}):
        weights, _ = downsampled.cached_blocks(viewed)
    else:
        weights = map_weights.with_means(viewed.attention)  # (layers + 1, heads + 1, query, key)
    return overview(Overview(weights, viewed.layers, viewed.heads, viewed.kind, saved.scale))


def build_html(saved: SavedView) -> bytes:
    """Return the view as one HTML file."""
    kind, snapshot = saved.viewed.kind, saved.snapshot()
    text = block("attention_viewer", saved.explanation, query_side=kind.queries(), key_side=kind.keys())
    return html_export.to_html(kind.headline, [plain_text(text)], view_facts(saved, snapshot), snapshot)


def build_archive(saved: SavedView) -> bytes:
    """Return the archive. It contains no time, so the same view gives the same bytes."""
    viewed = saved.viewed
    arrays = lambda: downloads.attention_npz(  # noqa: E731
        viewed.kind.name, viewed.attention, viewed.queries, viewed.keys
    )
    makers: dict[str, Callable[[], bytes | str]] = {
        "attention.npz": arrays,
        "overview.svg": lambda: drawing.to_svg(draw_all_heads(saved)),
        **saved.files,
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
        *saved.viewed.recipe,
        "",
        "stored = np.load('attention.npz')['attention']",
        "print(np.abs(attention - stored).max())",
    ]
    listed = "".join(f"\n{name}: {line}" for name, line in saved.descriptions.items())
    text = unlink_terms(block("attention_viewer", "bundle", files=listed, recipe="\n".join(recipe)))
    if "pixels_sha256" in saved.viewed.source and "sample" not in saved.viewed.source:
        text += "\n\n" + block("attention_viewer", "own-picture")
    if _is_of_own_folder(saved.link):
        text += "\n\n" + block("attention_viewer", "own-folder")
    return text + "\n"
