"""The answers for pictures without an object: plain pictures in the colours of backgrounds."""

import streamlit as st
from PIL import Image

from pages.shared.service import Service
from pages.shared.texts import block
from views.text.catalogue import Message, say
from views.text.class_names import class_name
from views.text.numbers import percent

# red, green and blue, as of a sky and a lawn
PLAIN_COLOURS = {
    (110, 160, 220): Message("vision.plain.sky", "sky blue"),
    (60, 140, 50): Message("vision.plain.grass", "grass green"),
}


def render_plain_pictures(service: Service) -> None:
    """Show the answer for each plain picture, with its probability."""
    answers = service.network_result(("plain pictures",), plain_answers)
    lines = [
        say(
            "vision.plain",
            "{colour}: {name}, {share}",
            colour=PLAIN_COLOURS[colour](),
            name=class_name(name),
            share=percent(probability),
        )
        for colour, (name, probability) in answers.items()
    ]
    st.markdown(block("vision", "background", answers="; ".join(lines)))


def plain_answers(model) -> dict[tuple[int, int, int], tuple[str, float]]:
    """Return the most probable class of each plain picture, and its probability."""
    answers = {}
    for colour in PLAIN_COLOURS:
        trace = model.trace(Image.new("RGB", (96, 96), colour))
        best = int(trace.probabilities.argmax())
        answers[colour] = trace.classes[best], float(trace.probabilities[best])
    return answers
