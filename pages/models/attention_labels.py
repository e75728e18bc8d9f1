"""What the attention viewer shows of an opened model: kinds with words that fit any model, tokens or whole words."""

from collections.abc import Mapping
from dataclasses import replace

from model import HubTrace
from model.hub.opened_model import OpenedModel
from model.hub.token_offsets import Tokens
from model.tracing.kinds import KINDS
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, view_trace
from views import attention_maps
from views.text.catalogue import Message, say


def labelled_kinds(model: OpenedModel) -> dict[str, attention_maps.Kind]:
    """The model's kinds of attention by name, in its order."""
    return {kind.name: any_model_kind(kind.name) for kind in model.kinds}


def any_model_kind(kind: str) -> attention_maps.Kind:
    """A kind with words that fit any model."""
    return (
        attention_maps.VISION
        if kind == attention_maps.VISION.name
        else _with_side_labels(attention_maps.KINDS[kind], attention_maps.ANY_TOKENS)
    )


def axes(trace: HubTrace, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the queries and of the keys of a kind; of two texts each token with the text that it belongs to."""
    if trace.grid is not None:
        return (_position_labels(trace),) * 2
    return tuple(_token_labels(getattr(trace, side)) for side in _sides(kind, trace))


def _token_labels(tokens: Tokens) -> tuple[str, ...]:
    if not any(tokens.segments):
        return tokens.labels
    return tuple(f"{label} ({'AB'[part]})" for label, part in zip(tokens.labels, tokens.segments, strict=True))


def view_opened(
    model: OpenedModel, trace: HubTrace, kind: attention_maps.Kind, given: Mapping[str, object]
) -> ViewedAttention:
    """One kind of attention of a trace.

    Args:
        given: what a person needs to compute it again: the input, by the names of what a file says of it.
    """
    key = ("opened", model.name, *map(str, given.values()), kind.name, trace.kept)
    source = {"opened": model.pinned, **given}
    viewed = view_trace(trace, kind, key, model.weights_sha256, source, _recipe_lines(model, kind, given))
    names = axes(trace, kind.name)
    return replace(
        viewed,
        queries=names[0],
        keys=names[1],
        tokens=names,
        first_layer=trace.records[kind.name].layers[0],
        page="models",
        grid=trace.grid,
        special=_special_labels(trace),
    )


def _special_labels(trace: HubTrace) -> frozenset[str]:
    """Names of the tokens that the tokenizer adds."""
    read = [tokens for tokens in (trace.source, trace.target) if tokens is not None]
    marked = (zip(_token_labels(tokens), tokens.special, strict=True) for tokens in read)
    return frozenset(label for tokens in marked for label, special in tokens if special) or frozenset(
        {attention_maps.CLS}
    )


def available_views(trace: HubTrace) -> tuple[str, ...]:
    """Parts of the viewer that can show a trace."""
    scored = all(record.scores is not None for record in trace.records.values())
    return ("maps", "lines", "one-weight") if scored else ("maps", "lines")


def _position_labels(trace: HubTrace) -> tuple[str, ...]:
    """Names of a picture's positions: CLS, registers, patches."""
    registers = (say("models.register", "register {number}", number=number) for number in range(1, trace.leading))
    return (*(attention_maps.CLS, *registers)[: trace.leading], *attention_maps.patch_names(trace.grid))


def group_words(kind: attention_maps.Kind, trace: HubTrace) -> WordGrouping:
    """The whole words of a trace's tokens."""
    sides = _sides(kind.name, trace)
    words = (getattr(trace, side).whole_words() for side in sides)
    recipe = (
        "",
        "from model.text.words import by_words",
        "",
        f"words = trace.{sides[0]}.whole_words(), trace.{sides[1]}.whole_words()",
        "attention = by_words(attention, *words).astype('float32')",
    )
    return WordGrouping(_with_side_labels(attention_maps.KINDS[kind.name], attention_maps.ANY_WORDS), *words, recipe)


def _sides(kind: str, trace: HubTrace) -> list[str]:
    """Whose tokens queries and keys are: "source" or "target"; a decoder alone reads the source."""
    read = KINDS[kind]
    return [side if trace.target is not None else "source" for side in (read.queries, read.keys)]


def _with_side_labels(kind: attention_maps.Kind, sides: tuple[Message, Message]) -> attention_maps.Kind:
    return replace(kind, queries=sides[0], keys=sides[1])


def _recipe_lines(model: OpenedModel, kind: attention_maps.Kind, given: Mapping[str, object]) -> tuple[str, ...]:
    """Lines of Python that compute the same in a notebook."""
    if "sentence" not in given:
        traced = ("from PIL import Image", "", "trace = opened.trace(Image.open('the picture'))")
    else:
        options = "".join(f", {name}={given[name]!r}" for name in ("second", "target") if given.get(name))
        traced = (f"trace = opened.trace({ascii(given['sentence'])}{options})",)
    return (
        "from model import open_model",
        "",
        f"opened = open_model({model.pinned!r}, dtype={model.precision!r})  # the folder's path, or the id",
        f"assert opened.weights_sha256 == {model.weights_sha256!r}",
        *traced,
        f"attention = trace.attention({kind.name!r})  # (layer, head, query, key)",
    )
