"""What causes an answer of an opened model that reads text: lens, logit attribution, patching with a second text."""

from collections.abc import Mapping

import streamlit as st

from model import HubTrace
from model.causal.causal_error import CausalError
from model.hub.opened_model import OpenedModel
from pages.models.attention_labels import labelled_kinds
from pages.models.compared_texts import UsedPicture, choose_second_picture
from pages.models.text_noise import render_noise
from pages.models.text_patching import render_patching
from pages.models.text_paths import render_paths
from pages.shared.causes.lens_tables import LensLabels, render_lens
from pages.shared.causes.logit_bars import choose_view, render_logit_parts
from pages.shared.causes.precision import runs_in_half
from pages.shared.causes.text_pairs import quoted
from pages.shared.fragments import fragment
from pages.shared.service import Service
from pages.shared.texts import block, folded_how_to_read
from pages.vision.causes import METHODS
from views import map_labels
from views.controls import sentence_input, widgets
from views.text import literal
from views.text.catalogue import Message, Untranslated, say, say_error

PAGE = "models_causes"
RIVALS = 5  # tokens or classes whose logit can be subtracted
TITLES = {
    "complete": (Message("circuits.lens.after", "read so far"), Message("circuits.lens.next", "next token")),
    "translate": (Message("circuits.lens.after", "read so far"), Message("circuits.lens.next", "next token")),
    "fill": (Message("column.token", "token"), Message("models.causes.asked", "asked for")),
}


@fragment
def render(
    service: Service[OpenedModel],
    trace: HubTrace,
    text: str,
    options: Mapping[str, str],
    key: tuple,
    picture: UsedPicture | None = None,
) -> None:
    """Render the section; a method that this model does not support is refused in one sentence.

    Args:
        text, options: the input and keyword arguments of the trace.
        key: identifies the trace.
        picture: of the text; then the service's model is `OpenedModel.with_picture`.
    """
    method = widgets.pick(say("vision.causes.method", "Method"), METHODS, "cause", hidden=True)
    try:
        if picture is not None and method in ("patching", "paths"):
            service, picture = choose_second_picture(service, picture)
        if method == "patching":
            render_patching(service, text, options, picture)
        elif method == "paths":
            render_paths(service, text, options, picture)
        elif method == "noise":
            render_noise(service, trace, text, options, key, picture)
        elif method == "lens":
            render_layers(service, trace, key)
        else:
            render_parts(service, trace, key)
    except CausalError as error:
        st.info(literal.markdown(say_error(error)))
    folded_how_to_read(block(PAGE, method), block(PAGE, "proof"))


def read_following(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> tuple[tuple[int, ...], list[str]]:
    """The token or class that is asked for at each position, and the labels of the positions."""

    def read(model: OpenedModel) -> tuple[tuple[int, ...], list[str]]:
        own = model.read_trace(trace)
        return own.next_ids, list(own.labels[model.resumable.output_stack])

    return service.analysis(("causal input", *key), read)


def render_layers(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> None:
    """Render what the model would answer after each layer."""
    following, read = read_following(service, trace, key)
    lens = service.analysis_in_steps(("opened lens", *key), lambda model: model.logit_lens_in_steps(trace))
    names = service.model.answer_names
    if trace.classes is not None:
        labels = LensLabels(read, None, names)
    else:
        titles = TITLES[service.model.task]
        labels = LensLabels(read, names(following), names, (titles[0](), titles[1]()))
    render_lens(lens, labels, runs_in_half(service))


def render_parts(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> None:
    """Render the logit of a token or class, or its difference to another, as a sum."""
    following, _ = read_following(service, trace, key)
    names = service.model.answer_names
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        place = 0
        if trace.classes is None:
            label, tokens = say("circuits.lens.position", "Next token"), map_labels.token_options(names(following))
            if service.model.task == "fill":
                label = say("circuits.lens.token", "Token")
            last = str(len(tokens))
            place = int(widgets.select(label, tokens, "position", last, width=220)) - 1
        logits = trace.logits.reshape(-1) if trace.classes is not None else trace.logits[place]
        index = int(logits.argmax()) if trace.classes is not None else following[place]
        best = [int(each) for each in logits.argsort()[::-1][: RIVALS + 1] if each != index][:RIVALS]
        rivals: dict[str, str | Untranslated] = {"none": say("circuits.minus.nothing", "Nothing")}
        for each, name in zip(best, names(best), strict=True):
            rivals[str(each)] = Untranslated(literal.visible(literal.token(name)))
        chosen = widgets.select(say("circuits.minus", "Minus the logit of"), rivals, "minus", width=200)
        view = choose_view()
    other = None if chosen == "none" else int(chosen)
    attribution = service.analysis(
        ("opened logit", *key, place, other), lambda model: model.logit_attribution(trace, index, other, place)
    )
    measured = block("circuits", "logit-of", token=quoted(names([index])[0]))
    if other is not None:
        pair = {"token": quoted(names([index])[0]), "other": quoted(names([other])[0])}
        measured = block("circuits", "measured-difference", **pair)
    kinds = sentence_input.kind_names(labelled_kinds(trace))
    render_logit_parts(attribution, kinds, view, measured, opened=True)
