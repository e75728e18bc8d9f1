"""Vision, the answer as numbers: CLS before and after the last norm, and from logits to probabilities."""

import streamlit as st

from model import VisionTrace
from model.lessons.classification import classification
from pages.shared import checks, files, tables
from pages.shared.service import Service
from pages.shared.texts import caption, paragraph
from pages.vision.program import offer_program
from views.components.matrix_row import RowMatrix, matrix_row
from views.html import bars
from views.text import terms
from views.text.catalogue import say


def from_cls(service: Service, key: str, trace: VisionTrace) -> None:
    """Below a fold: every number between the last layer and the answer; made when the fold is opened."""
    fold = st.expander(
        say("vision.classification", "From CLS to the classes, as numbers"), on_change="rerun", key="from_cls"
    )
    if not fold.open:
        return
    found = service.lesson(("classification", key), classification, trace)
    with fold:
        paragraph("vision", "classification", width=len(found.before), classes=len(trace.classes))
        before = say("vision.classification.before", "CLS before the norm")
        after = say("vision.classification.after", "CLS after the norm, y")
        dimension = say("column.dimension", "dimension")
        vectors = {before: found.before, after: found.after}
        items = [RowMatrix(name, row[None], "vision", ("CLS",), (), "", dimension) for name, row in vectors.items()]
        matrix_row(items, "cls_vectors")
        columns = [
            tables.Column(say("vision.classification.index", "class index"), list(range(len(trace.classes)))),
            tables.name(say("column.class", "class"), trace.classes, "name"),
            tables.Column(say("vision.classification.logit", "logit"), found.logits.tolist()),
            tables.Column(say("vision.classification.power", "e^(logit \u2212 largest)"), found.powers.tolist()),
            tables.bar(terms.PROBABILITY(), found.probabilities.tolist(), 1.0, "vision"),
        ]
        st.html(bars.STYLE)
        title = say("vision.classification.title", "From logits to probabilities")
        tables.show(columns, title, int(found.probabilities.argmax()))
        caption("vision", "check-classification", difference=checks.said("output layer", found.difference))
        header, content = tables.content(columns)
        with st.container(horizontal=True):
            files.csv(header, content, "classification", say("vision.classification.csv", "Classes as CSV"))
            arrays = {"before": found.before, "after": found.after, "logits": found.logits}
            files.npz("classification", arrays | {"probabilities": found.probabilities})
    offer_program(service, "classification", say("vision.classification.code", "From CLS to the classes, in PyTorch"))
