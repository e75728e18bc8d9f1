"""The fold "Save this view" of the attention viewer: one HTML page, all heads, everything in one archive."""

import json
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from urllib.parse import urlencode

import streamlit as st

from pages.shared import checks, files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.provenance import ViewedAttention
from pages.shared.texts import block, caption
from views import attention_maps, navigation
from views.components import html_export
from views.controls import picture_input
from views.export import downloads, drawing
from views.export.overview_image import Overview, overview
from views.text import terms
from views.text.catalogue import Message, say
from views.url_state import bound_settings
from views.version import VERSION

NAMES = {
    "sentence": Message("fact.sentence", "Sentence"),
    "target": Message("fact.target", "Target"),
    "target_ids": Message("fact.target-ids", "Ids of the target tokens"),
    "pixels_sha256": Message("fact.pixels", "SHA-256 of the pixels"),
    "opened": Message("fact.opened", "Model"),
    "second": Message("fact.second", "Second text"),
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
VALUES = {
    "attention": {kind.name: kind.called for kind in (*attention_maps.KINDS.values(), attention_maps.VISION)},
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
    "layer": {attention_maps.MEAN: terms.MEAN},
    "head": {attention_maps.MEAN: terms.MEAN},
    "scale": {
        "shared": Message("scale.shared", "Shared"),
        "own": Message("scale.own.head", "Per head"),
        "log": Message("scale.log", "Logarithmic"),
    },
}


def _value_text(id: str, given: object) -> str:
    """What the page says for the value of the fact `id`; numbers, names and texts of the input stay as they are."""
    if isinstance(given, dict):
        return " \u00d7 ".join(map(str, given.values()))
    if isinstance(given, list):
        return ", ".join(map(str, given))
    said = VALUES.get(id, {}).get(str(given))
    return str(given) if said is None else said()


COMPUTED_BY = ("torch", "numpy")


@dataclass(frozen=True, eq=False)
class SavedView:
    """A view with what was chosen in it. Files are made when they are asked for.

    Attributes:
        settings: what is chosen, by id.
        link: path and query of the address that shows this view.
        scale: of the colours of all heads.
        paragraphs: id of the text that says how to read the view.
        part: makes the component with what it shows.
        files: name -> maker of what else belongs to the view; may replace "attention.npz".
        said: name -> a line about each of them.
    """

    subject: ViewedAttention
    settings: Mapping[str, object]
    link: str
    scale: attention_maps.Scale
    paragraphs: str
    part: Callable[[], html_export.ComponentSnapshot]
    files: Mapping[str, Callable[[], bytes | str]]
    said: Mapping[str, str]


def describe_view(saved: SavedView) -> dict[str, object]:
    """The model, the input, the settings, the check and the versions, for `settings.json`."""
    subject = saved.subject
    source = dict(subject.source)
    hashes = {"weights_sha256": subject.weights_sha256}
    if "tokenizer_sha256" in source:
        hashes["tokenizer_sha256"] = source.pop("tokenizer_sha256")
    check = subject.check
    return {
        "app": navigation.NAME,
        "link": saved.link,
        "model": hashes,
        "input": source,
        "settings": {
            "attention": subject.kind.name,
            "shape": dict(zip(("layer", "head", "query", "key"), subject.attention.shape, strict=True)),
            "units": "positions" if subject.kind.places else "words" if "words" in subject.key else "tokens",
            "special_tokens": "hidden" if "ordinary" in subject.key else "shown",
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
        },
    }


def view_facts(saved: SavedView, part: html_export.ComponentSnapshot) -> list[tuple[str, str]]:
    """Names and values for the foot of the HTML file."""
    told = describe_view(saved)
    values = told["input"] | told["model"] | told["settings"]
    said = [(NAMES[id](), _value_text(id, value)) for id, value in values.items()]
    versions = ", ".join(f"{name} {number}" for name, number in told["versions"].items())
    return [
        *said,
        (say("fact.check", "Check"), one_line(check_line(saved.subject)).replace("`", "")),
        (say("fact.numbers", "Numbers in this file"), part.numbers),
        (say("fact.link", "Link"), saved.link),
        (say("fact.versions", "Computed with"), versions),
    ]


def check_line(subject: ViewedAttention) -> str:
    """What the check of the record found, as Markdown."""
    return checks.describe_attention_check(subject.record, subject.kind.causal)[0]


def one_line(text: str) -> str:
    """`text` in one line."""
    return " ".join(text.split())


def view_link(subject: ViewedAttention) -> str:
    """Path and query of the address that shows this view; the sentence, or the sample's name, is always among it."""
    address = bound_settings.view_query()
    if address.get(picture_input.SETTING) == picture_input.OWN:  # nobody else could open it
        del address[picture_input.SETTING]
    return f"/{subject.page}?{urlencode(sorted(address.items()), doseq=True)}"


def render_export(saved: SavedView, pictures: bool = True) -> None:
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
                files.pictures(lambda: draw_all_heads(saved), f"{name}-overview", say("viewer.overview", "Overview"))
            files.download(html, lambda: build_html(saved), f"attention-{name}.html")
            files.download(archive, lambda: build_archive(saved), f"attention-{name}.zip")


def draw_all_heads(saved: SavedView) -> drawing.Drawing:
    """Every head and the means as one picture."""
    subject = saved.subject
    if downsampled.is_large({"": subject}):
        weights, _ = downsampled.cached_blocks(subject)
    else:
        weights = attention_maps.with_means(subject.attention)  # (layers + 1, heads + 1, query, key)
    return overview(Overview(weights, subject.layers, subject.heads, subject.kind, saved.scale))


def build_html(saved: SavedView) -> bytes:
    """The view as one HTML file."""
    kind, part = saved.subject.kind, saved.part()
    text = block("attention_viewer", saved.paragraphs, query_side=kind.queries(), key_side=kind.keys())
    return html_export.to_html(kind.headline, [one_line(text)], view_facts(saved, part), part)


def build_archive(saved: SavedView) -> bytes:
    """The archive. It names no time, so the same view gives the same bytes."""
    subject = saved.subject
    arrays = lambda: downloads.attention_npz(  # noqa: E731
        subject.kind.name, subject.attention, subject.queries, subject.keys
    )
    own = {"attention.npz": arrays, "overview.svg": lambda: drawing.to_svg(draw_all_heads(saved))}
    made = {name: make() for name, make in (own | dict(saved.files)).items()}
    made["view.html"] = build_html(saved)
    made["settings.json"] = json.dumps(describe_view(saved), indent=2, ensure_ascii=False) + "\n"
    made["README.txt"] = _readme(saved)
    encoded = {name: text.encode() if isinstance(text, str) else text for name, text in sorted(made.items())}
    return downloads.archive(encoded)


def _readme(saved: SavedView) -> str:
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
