"""Vision, compared with a convolution: the inductive bias of both, on rearranged pictures and at other sizes."""

import math

import numpy as np
import streamlit as st

from model import VisionTrace
from model.lessons.inductive_bias import SIZES, predict, predict_by_size, rearrange, receptive_fields
from pages.shared import checks, files
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.models import open_convolution, private_service
from pages.shared.service import Service
from pages.shared.texts import fold_check, paragraph
from pages.vision.program import render_vision_program
from pages.vision.stated_answer import stated_class
from views import patch_grid
from views.controls import widgets
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import grouped, percent

PICTURES = {
    "kept": Message("vision.bias.kept", "As it is"),
    "shifted": Message("vision.bias.shifted", "Moved by a patch"),
    "patches": Message("vision.bias.patches", "Patches in another order"),
    "pixels": Message("vision.bias.pixels", "Pixels of each patch in another order"),
}
PAGE = "vision_positions"


@fragment
def render_convolution(service: Service, key: str, trace: VisionTrace) -> None:
    """Compare both networks on the same pictures. Only this view loads the convolution."""
    convolution = private_service(open_convolution()) if service.is_private else open_convolution()
    arrangement = widgets.pick(say("vision.bias", "Picture"), PICTURES, "arranged")
    patch = service.model.config.patch_size
    pictures = rearrange(trace.pixels, patch)
    own_shares = service.lesson(("bias", key), predict, pictures)
    their_shares = convolution.lesson(("bias", key), predict, pictures)
    left, right = st.columns([1, 2], gap="large")
    with left:
        alt = say("vision.bias.alt", "The picture: {how}.", how=PICTURES[arrangement]())
        st.image(
            patch_grid.as_bytes(pictures[arrangement]), PICTURES[arrangement](), width=260, output_format="PNG", alt=alt
        )
    name = literal.token(stated_class(trace, trace.answer))
    header = [
        say("vision.bias.what", "picture"),
        say("vision.bias.ours", "Vision Transformer: {name}", name=name),
        say("vision.bias.theirs", "Convolution: {name}", name=name),
    ]
    answer = trace.answer
    their_answer = (
        convolution.model.config.classes.index(trace.classes[answer])
        if trace.classes[trace.answer] in convolution.model.config.classes
        else None
    )
    share = lambda shares: float(shares[their_answer]) if their_answer is not None else float("nan")  # noqa: E731
    rows = [(label(), float(own_shares[id][answer]), share(their_shares[id])) for id, label in PICTURES.items()]
    sizes = service.lesson(("sizes", key), predict_by_size, trace.pixels)
    their_sizes = convolution.lesson(("sizes", key), predict_by_size, trace.pixels)
    for size in SIZES:
        size_label = say("vision.bias.size", "{size} \u00d7 {size} pixels", size=size)
        rows.append((size_label, float(sizes[size][answer]), share(their_sizes[size])))
    with right:
        cells: list[list[bars.Value]] = [
            [name, *(bars.bar_cell(p, 1, kind, write=percent) for p, kind in ((ours, "vision"), (theirs, "cross")))]
            for name, ours, theirs in rows
        ]
        marked = list(PICTURES).index(arrangement)
        title = say("vision.bias.table", "Probability of the answer to the picture as it is")
        st.html(bars.table(header, cells, title, marked))
    fields = receptive_fields(convolution.model.config)
    st.header(say("vision.bias.reach", "Receptive field of the convolution"), anchor=False)
    columns = [
        say("vision.bias.after", "after"),
        say("vision.bias.field", "receptive field, pixels a side"),
        say("vision.bias.step", "from one place to the next, pixels"),
    ]
    stem = say("vision.bias.stem", "the stem")
    field_rows = [
        (
            stem if not field.block else say("vision.bias.block", "block {number}", number=field.block),
            field.pixels,
            field.step,
        )
        for field in fields
    ]
    largest = fields[-1].pixels
    field_cells: list[list[bars.Value]] = [
        [label, bars.bar_cell(pixels, largest, "cross", str(pixels)), step] for label, pixels, step in field_rows
    ]
    st.html(bars.table(columns, field_cells, say("vision.bias.reach.table", "Receptive field by block"), whole=True))
    paragraph(PAGE, "beside-a-convolution", first=fields[0].pixels, last=fields[-1].pixels, side=len(trace.pixels))
    _render_accuracies(service.model.card, convolution.model.card)
    result = {"ours": percent(float(own_shares["patches"][answer])), "theirs": percent(share(their_shares["patches"]))}
    render_experiment("vision-convolution", {"arranged": "patches"}, result if arrangement == "patches" else None)
    difference = float(np.abs(own_shares["kept"] - trace.probabilities).max())
    fold_check(PAGE, "beside-check", difference=checks.format_difference("pictures again", difference))
    files.csv_and_table(header, rows, "inductive-bias", say("vision.bias.csv", "Probabilities as CSV"))
    files.csv(columns, field_rows, "receptive-field", say("vision.bias.reach.csv", "Receptive field as CSV"))
    render_vision_program(service, "convolution")


def _render_accuracies(ours: dict, theirs: dict) -> None:
    """State how many held-out pictures each network answers right, from its card; nothing without these figures."""
    try:
        shares = [float(card["evaluation"]["top1"]) for card in (ours, theirs)]
        counts = [int(card["evaluation"]["pictures"]) for card in (ours, theirs)]
        training = int(ours["data"]["training_pictures"])
        epochs = {"our_epochs": int(ours["training"]["epochs"]), "their_epochs": int(theirs["training"]["epochs"])}
    except (KeyError, TypeError, ValueError):
        return
    bands = [1.96 * math.sqrt(share * (1 - share) / count) for share, count in zip(shares, counts, strict=True)]
    figures = {"ours": percent(shares[0]), "theirs": percent(shares[1]), "band": percent(max(bands))}
    paragraph(PAGE, "accuracies", **figures, **epochs, pictures=grouped(counts[0]), training=grouped(training))
    teacher = ours["training"].get("teacher") or {}
    if teacher.get("sha256") == theirs["weights_sha256"]:
        paragraph(PAGE, "taught", share=percent(float(teacher["share"])))
    paragraph(PAGE, "amount-of-data", training=grouped(training))
