"""A second picture that is compared with the user's: its choice, what is measured, and the answer of a changed run."""

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from model.causal.metrics import Metric
from pages.shared.causes.precision import runs_in_half
from pages.shared.causes.saved_result import ResultSource
from pages.shared.service import Service
from pages.shared.texts import block
from views.controls import samples, widgets
from views.controls.picture_input import chosen_sample
from views.export import causal_recipes
from views.html import class_bars
from views.text import literal
from views.text.catalogue import say
from views.text.class_names import class_name
from views.text.numbers import percent, three_digits

LISTED = 10  # most probable classes, where there are more


def choose_other_picture(service: Service) -> tuple[str, Any]:
    """Render the choice of a sample; return its id and the picture as the network receives it."""
    own = chosen_sample()
    names = {sample.id: sample for sample in samples.SAMPLES if sample.id != own}
    other = widgets.select(say("vision.causes.other", "Picture B"), names, "otherpicture", width=220)
    second = samples.picture(other)
    return other, service.network_result(("received", second.sha256), lambda model: model.receive(second.image))


def describe_source(service: Service, other: str | None = None) -> ResultSource:
    """The open picture and a sample, if there is one, for files, and lines of Python that prepare them again."""
    model, own = service.model, chosen_sample()
    opened, page = None, "vision"
    if runs_in_half(service) is not None:  # an opened model
        opened, page = (model.pinned, model.precision), "models"
    facts = {"sample": own or "own"} | ({"opened": opened[0]} if opened else {})
    if other is None:
        recipe = causal_recipes.of_picture(own, model.weights_sha256, opened)
    else:
        facts["other"] = other
        recipe = causal_recipes.of_pictures((own, other), model.weights_sha256, opened)
    return ResultSource(page, model.weights_sha256, facts, recipe, own_picture=not own)


def describe_metric(metric: Metric, classes: tuple[str, ...]) -> str:
    """What is measured, in words, as Markdown."""
    names = [literal.markdown(class_name(classes[index])) for index in metric.indices]
    if len(names) == 2:
        return block("circuits", "measured-difference", token=names[0], other=names[1])
    return block("circuits", "measured-probability", token=names[0])


def choose_writer(metric: Metric) -> Callable[[float], str]:
    """Return what formats a metric: probabilities of classes are in per cent."""
    return percent if metric.unit == "probability" else three_digits


def render_classes(classes: tuple[str, ...], probabilities: np.ndarray) -> None:
    """Render the probabilities of the classes; of many, the most probable ones, `probabilities` is `(class,)`."""
    listed = np.argsort(-probabilities, kind="stable")[:LISTED] if len(classes) > LISTED else np.arange(len(classes))
    st.html(class_bars.bars([class_name(classes[index]) for index in listed], probabilities[listed]))
