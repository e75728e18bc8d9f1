"""Which class a view of the Vision page is about: the answer, or one that the reader chooses."""

from __future__ import annotations

from model import VisionTrace
from views.controls import widgets
from views.text.catalogue import say

ANSWER = "answer"


def chosen_class(label: str, trace: VisionTrace, **looks) -> int:
    """The box that chooses, the same in all views; the place of the class, from 0. `looks` go to `st.selectbox`."""
    classes = {ANSWER: say("vision.answer", "the answer")}
    classes |= {str(place): name for place, name in enumerate(trace.classes, 1)}
    chosen = widgets.select(label, classes, "explain", **looks)
    return trace.answer if chosen == ANSWER else int(chosen) - 1
