"""What the attention viewer shows as files: one HTML page, all heads in one picture, everything in one archive."""

from __future__ import annotations

import json

from pages.shared.attention_viewer.saved import Saved, description, facts, flat
from pages.shared.attention_viewer.subject import Subject
from views import maps
from views.components import standalone
from views.export import downloads, drawing
from views.export.overview import Overview, overview
from views.text import prose


def all_heads(saved: Saved) -> drawing.Drawing:
    """Every head and the means as one picture."""
    subject = saved.subject
    weights = maps.with_means(subject.attention)  # (layers + 1, heads + 1, query, key)
    return overview(Overview(weights, subject.layers, subject.heads, subject.kind, saved.scale))


def page(saved: Saved) -> bytes:
    """The view as one HTML file."""
    kind, part = saved.subject.kind, saved.part()
    text = prose.block("attention_viewer", saved.paragraphs, query_side=kind.query_side, key_side=kind.key_side)
    return standalone.to_html(standalone.Document(kind.headline, [flat(text)], facts(saved, part), part))


def everything(saved: Saved) -> bytes:
    """The archive. It names no time, so the same view gives the same bytes."""
    subject = saved.subject
    own = {"attention.npz": lambda: _npz(subject), "overview.svg": lambda: drawing.to_svg(all_heads(saved))}
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
    files = "".join(f"\n{name}: {line}" for name, line in saved.said.items())
    text = prose.block("attention_viewer", "bundle", files=files, recipe="\n".join(recipe))
    if "pixels_sha256" in saved.subject.source and "sample" not in saved.subject.source:
        text += "\n\n" + prose.block("attention_viewer", "own-picture")
    return text + "\n"


def _npz(subject: Subject) -> bytes:
    return downloads.attention_npz(subject.kind.name, subject.attention, subject.queries, subject.keys)
