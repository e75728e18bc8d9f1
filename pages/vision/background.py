"""What the model answers where there is no object: pictures of one colour, such as a background has."""

import streamlit as st
from PIL import Image

from pages.shared.service import Service
from pages.shared.texts import block
from views.text.catalogue import Message, say
from views.text.numbers import percent

# As a sky and a lawn have it; red, green and blue.
PLAIN_COLOURS = {
    (110, 160, 220): Message("vision.plain.sky", "sky blue"),
    (60, 140, 50): Message("vision.plain.grass", "grass green"),
}


def render_plain_pictures(service: Service) -> None:
    """What each plain picture is to the model, with its probability."""
    found = service.analysis(("plain pictures",), plain_answers)
    said = [
        say(
            "vision.plain",
            "{colour}: {name}, {share}",
            colour=PLAIN_COLOURS[colour](),
            name=name,
            share=percent(probability),
        )
        for colour, (name, probability) in found.items()
    ]
    st.markdown(block("vision", "background", answers="; ".join(said)))


def plain_answers(model) -> dict[tuple[int, int, int], tuple[str, float]]:
    """The most probable class of each plain picture, and its probability."""
    found = {}
    for colour in PLAIN_COLOURS:
        trace = model.trace(Image.new("RGB", (96, 96), colour))
        best = int(trace.probabilities.argmax())
        found[colour] = trace.classes[best], float(trace.probabilities[best])
    return found
