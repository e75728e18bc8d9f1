"""Vision, below the answer: a sign for pictures unlike the training pictures."""

import streamlit as st

from model import VisionTrace
from pages.shared.service import Service
from pages.shared.texts import block
from views.text import literal
from views.text.catalogue import Message
from views.text.numbers import percent, three_digits

GROUPS = Message("vision.unlike.group", "{share} of {count} {name} ({low} to {high})")


def render_unlike_sign(service: Service, trace: VisionTrace) -> None:
    """Mark a picture that is unlike the training pictures, with what was measured."""
    distance, measured = trace.training_distance, service.model.training_distances
    if distance is None or measured is None or not distance.is_unlike:
        return
    figures = measured.figures
    validation = figures["validation"]
    groups = [
        GROUPS(
            share=percent(counts["found"] / counts["pictures"]),
            count=counts["pictures"],
            name=literal.markdown(name),
            low=percent(counts["low"]),
            high=percent(counts["high"]),
        )
        for name, counts in figures["reported"].items()
    ]
    id = "unlike" if groups else "unlike-alone"
    words = {
        "distance": three_digits(distance.distance),
        "threshold": three_digits(distance.threshold),
        "share": percent(validation["found"] / validation["pictures"]),
        "count": validation["pictures"],
        "groups": "; ".join(groups),
    }
    st.info(block("vision", id, **words))
