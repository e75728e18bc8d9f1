"""The attention of an input for the viewer, and its provenance: the input, hashes, checks and the recipe."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from urllib.parse import parse_qs, urlencode, urlsplit

from model.tracing.kinds import KINDS
from model.tracing.picture_trace import PatchTrace
from model.tracing.trace import SentenceTrace
from model.tracing.traced_model import Record, TranslatingModel
from server.base_path import base_path
from views import navigation
from views.controls import picture_input
from views.export import recipes
from views.export.recipes import Lines
from views.kind_labels import VISION, Kind
from views.url_state import bound_settings
from views.version import VERSION
from views.viewer.attention_maps import AttentionMaps, KindMaps, from_trace


@dataclass(frozen=True, eq=False)
class Provenance:
    """Where the maps of an input come from."""

    weights_sha256: str  # of the weights that computed them
    source: Mapping[str, object]  # the input, by the names of the facts in a saved file, to compute it again
    records: Mapping[str, Record]  # what the network computed, by kind; each has its check
    key: tuple  # identifies the input, for caches
    # kind -> lines of Python that compute `attention`, of tokens, again
    recipes: Mapping[str, Lines] = field(default_factory=dict)
    word_recipes: Mapping[str, Lines] = field(default_factory=dict)  # kind -> lines that merge it into whole words
    page: str = "attention"  # whose address shows it again

    def recipe(self, whole: KindMaps, shown: KindMaps) -> Lines:
        """Lines of Python that compute the weights of `shown`, which was made from `whole`; none if there are none."""
        lines = self.recipes.get(whole.kind.name, ())
        if not lines:
            return ()
        words = self.word_recipes[whole.kind.name] if shown.units == "words" else ()
        return lines + words + recipes.of_selection(whole, shown)


def view_sentence(
    trace: SentenceTrace, kinds: Mapping[str, Kind], model: TranslatingModel, source: Mapping[str, object]
) -> tuple[AttentionMaps, Provenance]:
    """Return the attention of a sentence and its translation.

    Args:
        source: with the "sentence" as typed.
    """
    sentence, loaded = str(source["sentence"]), (model.loaded_by, model.weights_sha256)
    provenance = Provenance(
        model.weights_sha256,
        {**source, "target": trace.target_text, "target_ids": list(trace.next_ids)},
        trace.records,
        ("text", trace.source_ids, trace.target_ids),
        {kind: recipes.of_sentence(sentence, trace.next_ids, kind, *loaded) for kind in kinds},
        {kind: recipes.words_of_sentence(KINDS[kind].queries, KINDS[kind].keys) for kind in kinds},
    )
    return from_trace(trace, kinds), provenance


def view_picture(
    key: str, trace: PatchTrace, weights_sha256: str, sample: str = ""
) -> tuple[AttentionMaps, Provenance]:
    """Return the attention of CLS and every patch of a picture.

    Args:
        key: the SHA-256 of the pixels as the model receives them.
        sample: name of the picture if it is one of the project's own; empty for a visitor's picture.
    """
    source = {"pixels_sha256": key} | ({"sample": sample} if sample else {})
    lines = {VISION.name: recipes.of_picture(key, weights_sha256, sample)}
    provenance = Provenance(weights_sha256, source, trace.records, ("picture", key), lines, page="vision")
    return from_trace(trace, {VISION.name: VISION}), provenance


# What a saved file states about where it comes from: the address that shows its view again, and versions.

COMPUTED_BY = ("torch", "numpy")
OWN_FOLDER = {"model": ["own"]}  # in the address of a view of a folder that only its visit has


def view_link(page: str) -> str:
    """Return path and query of the address that shows this view, with the sentence or the sample's name."""
    address = bound_settings.view_query()
    if address.get(picture_input.SETTING) == picture_input.OWN:  # only this visit has the picture
        del address[picture_input.SETTING]
    return f"{base_path()}/{page}?{urlencode(sorted(address.items()), doseq=True)}"


def is_of_own_folder(link: str) -> bool:
    """Whether an address shows a model in a folder that only its visit has."""
    return OWN_FOLDER.items() <= parse_qs(urlsplit(link).query).items()


def used_versions(opened: bool) -> dict[str, str]:
    """Return the versions of what computed a result, by name; `opened` if an opened model did."""
    return {
        navigation.NAME: VERSION,
        "python": platform.python_version(),
        **{name: version(name) for name in COMPUTED_BY},
        **({"transformers": version("transformers")} if opened else {}),
    }
