"""Two texts of an opened model that are compared: the controls that choose them, and their answers as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from model.causal.activation_patching import Direction
from model.causal.causal_error import CausalError
from model.causal.experiments import Experiment
from model.hub.causal.opened_pair import ComparedAnswer, OpenedPair, PairMetric, pair_texts
from model.hub.opened_model import OpenedModel
from pages.shared import tables
from pages.shared.causes.saved_result import ResultSource
from pages.shared.causes.text_pairs import choose_alignment, choose_direction, other_sentence, quoted, render_aligned
from pages.shared.service import Service
from pages.shared.texts import block
from views.controls import samples, widgets
from views.export import causal_recipes
from views.text import literal
from views.text.catalogue import Message, say

METRICS: dict[PairMetric, Message] = {
    "difference": Message("circuits.metric.difference", "Difference of two logits"),
    "answer": Message("models.metric.answer", "Answer of A"),
}


@dataclass(frozen=True)
class UsedPicture:
    """The picture that texts have."""

    pixels_sha256: str  # of its pixels
    sample: str  # its name; empty for a user's own
    count: int = 1  # how many pictures of the user's own there are
    other: str = ""  # the sample that the second of two texts has; empty for the same picture


@dataclass(frozen=True, eq=False)
class OpenedComparison:
    """Two texts, and how they are compared."""

    texts: tuple[str, str]  # as typed
    picture: UsedPicture | None  # that both have, if any
    pair: OpenedPair
    alignment: str
    metric: PairMetric
    direction: Direction

    @property
    def experiment(self) -> Experiment:
        """The two inputs with what is measured."""
        return self.pair.experiments[self.metric]

    @property
    def key(self) -> tuple:
        """Identifies what is computed."""
        ids = self.pair.clean_ids, self.pair.corrupt_ids
        return "opened patched", self.picture, *ids, self.alignment, self.metric, self.direction

    def source(self, model: OpenedModel) -> ResultSource:
        """The texts for files, and lines of Python that prepare them again."""
        facts = {"opened": model.pinned, "sentence": self.texts[0], "other": self.texts[1], "metric": self.metric}
        recipe = causal_recipes.of_texts(self.texts, self.metric, describe_opened(model, self.picture))
        return source_with_picture(model, facts, recipe, self.picture)

    @property
    def measured(self) -> str:
        """What is measured, in words, as Markdown."""
        names = list(map(quoted, self.pair.names))
        if self.metric == "difference":
            return block("circuits", "measured-difference", token=names[0], other=names[1])
        unit = self.experiment.measured(None).unit
        return block("circuits", "measured-probability" if unit == "probability" else "logit-of", token=names[0])


def describe_opened(model: OpenedModel, picture: UsedPicture | None) -> causal_recipes.OpenedName:
    """The model, with the picture of its texts, for a recipe."""
    sample = None if picture is None else picture.sample
    count, other = (1, "") if picture is None else (picture.count, picture.other)
    return causal_recipes.OpenedName(model.pinned, model.precision, model.weights_sha256, sample, count, other)


def source_with_picture(
    model: OpenedModel, facts: Mapping[str, object], recipe: causal_recipes.Lines, picture: UsedPicture | None
) -> ResultSource:
    """Texts for files, with the picture that they have."""
    if picture is not None:
        facts = {**facts, "pixels_sha256": picture.pixels_sha256}
        facts |= {"other_sample": picture.other} if picture.other else {}
    own = picture is not None and not picture.sample
    return ResultSource("models", model.weights_sha256, facts, recipe, own_picture=own)


def choose_second_picture(service: Service[Any], picture: UsedPicture) -> tuple[Service[Any], UsedPicture]:
    """Render the choice of text B's picture; the model then answers to the second of two texts with it.

    Args:
        service: its model is `OpenedModel.with_picture`.
    """
    same = Message("models.causes.same-picture", "The same as of A")
    offered = {sample.id: sample for sample in samples.SAMPLES if sample.id in samples.usable()[0]}
    label = say("models.causes.other-picture", "Picture of B")
    other = widgets.select(label, {"same": same, **offered}, "otherpicture", width=220)
    if other in ("same", picture.sample):
        return service, picture
    model: Any = service.model
    with_both = model.opened.with_picture(model.pictures, samples.picture(other).image)
    return replace(service, model=with_both), replace(picture, other=other)


def choose_comparison(
    service: Service[OpenedModel],
    text: str,
    options: Mapping[str, str],
    by_position: bool = False,
    picture: UsedPicture | None = None,
) -> OpenedComparison | None:
    """Render the controls of two texts; None, after rendering the reason, if they cannot be compared.

    Args:
        by_position: the method needs texts of equal length, position by position, and has one direction, noising.
        picture: that both texts have.

    Raises:
        OpenError: the second text cannot be used.
        CausalError: nothing can be measured.
    """
    if options:
        raise CausalError(
            "Patching compares the model's own answers to two texts; leave out its second text, and leave the "
            "decoder's input and the language at their defaults."
        )
    other = widgets.text(say("models.causes.other", "Text B"), "other", other_sentence(text), varies=True)
    pair = service.analysis(("opened pair", picture, text, other), lambda model: pair_texts(model, text, other))
    if pair.are_equal:
        st.info(block("models_causes", "equal"))
        return None
    sizes = len(pair.clean_ids), len(pair.corrupt_ids)
    if by_position and sizes[0] != sizes[1]:
        st.info(block("models_causes", "paths-lengths", first=sizes[0], second=sizes[1]))
        return None
    tokens, alignment = (pair.clean_tokens, pair.corrupt_tokens), "position"
    if by_position:
        render_aligned(tokens, pair.alignments[alignment])
    else:
        alignment = choose_alignment(tokens, pair.alignments, pair.best_alignment)
    direction: Direction = "noising"
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        metrics = {name: label for name, label in METRICS.items() if name in pair.experiments}
        metric = widgets.pick(say("circuits.metric", "Measured"), metrics, "metric", varies=True)
        if not by_position:
            direction = choose_direction()
    return OpenedComparison((text, other), picture, pair, alignment, metric, direction)


def render_answer_table(answers: Sequence[ComparedAnswer], changed: str, label: str) -> None:
    """Render the most probable answers of A, of B and of a changed run.

    Args:
        changed: title of the changed run's column.
        label: of the table, for screen readers.
    """
    columns = [
        tables.name_column(say("models.causes.answer", "answer"), [literal.token(each.name) for each in answers]),
        tables.bar_column("A", [each.clean for each in answers], 1.0),
        tables.bar_column("B", [each.corrupt for each in answers], 1.0),
        tables.bar_column(changed, [each.changed for each in answers], 1.0),
    ]
    tables.render_table(columns, label)
