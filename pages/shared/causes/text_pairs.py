"""Two texts that are compared by patching: a proposal for the second, their alignment, and the direction."""

import re
from collections.abc import Mapping, Sequence
from typing import get_args

import streamlit as st

from model.attribution.trace_comparison import SharedPlaces, merge_sequences
from model.causal.activation_patching import Direction
from model.causal.sentence_pairs import Places
from pages.shared.texts import block, caption
from views.controls import widgets
from views.html import aligned_tokens
from views.text import literal
from views.text.catalogue import Message, say

# Words that may be replaced in the second sentence, the best first: its default, until the user types another.
SWAPS = {
    "cat": "dog",
    "car": "house",
    "tired": "wide",
    "wide": "tired",
    "cook": "swim",
    "book": "letter",
    "tonight": "tomorrow",
    "dog": "cat",
    "he": "she",
    "she": "he",
    "man": "woman",
    "woman": "man",
    "black": "white",
    "white": "black",
    "big": "small",
    "old": "young",
    "student": "teacher",
    "my": "your",
    "We": "They",
    "I": "You",
    "is": "was",
    "are": "were",
    "The": "This",
    "the": "this",
    "a": "this",
}
ALIGNMENTS = {
    "position": Message("circuits.align.position", "Position by position"),
    "start": Message("circuits.align.start", "Equal words, the rest from the left"),
    "end": Message("circuits.align.end", "Equal words, the rest from the right"),
}
DIRECTIONS: dict[Direction, Message] = {
    "denoising": Message("circuits.direction.denoising", "A into B (denoising)"),
    "noising": Message("circuits.direction.noising", "B into A (noising)"),
}
assert set(DIRECTIONS) == set(get_args(Direction))


def quoted(label: str) -> str:
    """A token within a sentence, as Markdown."""
    return literal.markdown(literal.token(label))


def other_sentence(text: str) -> str:
    """The sentence with the first of `SWAPS` that it has replaced; the sentence itself if it has none."""
    for word, replacement in SWAPS.items():
        changed = re.sub(rf"\b{word}\b", replacement, text, count=1)
        if changed != text:
            return changed
    return text


def choose_alignment(
    tokens: tuple[Sequence[str], Sequence[str]], alignments: Mapping[str, Places], best: str, language: str = ""
) -> str:
    """Render the choice of an alignment where there is more than one, and both texts as it aligns them.

    Args:
        tokens: of both texts.
        best: the default.
        language: of the tokens; empty where unknown.
    """
    names = {name: ALIGNMENTS[name]() for name in alignments}
    chosen = best
    if len(names) > 1:
        help = " ".join(block("circuits", "align-help").split())
        chosen = widgets.pick(say("circuits.align", "Aligned tokens"), names, "align", chosen, help=help, varies=True)
    render_aligned(tokens, alignments[chosen], language)
    sizes = len(tokens[0]), len(tokens[1])
    if sizes[0] != sizes[1]:
        caption("circuits", "lengths", first=sizes[0], second=sizes[1], pairs=len(alignments[chosen]))
    return chosen


def render_aligned(tokens: tuple[Sequence[str], Sequence[str]], pairs: Places, language: str = "") -> None:
    """Render the tokens of both texts, one above the other, as an alignment pairs them."""
    first, second = zip(*pairs, strict=True)
    columns = merge_sequences(SharedPlaces(first, second), len(tokens[0]), len(tokens[1]))
    nothing = say("circuits.unaligned", "no token")
    st.html(aligned_tokens.aligned_tokens(*tokens, columns, ("A", "B"), nothing, language))


def choose_direction() -> Direction:
    """Render the choice of the run that gives."""
    help = " ".join(block("circuits", "direction-help").split())
    return widgets.pick(say("circuits.direction", "Direction"), DIRECTIONS, "direction", help=help)
