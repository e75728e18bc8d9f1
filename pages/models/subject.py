"""What the attention viewer shows of an opened model: kinds with words that fit any model, tokens or whole words."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from model import HubTrace
from model.hub.opened import OpenedModel
from model.hub.tokens import Tokens
from model.text.words import Word
from pages.shared.attention_viewer.subject import InWords, Subject, of_trace
from views import maps
from views.text.catalogue import Message, say

_TOKENS = Message("kind.any.query", "query token"), Message("kind.any.key", "key token")
_WORDS = Message("kind.any.query.word", "query word"), Message("kind.any.key.word", "key word")


def kinds(model: OpenedModel) -> dict[str, maps.Kind]:
    """The model's kinds of attention by name, in its order."""
    return {
        kind.name: maps.VISION if kind.name == maps.VISION.name else _with(maps.KINDS[kind.name], _TOKENS)
        for kind in model.kinds
    }


def of(model: OpenedModel, trace: HubTrace, kind: maps.Kind, given: Mapping[str, object]) -> Subject:
    """One kind of attention of a trace.

    Args:
        given: what a person needs to compute it again: the input, by the names of what a file says of it.
    """
    names = _positions(trace) if trace.grid else ()
    key = ("opened", model.name, *map(str, given.values()), kind.name)
    source = {"opened": model.name, **given}
    subject = of_trace(trace, kind, key, model.weights_sha256, source, _recipe(model, kind, given), names)
    if subject.attention.dtype == np.float32:
        return subject
    return replace(subject, attention=subject.attention.astype(np.float32))


def parts(trace: HubTrace) -> tuple[str, ...]:
    """Parts of the viewer that can show a trace."""
    return "maps", "lines"


def _positions(trace: HubTrace) -> tuple[str, ...]:
    """Names of a picture's positions: CLS, registers, patches."""
    registers = (say("models.register", "register {number}", number=number) for number in range(1, trace.leading))
    return (*(maps.CLS, *registers)[: trace.leading], *maps.patch_names(trace.grid))


def in_words(kind: maps.Kind, trace: HubTrace) -> InWords:
    """The whole words of a trace's tokens; no line of Python joins them."""
    sides = {"encoder": ("source", "source"), "decoder": ("target", "target"), "cross": ("target", "source")}
    read = {"source": trace.source, "target": trace.target or trace.source}
    return InWords(_with(maps.KINDS[kind.name], _WORDS), *(words(read[side]) for side in sides[kind.name]))


def words(tokens: Tokens) -> tuple[Word, ...]:
    """Runs of tokens that make up words; a special token stands alone."""
    first = {word[0]: word for word in tokens.words}
    inside = {place for word in tokens.words for place in word}
    found = []
    for place, label in enumerate(tokens.labels):
        if place in first:
            word = first[place]
            found.append(Word("".join(tokens.labels[each] for each in word), place, word[-1] + 1))
        elif place not in inside:
            found.append(Word(label, place, place + 1, tokens.special[place]))
    return tuple(found)


def _with(kind: maps.Kind, sides: tuple[Message, Message]) -> maps.Kind:
    return replace(kind, queries=sides[0], keys=sides[1])


def _recipe(model: OpenedModel, kind: maps.Kind, given: Mapping[str, object]) -> tuple[str, ...]:
    """Lines of Python that compute the same in a notebook; none for a picture, which no line can hold."""
    if "sentence" not in given:
        return ()
    options = "".join(f", {name}={given[name]!r}" for name in ("second", "target") if given.get(name))
    return (
        "from model import open_model",
        "",
        f"opened = open_model({model.name!r})",
        f"assert opened.weights_sha256 == {model.weights_sha256!r}",
        f"trace = opened.trace({ascii(given['sentence'])}{options})",
        f"attention = trace.attention({kind.name!r})  # (layer, head, query, key)",
    )
