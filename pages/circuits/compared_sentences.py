"""Two sentences that are compared: the controls that choose them, and what is asked about their translations."""

import re
from dataclasses import dataclass
from typing import get_args

import streamlit as st

from model import DecodingOptions
from model.attribution.trace_comparison import SharedPlaces, merge_sequences
from model.causal.activation_patching import Direction
from model.causal.patched_translation import PatchedTranslation
from model.causal.path_edges import CutRun
from model.causal.sentence_pairs import MetricName, SentencePair, pair_sentences
from model.decoding.doubt import Doubt
from model.decoding.tapped_decoding import GeneratedTokens
from pages.shared.doubt import doubt_of_generated, doubt_of_steps
from pages.shared.page_header import Request, is_usable, sentence_box
from pages.shared.texts import block, caption
from views.controls import widgets
from views.html import aligned_tokens
from views.text import literal
from views.text.catalogue import Message, Untranslated, say

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
METRICS: dict[MetricName, Message] = {
    "difference": Message("circuits.metric.difference", "Difference of two logits"),
    "probability": Message("circuits.metric.probability", "Probability"),
    "loss": Message("circuits.metric.loss", "Loss of the translation"),
}
DIRECTIONS: dict[Direction, Message] = {
    "denoising": Message("circuits.direction.denoising", "A into B (denoising)"),
    "noising": Message("circuits.direction.noising", "B into A (noising)"),
}
assert set(DIRECTIONS) == set(get_args(Direction))


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two sentences, and what is measured.

    Attributes:
        texts: the sentences as typed.
        alignment: name of the alignment.
        place: of the target in the translation of A, from 0.
    """

    texts: tuple[str, str]
    pair: SentencePair
    alignment: str
    place: int
    metric: MetricName
    direction: Direction

    @property
    def key(self) -> tuple:
        """Identifies what is computed."""
        ways = self.alignment, self.place, self.metric, self.direction
        return self.pair.clean_ids, self.pair.corrupt_ids, *ways

    @property
    def is_proposed(self) -> bool:
        """Whether what is measured is what the model's own methods propose, as the programs do."""
        return self.metric == "difference" and self.place == self.pair.proposed

    @property
    def positions(self) -> dict[str, list[tuple[int, int]]] | None:
        """Stack -> pairs of positions (receives, gives), for the model's own methods; None for each to itself."""
        own = self.pair.alignment(self.alignment, self.direction)
        fed = [(place, place) for place in range(self.place + 1)]
        return None if own is None else {**{stack: list(pairs) for stack, pairs in own.items()}, "decoder": fed}

    @property
    def measured(self) -> str:
        """What is measured, in words, as Markdown."""
        target = self.pair.targets[self.place]
        values = {"token": quoted(target.label), "other": quoted(target.other_label or "")}
        if self.metric == "difference":
            return block("circuits", "measured-difference", **values)
        return block("circuits", f"measured-{self.metric}", **values)


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


def choose_pair(request: Request) -> tuple[tuple[str, str], SentencePair] | None:
    """Render the box for the second sentence; None, after rendering the reason, if it cannot be compared."""
    name = say("compare.other", "Sentence B")
    text = sentence_box(name, "other", other_sentence(request.text))
    if not is_usable(request, text, name, english=text != request.text):
        return None
    pair = read_pair(request, text)
    if pair.are_equal:
        st.info(block("circuits", "equal"))
        return None
    return (request.text, text), pair


def read_pair(request: Request, text: str) -> SentencePair:
    """Translate and align the sentence and `text`; cached."""

    def compute(model) -> SentencePair:
        return pair_sentences(model.resumable, model.tokenizer, model.read_ids(request.text), model.read_ids(text))

    return request.service.analysis(("sentence pair", request.text, text), compute)


