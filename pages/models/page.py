"""Any Hugging Face checkpoint behind the same views, with the proof that its maps are its own."""

import hashlib

import streamlit as st

from model import HubTrace, OpenError
from model.hub.opened import OpenedModel
from pages.models import answers, heads, subject
from pages.models.choice import chosen_model
from pages.shared import files
from pages.shared.attention_viewer.explore import explore_picture, explore_tokens
from pages.shared.models import reading
from pages.shared.parts import pick
from pages.shared.service import Service
from pages.shared.texts import how_to_read
from views import patches
from views.controls import inputs, widgets
from views.controls.picture_input import picture_input
from views.html import tokens
from views.text import literal, prose
from views.text.catalogue import say, say_error
from views.text.numbers import grouped, three_digits

PARTS = ("maps", "lines")


def main() -> None:
    """Choose and open a model, read the input, trace, show."""
    st.html(tokens.STYLE)
    st.title(prose.title("models"), anchor=False)
    st.markdown(prose.lead("models"))
    service = chosen_model()
    if service is None:
        return
    _describe(service.model)
    try:
        if service.model.vision:
            _picture(service)
        else:
            _text(service)
    except OpenError as error:
        st.warning(literal.markdown(say_error(error)))
        return
    how_to_read(prose.block("models", "what-is-shown"), prose.block("models", "what-opening-proves"))


def _describe(model: OpenedModel) -> None:
    """Type, sizes and what opening it has shown."""
    layers = " + ".join(f"{layers} \u00d7 {heads}" for layers, heads, _ in model.proof.sizes.values())
    st.caption(
        prose.block(
            "models",
            "opened",
            name=literal.markdown(model.name),
            type=literal.markdown(str(model.card["type"])),
            layers=layers,
            parameters=grouped(model.parameters),
            device=literal.markdown(model.device_name),
            outputs=three_digits(model.proof.outputs),
            maps=three_digits(model.proof.maps),
        )
    )


def _text(service: Service) -> None:
    model: OpenedModel = service.model
    pair, translates = model.takes_two_texts, model.task == "translate"
    columns = st.columns(2 if pair or translates else 1, gap="medium")
    with columns[0]:
        text = widgets.text(say("models.text", "Text"), "text", inputs.DEFAULT, varies=True)
    given = {"sentence": text}
    if pair:
        with columns[1]:
            given["second"] = widgets.text(say("models.second", "Second text, if there is one"), "second", "")
    elif translates:
        with columns[1]:
            label = say("models.target", "What the decoder is fed; empty for its own")
            given["target"] = widgets.text(label, "target", "")
    options = {name: value for name, value in given.items() if name != "sentence" and value}
    key = ("traced", *given.values())
    trace = service.traces.get_or_compute(key, lambda: model.trace(text, **options), service.computing)
    answers.show(service, text, trace)
    if _part(model) == "heads":
        heads.show(service, trace, text, options, key)
        return
    words = (lambda kind: subject.in_words(kind, trace)) if trace.source.words else None
    explore_tokens(
        subject.kinds(model), lambda kind: subject.of(model, trace, kind, given), PARTS, None if trace.target else words
    )
    _kept(trace)


def _picture(service: Service) -> None:
    model: OpenedModel = service.model
    picture = picture_input(reading()).image
    key = hashlib.sha256(picture.convert("RGB").tobytes()).hexdigest()
    trace = service.traces.get_or_compute(("traced", key), lambda: model.trace(picture), service.computing)
    received, said = st.columns([2, 3], gap="large")
    with received:
        height, width = trace.pixels.shape[:2]
        caption = say(
            "vision.received", "What the model receives: {width} \u00d7 {height} pixels", width=width, height=height
        )
        alt = say("models.picture.scaled", "the picture, scaled")
        st.image(patches.as_bytes(trace.pixels), caption, width=260, output_format="PNG", alt=alt)
    with said:
        if trace.classes is not None:
            answers.classes(trace)
    if _part(model) == "heads":
        heads.show(service, trace, picture, {}, (key,))
        return
    (kind,) = subject.kinds(model).values()
    explore_picture(subject.of(model, trace, kind, {"pixels_sha256": key}), PARTS)
    _kept(trace)


def _part(model: OpenedModel) -> str:
    """Maps and lines, or the ranked heads of a model that can be scored."""
    offered = {"attention": say("models.part.attention", "Attention")}
    if "ablate" in model.capabilities:
        offered["heads"] = say("models.part.heads", "Heads")
    return pick(offered, "part", varies=True)


def _kept(trace: HubTrace) -> None:
    """Where not everything was kept, or not in full precision, the page says so."""
    record = next(iter(trace.records.values()))
    if record.weights.dtype.itemsize == 2:
        st.caption(prose.block("models", "half-precision"))
    checked = trace.records.items()
    rows = [(name, found.by, three_digits(found.verification.max_difference)) for name, found in checked]
    header = [
        say("models.column.kind", "attention"),
        say("models.column.by", "checked by"),
        say("models.column.difference", "largest difference"),
    ]
    files.numbers(lambda: files.table(rows, header), "models_checks", hide_index=True)


main()
