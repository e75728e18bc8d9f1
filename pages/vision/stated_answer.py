"""Vision, the answer above every view: of the user's own picture it is the best of ten words that may all be wrong.

A network with ten classes answers with one of them whatever the picture shows. Of a sample of this project it is known
that one of the ten is right; of the user's picture only the user knows.
"""

import numpy as np
import streamlit as st

from model import VisionTrace
from model.tracing.picture_trace import PatchTrace
from pages.shared.service import Service
from pages.shared.texts import block
from views.controls.picture_input import shows_own_picture
from views.html import class_bars
from views.text import literal
from views.text.catalogue import Message, say
from views.text.class_names import class_name, class_names
from views.text.numbers import percent, three_digits
from views.url_state import bound_settings

TOLD = "vision_told"  # in the session: the picture's key, and which class the user says it is; None for no class
BEST = Message("vision.best-of-ten", "{name} (best of ten)")
SHARES = "decoding?part=linear-softmax"  # where it is shown why probabilities share 100 %


def is_of_the_user(trace: PatchTrace) -> bool:
    """Whether a picture may show none of the classes: the user's own, read by the network with ten classes."""
    return isinstance(trace, VisionTrace) and shows_own_picture()


def stated_class(trace: PatchTrace, index: int, answer: int | None = None) -> str:
    """Return the name of a class as a text states it; the answer to the user's own picture as the best of ten.

    Args:
        answer: of the picture after a change; without one, that of `trace`.
    """
    name = class_name(trace.classes[index])
    best = trace.answer if answer is None else answer
    return BEST(name=name) if index == best and is_of_the_user(trace) else name


def render_stated_answer(service: Service, key: str, trace: VisionTrace) -> None:
    """Render the answer in a line, beside it the bars of all classes, and what the user says about the own picture."""
    with st.container(key="answered"):
        own = is_of_the_user(trace)
        line, bars = st.columns([2, 3] if own else [1, 3], gap="large", vertical_alignment="center")
        with bars:
            order = np.argsort(-trace.probabilities, kind="stable")
            names = class_names(trace.classes[index] for index in order)
            st.html(class_bars.ranked(names, trace.probabilities[order], low=not own))
        with line:
            if own:
                _render_best_of_ten(key, trace)
            else:
                _render_sample(trace)
            render_unlike_sign(service, trace)


def _render_sample(trace: VisionTrace) -> None:
    name, probability = literal.markdown(class_name(trace.classes[trace.answer])), _answer_share(trace)
    with st.container(key="answer-of-sample"):
        st.markdown(say("vision.sample-answer", "{name}, {probability}", name=name, probability=probability))


def _render_best_of_ten(key: str, trace: VisionTrace) -> None:
    """State the best of the ten until the user has said whether it is one of them, then what follows from that."""
    picture, told = st.session_state.get(TOLD, ("", None))
    is_told = picture == key
    name = literal.markdown(class_name(trace.classes[trace.answer]))
    with st.container(key="answer-of-own"):
        if not is_told:
            st.markdown(
                say(
                    "vision.best",
                    "Its ten words do not include most things. The best of the ten is “{name}”.",
                    name=name,
                )
            )
        elif told is None:
            st.markdown(
                say(
                    "vision.told.none",
                    "Then each answer is wrong, whatever its percentage: the ten must share 100 %.",
                )
            )
        elif told == trace.answer:
            agrees = say("vision.told.right", "It says so, too: {probability}.", probability=_answer_share(trace))
            st.markdown(agrees)
        else:
            st.markdown(say("vision.told.wrong", "It says “{name}” instead.", name=name))
    if is_told and told is None:
        label = literal.html(say("vision.why-share", "Why: Choosing a word"))
        st.html(f'<p class="aa-terms"><a href="{SHARES}">{label}</a></p>')
    elif is_told and told != trace.answer:
        label = say("vision.told.cover", "Cover patches and see what changes it.")
        st.button(label, key="told-cover", type="tertiary", on_click=bound_settings.set_value, args=("view", "what-if"))
    st.markdown(f"**{say('vision.told.ask', 'Is it one of these ten?')}**")
    with st.container(horizontal=True, gap="small", key="told"):
        no = say("vision.told.no", "No, something else")
        st.button(no, key="told-none", on_click=_tell, args=(key, None))
        with st.popover(say("vision.told.yes", "Yes")):
            for index, label in enumerate(class_names(trace.classes)):
                st.button(label, key=f"told-{index}", type="tertiary", on_click=_tell, args=(key, index))


def _tell(key: str, index: int | None) -> None:
    st.session_state[TOLD] = (key, index)


def _answer_share(trace: VisionTrace) -> str:
    return percent(float(trace.probabilities[trace.answer]))


# Vision, below the answer: a sign for pictures unlike the training pictures.

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
