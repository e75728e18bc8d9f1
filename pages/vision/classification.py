"""Vision, the answer as numbers: CLS before and after the last norm, and from logits to probabilities."""

import streamlit as st

from model import VisionTrace
from model.lessons.classification import recompute_classification
from pages.shared import checks, files, tables
from pages.shared.service import Service
from pages.shared.texts import fold_check, paragraph
from pages.vision.program import render_vision_program
from views.components.matrix_row import RowMatrix, matrix_row
from views.text import terms
from views.text.catalogue import say
from views.text.class_names import class_names
from views.text.numbers import percent


def render_classification(service: Service, key: str, trace: VisionTrace) -> None:
    """Show every number between the last layer and the answer in a fold, computed when it is opened."""
    fold = st.expander(
        say("vision.classification", "From CLS to the classes, as numbers"), on_change="rerun", key="from_cls"
    )
    if not fold.open:
        return
    steps = service.lesson(("classification", key), recompute_classification, trace)
    with fold:
        paragraph("vision", "classification", width=len(steps.before), classes=len(trace.classes))
        before = say("vision.classification.before", "CLS before the norm")
        after = say("vision.classification.after", "CLS after the norm, y")
        dimension = say("column.dimension", "dimension")
        vectors = {before: steps.before, after: steps.after}
        items = [RowMatrix(name, row[None], "vision", ("CLS",), (), "", dimension) for name, row in vectors.items()]
        matrix_row(items, "cls_vectors")
        columns = [
            tables.TableColumn(say("vision.classification.index", "class index"), list(range(len(trace.classes)))),
            tables.name_column(say("column.class", "class"), class_names(trace.classes), "name"),
            tables.TableColumn(say("vision.classification.logit", "logit"), steps.logits.tolist()),
            tables.TableColumn(say("vision.classification.power", "e^(logit \u2212 largest)"), steps.powers.tolist()),
            tables.bar_column(terms.PROBABILITY(), steps.probabilities.tolist(), 1.0, "vision", percent),
        ]
        title = say("vision.classification.title", "From logits to probabilities")
        tables.render_table(columns, title, int(steps.probabilities.argmax()))
        fold_check(
            "vision", "check-classification", difference=checks.format_difference("output layer", steps.difference)
        )
        header, content = tables.header_and_rows(columns)
        with st.container(horizontal=True):
            files.csv(header, content, "classification", say("vision.classification.csv", "Classes as CSV"))
            arrays = {"before": steps.before, "after": steps.after, "logits": steps.logits}
            files.npz("classification", arrays | {"probabilities": steps.probabilities})
    render_vision_program(
        service, "classification", say("vision.classification.code", "From CLS to the classes, in PyTorch")
    )
