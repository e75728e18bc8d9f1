"""What a view of the attention viewer is, in words and in JSON: enough to see it and to compute it again."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version

from pages.shared import checks
from pages.shared.attention_viewer import names
from pages.shared.attention_viewer.subject import Subject
from pages.shared.texts import block
from views import frame, maps
from views.components import standalone
from views.text.catalogue import say
from views.version import VERSION

COMPUTED_BY = ("torch", "numpy")


@dataclass(frozen=True, eq=False)
class Saved:
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

    subject: Subject
    settings: Mapping[str, object]
    link: str
    scale: maps.Scale
    paragraphs: str
    part: Callable[[], standalone.Part]
    files: Mapping[str, Callable[[], bytes | str]]
    said: Mapping[str, str]


def description(saved: Saved) -> dict[str, object]:
    """The model, the input, the settings, the check and the versions, for `settings.json`."""
    subject = saved.subject
    source = dict(subject.source)
    hashes = {"weights_sha256": subject.weights_sha256}
    if "tokenizer_sha256" in source:
        hashes["tokenizer_sha256"] = source.pop("tokenizer_sha256")
    check = subject.check
    return {
        "app": frame.NAME,
        "link": saved.link,
        "model": hashes,
        "input": source,
        "settings": {**_prepared(subject), **saved.settings},
        "check": {
            "largest_difference": check.max_difference,
            "row_sum_error": check.row_sum_error,
            "weight_on_masked_keys": check.masked_weight,
        },
        "versions": {
            frame.NAME: VERSION,
            "python": platform.python_version(),
            **{name: version(name) for name in COMPUTED_BY},
        },
    }


def _prepared(subject: Subject) -> dict[str, object]:
    return {
        "attention": subject.kind.name,
        "shape": dict(zip(("layer", "head", "query", "key"), subject.attention.shape, strict=True)),
        "units": "positions" if subject.kind.places else "words" if "words" in subject.key else "tokens",
        "special_tokens": "hidden" if "ordinary" in subject.key else "shown",
    }


def facts(saved: Saved, part: standalone.Part) -> list[tuple[str, str]]:
    """Names and values for the foot of the HTML file."""
    told = description(saved)
    said = [
        (names.NAMES[id](), names.value(id, value))
        for chapter in ("input", "model", "settings")
        for id, value in told[chapter].items()
    ]
    versions = ", ".join(f"{name} {number}" for name, number in told["versions"].items())
    return [
        *said,
        (say("fact.check", "Check"), flat(check_in_words(saved.subject)).replace("`", "")),
        (say("fact.numbers", "Numbers in this file"), part.numbers),
        (say("fact.link", "Link"), saved.link),
        (say("fact.versions", "Computed with"), versions),
    ]


_OF = {"sdpa": "", "score": "-of-a-score"}  # ends the ids of the texts on a record that is verified so


def check_in_words(subject: Subject) -> str:
    """What the check of the record found, as Markdown."""
    check = subject.check
    leak = say("viewer.check.unmasked", "0, nothing is masked")
    if subject.kind.causal:
        leak = checks.said("mask leak", check.masked_weight)
    difference, rows = checks.said("attention", check.max_difference), checks.said("row sums", check.row_sum_error)
    return block("attention_viewer", of("check", subject), difference=difference, rows=rows, masked_weight=leak)


def of(id: str, subject: Subject) -> str:
    """The id of a text about the way in which the record is verified."""
    return id + _OF[getattr(subject.record, "verified_by", "sdpa")]


def flat(text: str) -> str:
    """`text` in one line."""
    return " ".join(text.split())
