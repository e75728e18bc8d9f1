"""Vision, beside a convolution: what either network expects of pictures, on rearranged ones and at other sizes."""

import numpy as np
import streamlit as st

from model import VisionTrace
from model.lessons.inductive_bias import SIZES, predict, predict_by_size, rearrange, receptive_fields
from pages.shared import checks, files
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.models import open_convolution
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from pages.vision.program import render_vision_program
from views import patch_grid
from views.controls import widgets
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, say
from views.text.numbers import percent

PICTURES = {
    "kept": Message("vision.bias.kept", "As it is"),
    "shifted": Message("vision.bias.shifted", "Moved by a patch"),
    "patches": Message("vision.bias.patches", "Patches in another order"),
    "pixels": Message("vision.bias.pixels", "Pixels of each patch in another order"),
}
PAGE = "vision_positions"


@fragment
def render_convolution(service: Service, key: str, trace: VisionTrace) -> None:
    """Both networks on the same pictures. The convolution is loaded here and nowhere else."""
    st.html(bars.STYLE)
    other = open_convolution()
    shown = widgets.pick(say("vision.bias", "Picture"), PICTURES, "arranged")
    patch = service.model.config.patch_size
    pictures = rearrange(trace.pixels, patch)
    ours = service.lesson(("bias", key), predict, pictures)
    theirs = other.lesson(("bias", key), predict, pictures)
    left, right = st.columns([1, 2], gap="large")
    with left:
        alt = say("vision.bias.alt", "The picture: {how}.", how=PICTURES[shown]())
        st.image(patch_grid.as_bytes(pictures[shown]), PICTURES[shown](), width=260, output_format="PNG", alt=alt)
    name = literal.token(trace.classes[trace.answer])
    header = [
        say("vision.bias.what", "picture"),
        say("vision.bias.ours", "Vision Transformer: {name}", name=name),
        say("vision.bias.theirs", "Convolution: {name}", name=name),
    ]
    at = trace.answer
    theirs_at = other.model.config.classes.index(trace.classes[at]) if name in other.model.config.classes else None
    share = lambda found: float(found[theirs_at]) if theirs_at is not None else float("nan")  # noqa: E731
    rows = [[said(), float(ours[id][at]), share(theirs[id])] for id, said in PICTURES.items()]
    sizes = service.lesson(("sizes", key), predict_by_size, trace.pixels)
    theirs_by_size = other.lesson(("sizes", key), predict_by_size, trace.pixels)
    for size in SIZES:
        said = say("vision.bias.size", "{size} \u00d7 {size} pixels", size=size)
        rows.append([said, float(sizes[size][at]), share(theirs_by_size[size])])
    with right:
        table = [[row[0], bars.bar_cell(row[1], 1, "vision"), bars.bar_cell(row[2], 1, "cross")] for row in rows]
        marked = list(PICTURES).index(shown)
        title = say("vision.bias.table", "Probability of the answer to the picture as it is")
        st.html(bars.table(header, table, title, marked))
    reach = receptive_fields(other.model.config)
    st.header(say("vision.bias.reach", "How far a place of the convolution sees"), anchor=False)
    columns = [
        say("vision.bias.after", "after"),
        say("vision.bias.field", "receptive field, pixels a side"),
        say("vision.bias.step", "from one place to the next, pixels"),
    ]
    stem = say("vision.bias.stem", "the stem")
    fields = [
        [
            stem if not each.block else say("vision.bias.block", "block {number}", number=each.block),
            each.pixels,
            each.step,
        ]
        for each in reach
    ]
    drawn = [[row[0], bars.bar_cell(row[1], reach[-1].pixels, "cross", str(row[1])), row[2]] for row in fields]
    st.html(bars.table(columns, drawn, say("vision.bias.reach.table", "Receptive field by block"), whole=True))
    paragraph(PAGE, "beside-a-convolution", first=reach[0].pixels, last=reach[-1].pixels, side=len(trace.pixels))
    found = {"ours": percent(float(ours["patches"][at])), "theirs": percent(share(theirs["patches"]))}
    render_experiment("vision-convolution", {"arranged": "patches"}, found if shown == "patches" else None)
    again = float(np.abs(ours["kept"] - trace.probabilities).max())
    st.caption(block(PAGE, "beside-check", difference=checks.format_difference("pictures again", again)))
    files.csv_and_table(header, rows, "inductive-bias", say("vision.bias.csv", "Probabilities as CSV"))
    files.csv(columns, fields, "receptive-field", say("vision.bias.reach.csv", "Receptive field as CSV"))
    render_vision_program(service, "convolution")