def doubts_of(request: Request, comparison: Comparison, changed: PatchedTranslation | CutRun) -> list[Doubt]:
    """Find the doubtful tokens of the translations of A, of B, and of a changed run."""
    doubts = []
    for text, ids in zip(comparison.texts, comparison.pair.translations, strict=True):
        steps = request.service.steps(text, DecodingOptions())[: len(ids)]
        doubts.append(doubt_of_steps(request.service, text, steps))
    return [*doubts, doubt_of_generated(request.service, GeneratedTokens(changed.ids, changed.probabilities))]


def choose_alignment(pair: SentencePair) -> str:
    """Render the choice of an alignment where there is more than one, and both sentences as it aligns them."""
    names = {name: ALIGNMENTS[name]() for name in pair.alignments}
    chosen = pair.best_alignment
    if len(names) > 1:
        help = " ".join(block("circuits", "align-help").split())
        chosen = widgets.pick(say("circuits.align", "Aligned tokens"), names, "align", chosen, help=help, varies=True)
    render_aligned(pair, chosen)
    sizes = len(pair.clean_ids), len(pair.corrupt_ids)
    if sizes[0] != sizes[1]:
        caption("circuits", "lengths", first=sizes[0], second=sizes[1], pairs=len(pair.alignments[chosen]))
    return chosen


def render_aligned(pair: SentencePair, alignment: str) -> None:
    """Render the tokens of both sentences, one above the other, as an alignment pairs them."""
    first, second = zip(*pair.alignments[alignment], strict=True)
    columns = merge_sequences(SharedPlaces(first, second), len(pair.clean_ids), len(pair.corrupt_ids))
    nothing = say("circuits.unaligned", "no token")
    tokens = pair.clean_tokens, pair.corrupt_tokens
    st.html(aligned_tokens.aligned_tokens(*tokens, columns, ("A", "B"), nothing))


def choose_target(pair: SentencePair) -> int:
    """Render the choice of a word of A's translation; by default the first that changes."""
    options = {}
    for target in pair.targets:
        label = f"{target.place + 1} {literal.visible(literal.token(target.label))}"
        if target.changes:
            label += f" \u2192 {literal.visible(literal.token(target.other_label or ''))}"
        options[str(target.place + 1)] = Untranslated(label)
    help = " ".join(block("circuits", "target-help").split())
    chosen = widgets.select(
        say("circuits.target", "Word of the translation of A"),
        options,
        "word",
        str(pair.proposed + 1),
        help=help,
        width=250,
    )
    return int(chosen) - 1


def choose_comparison(request: Request, by_position: bool = False) -> Comparison | None:
    """Render all controls of two sentences; None, after rendering the reason, if they cannot be compared.

    Args:
        by_position: the method needs sentences of equal length, position by position, and has one direction, noising.
    """
    chosen = choose_pair(request)
    if chosen is None:
        return None
    texts, pair = chosen
    if by_position and len(pair.clean_ids) != len(pair.corrupt_ids):
        st.info(block("circuits", "paths-lengths", first=len(pair.clean_ids), second=len(pair.corrupt_ids)))
        return None
    alignment = "position" if by_position else choose_alignment(pair)
    if by_position:
        render_aligned(pair, alignment)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = choose_target(pair)
        metrics = {
            name: label for name, label in METRICS.items() if name != "difference" or pair.targets[place].changes
        }
        help = " ".join(block("circuits", "metric-help").split())
        metric = widgets.pick(say("circuits.metric", "Measured"), metrics, "metric", help=help, varies=True)
        direction: Direction = "noising"
        if not by_position:
            help = " ".join(block("circuits", "direction-help").split())
            direction = widgets.pick(say("circuits.direction", "Direction"), DIRECTIONS, "direction", help=help)
    if not any(target.changes for target in pair.targets):
        st.info(block("circuits", "same-translation"))
    elif not pair.targets[place].changes:
        caption("circuits", "same-word", token=quoted(pair.targets[place].label))
    return Comparison(texts, pair, alignment, place, metric, direction)
