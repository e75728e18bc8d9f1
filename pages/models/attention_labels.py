"""The attention of an opened model for the viewer: kinds with labels that fit any model, tokens or whole words."""

from collections.abc import Mapping
from dataclasses import replace

from model import HubTrace
from model.hub.opened_model import OpenedModel
from model.hub.token_offsets import Tokens
from model.tracing.kinds import kind_of
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, view_trace
from views import kind_labels, map_labels
from views.text.catalogue import Message, say


def labelled_kinds(trace: HubTrace) -> dict[str, kind_labels.Kind]:
    """Return the kinds of attention of a trace by name, in the model's order."""
    return {name: any_model_kind(name) for name in trace.records}


def any_model_kind(kind: str) -> kind_labels.Kind:
    """Return a kind with labels that fit any model."""
    labelled = kind_labels.kind_named(kind)
    return labelled if labelled.places else _with_side_labels(labelled, kind_labels.ANY_TOKENS)


def axes(trace: HubTrace, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return labels of the queries and of the keys of a kind; with two texts, each token with its text."""
    if trace.grid is not None:
        labels = _position_labels(trace.grid, trace.leading, trace.trailing)
        return labels, labels
    queries, keys = (_token_labels(getattr(trace, side)) for side in _sides(kind, trace))
    return queries, keys


def _token_labels(tokens: Tokens) -> tuple[str, ...]:
    if not any(tokens.segments):
        return tokens.labels
    return tuple(f"{label} ({'AB'[part]})" for label, part in zip(tokens.labels, tokens.segments, strict=True))


def view_opened(
    model: OpenedModel, trace: HubTrace, kind: kind_labels.Kind, inputs: Mapping[str, object]
) -> ViewedAttention:
    """Return one kind of attention of a trace, for the viewer.

    Args:
        inputs: the input, by the names of the facts in a saved file.
    """
    key = ("opened", model.name, *map(str, inputs.values()), kind.name, trace.kept)
    source = {"opened": model.pinned, **inputs}
    viewed = view_trace(trace, kind, key, model.weights_sha256, source, _recipe_lines(model, kind, inputs))
    names = axes(trace, kind.name)
    return replace(
        viewed,
        queries=names[0],
        keys=names[1],
        tokens=names,
        layer_numbers=trace.records[kind.name].layers,
        page="models",
        grid=trace.grid,
        special=_special_labels(trace),
    )


def _special_labels(trace: HubTrace) -> frozenset[str]:
    """Return the labels of the tokens that the tokenizer adds."""
    texts = [tokens for tokens in (trace.source, trace.target) if tokens is not None]
    marked = (zip(_token_labels(tokens), tokens.special, strict=True) for tokens in texts)
    return frozenset(label for tokens in marked for label, special in tokens if special) or frozenset({kind_labels.CLS})


def available_views(trace: HubTrace) -> tuple[str, ...]:
    """Return the views that can show a trace."""
    scored = all(record.scores is not None for record in trace.records.values())
    return ("maps", "lines", "one-weight") if scored else ("maps", "lines")


def _position_labels(grid: tuple[int, int], leading: int, trailing: int) -> tuple[str, ...]:
    """Return labels of a picture's positions: CLS and registers, `leading` in all, patches, and other tokens."""
    registers = (say("models.register", "register {number}", number=number) for number in range(1, leading))
    others = (say("models.trailing", "token {number} after the patches", number=n) for n in range(1, trailing + 1))
    return (*(kind_labels.CLS, *registers)[:leading], *map_labels.patch_names(grid), *others)


def group_words(kind: kind_labels.Kind, trace: HubTrace) -> WordGrouping:
    """Group a trace's tokens into whole words."""
    sides = _sides(kind.name, trace)
    queries, keys = (getattr(trace, side).whole_words() for side in sides)
    recipe = (
        "",
        "from model.text.words import by_words",
        "",
        f"words = trace.{sides[0]}.whole_words(), trace.{sides[1]}.whole_words()",
        "attention = by_words(attention, *words).astype('float32')",
    )
    return WordGrouping(kind.of_words, queries, keys, recipe)


def _sides(kind: str, trace: HubTrace) -> list[str]:
    """Return whose tokens queries and keys are: "source" or "target"; a decoder alone reads the source."""
    sides = kind_of(kind).queries, kind_of(kind).keys
    return [side if trace.target is not None else "source" for side in sides]


def _with_side_labels(kind: kind_labels.Kind, sides: tuple[Message, Message]) -> kind_labels.Kind:
    return replace(kind, queries=sides[0], keys=sides[1])


def _recipe_lines(model: OpenedModel, kind: kind_labels.Kind, inputs: Mapping[str, object]) -> tuple[str, ...]:
    """Return lines of Python that compute the same in a notebook."""
    traced: tuple[str, ...]
    if "sentence" not in inputs:
        traced = ("from PIL import Image", "", "trace = opened.trace(Image.open('the picture'))")
    else:
        names = ("second", "target", "target_language")
        options = "".join(f", {name}={inputs[name]!r}" for name in names if inputs.get(name))
        traced = (f"trace = opened.trace({ascii(inputs['sentence'])}{options})",)
    return (
        "from model import open_model",
        "",
        f"opened = open_model({model.pinned!r}, dtype={model.precision!r})  # the folder's path, or the id",
        f"assert opened.weights_sha256 == {model.weights_sha256!r}",
        *traced,
        f"attention = trace.attention({kind.name!r})  # (layer, head, query, key)",
    )
