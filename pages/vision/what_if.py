"""Vision, what if: ablate or sharpen heads, or hide patches; the answer and the CLS map before and after."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
import streamlit as st

from model import HeadInterventions, VisionTrace
from model.attribution.intervention_result import InterventionCheck
from model.attribution.trace_comparison import attention_shift
from model.classifier import VisionInterventionResult
from model.tracing.head_interventions import Forbid, HeadIntervention, Heads, OneHot, Scale, Temperature
from model.tracing.picture_trace import PatchTrace
from pages.shared import checks, differences, files, tables
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.head_changes import MASK, ONE_HOT, choose_interventions, describe_change
from pages.shared.service import Service
from pages.shared.texts import block, paragraph
from pages.vision.patch_painter import masked_picture, middle, paint_patches
from pages.vision.program import render_vision_program
from pages.vision.stated_answer import stated_class
from pages.vision.vision_inputs import grid_maps
from views import kind_labels, patch_grid
from views.controls import painted, sentence_input, widgets
from views.export.difference import ComparedMaps, MapPair
from views.figures import overlay
from views.text import literal
from views.text.catalogue import Message, say
from views.text.class_names import class_name
from views.text.numbers import percent, points
from views.url_state import bound_settings

PAGE = "what_if"
HIDDEN = "vhidden"  # the painted patches, in the session and in the address
NAME = "vheads"  # begins the names of this view's settings in the address
OWN_KEYS = (NAME, HIDDEN, "vdo", "vfactor", "vheat", "vasks")  # beginnings of the names of all of them
MOST_CLASSES = 12  # rows of the table of classes; the file has all
QUERY_PLACES = {"all": None, "cls": 0}  # the queries; CLS is at position 0
CLS_KIND = replace(
    kind_labels.GRID,
    in_sentence=Message("kind.cls", "attention of CLS over the picture"),
    in_heading=Message("kind.cls.heading", "Attention of CLS over the picture"),
)


class InterveningModel(Protocol):
    """A model of pictures that can intervene on heads."""

    def intervene(self, trace: PatchTrace, interventions: HeadInterventions, /) -> VisionInterventionResult:
        """Run the picture of `trace` again under interventions."""


@dataclass(frozen=True, eq=False)
class PictureChange:
    """What the view needs of a picture under interventions, and no more, since many are cached."""

    probabilities: np.ndarray  # `(class,)`
    cls: np.ndarray  # `(layer, head, 1 + patch)` weights of CLS as the query
    moved: np.ndarray  # `(layer, head)`, see `model.attribution.trace_comparison.attention_shift`
    check: InterventionCheck


def compute_change(model: InterveningModel, trace: PatchTrace, plan: HeadInterventions) -> PictureChange:
    """Run the picture again under the plan of interventions."""
    result = model.intervene(trace, plan)
    after = result.after.attention
    return PictureChange(
        result.after.probabilities, after[:, :, 0].copy(), attention_shift(trace.attention, after), result.check
    )


@fragment
def render_what_if(service: Service, key: str, trace: PatchTrace) -> None:
    """Show the view. A choice reruns only this section."""
    paragraph(PAGE)
    answer, controls = st.columns([3, 2], gap="large")
    own_changes = {ONE_HOT: partial(_choose_one_hot, trace)}
    square = trace.grid[0] == trace.grid[1]
    if square:  # a painted mask is
        own_changes[MASK] = partial(_choose_hidden, trace)
    named = any(name.startswith(OWN_KEYS) for name in bound_settings.own_names())
    with controls:
        summary = st.container(key="vision-changed")
        with st.expander(say("compare.change-it", "Change the intervention"), expanded=named):
            # without any attention the answer is another; the network bears the loss of one layer
            every = range(trace.attention.shape[0]) if isinstance(trace, VisionTrace) and not named else None
            plan = choose_interventions(
                "vision", trace.attention, {"vision": trace.attention.shape}, (NAME, "v"), own_changes, opened=every
            )
    if plan is None:
        return
    for each in plan.changes:
        line = say("compare.changed", "Changed: {change}", change=literal.markdown(describe_change(each)))
        summary.markdown(line)
    change = service.analysis(("what if", key, plan.to_text()), compute_change, trace, plan)
    with answer, st.container(key="vision-answer"):
        _render_answer(trace, change)
    if square:
        _render_middle_experiment(trace, change)
    st.header(say("vision.cls.map", "What CLS attends to"), anchor=False)
    pair = _render_cls_maps(trace, change)
    over, heads = st.columns(2, gap="large")
    with over:
        st.header(say("vision.difference", "The difference over the picture"), anchor=False)
        assert pair.difference is not None  # both maps are of one grid
        grey = patch_grid.grey(patch_grid.as_bytes(trace.pixels))
        signed = overlay.signed(grey, pair.difference.weights / (pair.largest or 1), sentence_input.theme())
        alt = block("vision", "difference-alt", place=pair.place)
        st.image(overlay.enlarged(signed), width=320, output_format="PNG", alt=alt)
    with heads:
        st.header(say("shared.every-head", "Every head"), anchor=False)
        differences.render_moved_heads({"vision": change.moved}, {"vision": trace.attention.shape[3]})
    if (changes := program_values(plan)) is not None:
        render_vision_program(service, "what-if", changes=changes)


def program_values(plan: HeadInterventions) -> tuple[tuple[str, Heads, object], ...] | None:
    """Return a plan as values of its program: layers and heads from 1, and masked keys before one-hot attention.

    None if a link contains a change that this view does not offer.
    """
    values: list[tuple[str, Heads, object]] = []
    for change in plan.changes:
        heads = tuple((layer + 1, head + 1) for layer, head in change.heads)
        if isinstance(change, Scale):
            values.append(("values", heads, change.factor))
        elif isinstance(change, Temperature):
            values.append(("queries", heads, 1 / change.temperature))
        elif isinstance(change, Forbid):
            values.append(("hide", heads, change.keys))
        elif isinstance(change, OneHot):
            values.append(("only", heads, (change.key, change.query)))
        else:
            return None
    return tuple(sorted(values, key=lambda value: value[0]))


def _render_middle_experiment(trace: PatchTrace, changed: PictureChange) -> None:
    """State the answer when the chosen heads do not attend to the middle of the picture."""
    side, answer = trace.grid[0], trace.answer
    result = {
        "name": literal.markdown(stated_class(trace, answer)),
        "before": percent(float(trace.probabilities[answer])),
    }
    result |= {"after": percent(float(changed.probabilities[answer]))}
    is_hidden = bound_settings.current_value("vdo") == MASK and bound_settings.stored_text(HIDDEN) == painted.encode(
        middle((side, side))
    )
    render_experiment("vision-what-if", partial(_mask_the_middle, side), result if is_hidden else None)


def _mask_the_middle(side: int) -> None:
    bound_settings.set_value("vdo", MASK)
    _hide_middle(side)


def _choose_one_hot(trace: PatchTrace, heads: Heads) -> HeadIntervention:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        queries = {"all": say("vision.query.all", "Every position"), "cls": say("vision.query.cls", "CLS")}
        query = widgets.pick(say("vision.query", "Query"), queries, "vasks")
        row, column = sentence_input.patch(trace.grid)
    return OneHot("vision", heads, 1 + row * trace.grid[1] + column, QUERY_PLACES[query])


def _render_answer(trace: PatchTrace, changed: PictureChange) -> None:
    all_classes = np.arange(len(trace.classes))
    places = all_classes
    if len(all_classes) > MOST_CLASSES:
        places = np.argsort(-np.maximum(trace.probabilities, changed.probabilities), kind="stable")[:MOST_CLASSES]
    label = say("answer.caption", "Probability of each class")
    if len(places) < len(all_classes):
        label = say("answer.caption.most", "Probability of the {count} likeliest classes", count=len(places))
    tables.render_table(
        _class_columns(trace, changed, places), say("vision.probabilities", "Probabilities"), label=label
    )
    checks.render_intervention_check(changed.check)
    content = tables.header_and_rows(_class_columns(trace, changed, all_classes))
    files.csv(*content, "what-if", say("vision.probabilities.csv", "Probabilities as CSV"))


def _class_columns(trace: PatchTrace, changed: PictureChange, places: np.ndarray) -> list[tables.TableColumn]:
    """Return a table of the classes at these places: before, after and change."""
    before, after = (side[places].astype(float) for side in (trace.probabilities, changed.probabilities))
    return [
        tables.name_column(
            say("column.class", "class"), [class_name(trace.classes[place]) for place in places], "name"
        ),
        tables.bar_column(say("column.before", "before"), before, 1, "vision", percent),
        tables.bar_column(say("column.after", "after"), after, 1, "vision", percent),
        tables.bar_column(say("column.change", "change"), after - before, 1, "difference", points),
    ]


def _render_cls_maps(trace: PatchTrace, changed: PictureChange) -> MapPair:
    before, after = (grid_maps(CLS_KIND, cls, trace.grid) for cls in (trace.attention[:, :, 0], changed.cls))
    names = say("column.before", "before"), say("column.after", "after")
    return differences.render({CLS_KIND.name: ComparedMaps(before, after, names)}, "cls_pair", "compare")[0]


def _choose_hidden(trace: PatchTrace, heads: Heads) -> HeadIntervention:
    """Choose patches to hide by painting on a grid, next to the picture without them."""
    side = trace.grid[0]
    paragraph("what_if", "paint")
    grid, picture = st.columns([3, 2])
    label = say("vision.mask", "May be attended to")
    words = say("vision.patch.hidden", "hidden"), say("vision.patch.open", "may be attended to")
    with grid:
        visible = paint_patches(trace, HIDDEN, "patch_painter", np.ones(trace.grid, dtype=bool), label, words)
    with picture:
        alt = block("vision", "hidden", count=int((~visible).sum()), all=visible.size)
        st.image(masked_picture(trace, visible), width=200, output_format="PNG", alt=alt)
    with st.container(horizontal=True):
        st.button(say("vision.hide-middle", "Hide the middle"), key="vmiddle", on_click=_hide_middle, args=(side,))
        show_all = say("vision.show-all", "Show all patches")
        st.button(
            show_all, key="vshow", on_click=bound_settings.store_text, args=(HIDDEN, ""), disabled=bool(visible.all())
        )
    return Forbid("vision", heads, tuple((np.flatnonzero(~visible) + 1).tolist()))  # position 0 is CLS


def _hide_middle(side: int) -> None:
    bound_settings.store_text(HIDDEN, painted.encode(middle((side, side))))
