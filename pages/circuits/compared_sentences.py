"""Two sentences that are compared: the controls that choose them, and what is asked about their translations."""

from dataclasses import dataclass

import streamlit as st

from model import DecodingOptions
from model.causal.activation_patching import Direction
from model.causal.patched_translation import PatchedTranslation
from model.causal.path_edges import CutRun
from model.causal.sentence_pairs import MetricName, SentencePair, pair_sentences
from model.decoding.doubt import Doubt
from model.decoding.tapped_decoding import GeneratedTokens
from pages.shared.causes.saved_result import ResultSource
from pages.shared.causes.text_pairs import choose_alignment, choose_direction, other_sentence, quoted, render_aligned
from pages.shared.doubt import doubt_of_generated, doubt_of_steps
from pages.shared.page_header import Request, is_usable, sentence_box
from pages.shared.texts import block, caption
from views.controls import widgets
from views.export import causal_recipes
from views.map_labels import row_name
from views.text import literal
from views.text.catalogue import Message, Untranslated, say

METRICS: dict[MetricName, Message] = {
    "difference": Message("circuits.metric.difference", "Difference of two logits"),
    "probability": Message("circuits.metric.probability", "Probability"),
    "loss": Message("circuits.metric.loss", "Loss of the translation"),
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two sentences, and what is measured."""

    texts: tuple[str, str]  # the sentences as typed
    pair: SentencePair
    alignment: str  # name of the alignment
    place: int  # of the target in the translation of A, from 0
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

    def source(self, request: Request) -> ResultSource:
        """The sentences for files, and lines of Python that prepare them again."""
        model = request.service.model
        facts = {"sentence": self.texts[0], "other": self.texts[1], "word": self.place + 1, "metric": self.metric}
        recipe = causal_recipes.of_sentences(self.texts, self.place, self.metric, model.loaded_by, model.weights_sha256)
        return ResultSource("circuits", model.weights_sha256, facts, recipe)

    @property
    def measured(self) -> str:
        """What is measured, in words, as Markdown."""
        target = self.pair.targets[self.place]
        values = {"token": quoted(target.label), "other": quoted(target.other_label or "")}
        if self.metric == "difference":
            return block("circuits", "measured-difference", **values)
        return block("circuits", f"measured-{self.metric}", **values)


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


def choose_target(pair: SentencePair) -> int:
    """Render the choice of a word of A's translation; by default the first that changes."""
    options = {}
    for target in pair.targets:
        named = row_name(target.label, (target.other_label or "") if target.changes else "")
        label = f"{target.place + 1} {literal.isolated(literal.token(named))}"
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
    tokens, alignment = (pair.clean_tokens, pair.corrupt_tokens), "position"
    if by_position:
        render_aligned(tokens, pair.alignments[alignment], "en")
    else:
        alignment = choose_alignment(tokens, pair.alignments, pair.best_alignment, "en")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = choose_target(pair)
        metrics = {
            name: label for name, label in METRICS.items() if name != "difference" or pair.targets[place].changes
        }
        help = " ".join(block("circuits", "metric-help").split())
        metric = widgets.pick(say("circuits.metric", "Measured"), metrics, "metric", help=help, varies=True)
        direction: Direction = "noising"
        if not by_position:
            direction = choose_direction()
    if not any(target.changes for target in pair.targets):
        st.info(block("circuits", "same-translation"))
    elif not pair.targets[place].changes:
        caption("circuits", "same-word", token=quoted(pair.targets[place].label))
    return Comparison(texts, pair, alignment, place, metric, direction)
