"""The attention of an opened model for the viewer: kinds with labels that fit any model, and its provenance."""

from collections.abc import Mapping

from model import HubTrace
from model.hub.opened_model import OpenedModel
from model.tracing.kinds import VISION, kind_of
from pages.shared.provenance import Provenance
from views.export import recipes
from views.kind_labels import Kind, any_model_kind
from views.viewer.attention_maps import AttentionMaps, from_trace
from views.viewer.pictured_maps import pictures_in_text, with_part_names


def labelled_kinds(trace: HubTrace) -> dict[str, Kind]:
    """Return the kinds of attention of a trace by name, in the model's order; of a text, not that within pictures."""
    is_text = trace.picture_text is not None
    return {name: any_model_kind(name) for name in trace.records if not (is_text and name == VISION.name)}


def named_maps(trace: HubTrace) -> AttentionMaps:
    """Return the maps of `labelled_kinds`, with parts of pictures named by row and column."""
    maps, pictures = from_trace(trace, labelled_kinds(trace)), pictures_in_text(trace)
    return with_part_names(maps, pictures) if pictures else maps


def view_opened(model: OpenedModel, trace: HubTrace, inputs: Mapping[str, object]) -> tuple[AttentionMaps, Provenance]:
    """Return the attention of a trace, for the viewer.

    Args:
        inputs: the input, by the names of the facts in a saved file.
    """
    kinds, opened = labelled_kinds(trace), (model.pinned, model.precision, model.weights_sha256)
    provenance = Provenance(
        model.weights_sha256,
        {"opened": model.pinned, **inputs},
        trace.records,
        ("opened", model.name, *map(str, inputs.values()), trace.kept),
        {kind: recipes.of_opened(*opened, kind, inputs) for kind in kinds},
        {kind: recipes.words_of_opened(*_sides(kind, trace)) for kind in kinds},
        page="models",
    )
    return from_trace(trace, kinds), provenance


def view_pictured(
    model: OpenedModel, trace: HubTrace, inputs: Mapping[str, object]
) -> tuple[AttentionMaps, Provenance]:
    """Return the attention of a text with pictures, without that within the pictures, for the viewer."""
    kinds = labelled_kinds(trace)
    facts, key = {"opened": model.pinned, **inputs}, ("pictured", model.name, *map(str, inputs.values()), trace.kept)
    return from_trace(trace, kinds), Provenance(model.weights_sha256, facts, trace.records, key, page="models")


def available_views(trace: HubTrace) -> tuple[str, ...]:
    """Return the views that can show a trace."""
    scored = all(record.scores is not None for record in trace.records.values())
    return ("maps", "lines", "one-weight") if scored else ("maps", "lines")


def _sides(kind: str, trace: HubTrace) -> list[str]:
    """Return whose tokens queries and keys are: "source" or "target"; a decoder alone reads the source."""
    sides = kind_of(kind).queries, kind_of(kind).keys
    return [side if trace.target is not None else "source" for side in sides]
