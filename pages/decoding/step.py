"""One step of decoding: its tokens, its attention, and the choice of the next token."""

from functools import partial

import numpy as np
import streamlit as st

from model import Trace
from model.decoding.sampling_stages import SamplingStages, sampling_stages
from pages.shared import checks, files, stepper, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment, token_value
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn
from pages.shared.target_input import step_buttons
from pages.shared.texts import block, caption, fold_check, paragraph
from views import kind_labels, map_labels, map_weights
from views.components.step_view import Axis, BarsPanel, FormulaPanel, Numbers, SliderPositions, StepView, number_axis
from views.components.step_view import BarColumn as Bar
from views.controls import widgets
from views.export import downloads
from views.html import decoding_steps, generated_tokens
from views.text import literal, terms
from views.text.catalogue import say
from views.url_state import bound_settings

ROW_COUNTS = (5, 10, 20, 50)  # tokens in the table


def render(request: Request) -> None:
    """Choose a step; show its attention and the choice of its token."""
    trace = request.trace()
    step = choose_step(trace)
    left, right = st.columns([2, 3], gap="large")
    with left:
        render_attention(trace, step)
    with right:
        render_choice(request, trace, step)


def choose_step(trace: Trace) -> int:
    """Choose a step, from 1, by a slider, and show the tokens around it."""
    last = len(trace.next_ids)
    step = step_buttons(last, say("decoding.step", "Step, 1 to {last}", last=last))
    label = block("decoding", "tokens-of-the-step")
    fed, generated, later = trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:]
    st.html(generated_tokens.label(label) + decoding_steps.token_strip(fed, generated, later))
    return step


def render_attention(trace: Trace, step: int) -> None:
    """Show the cross-attention of the step over the source."""
    st.header(say("decoding.attention", "What this step attends to"), anchor=False)
    layers, heads = (map_labels.ids_with_mean(count) for count in trace.cross_attention.shape[:2])
    with st.container(horizontal=True):
        layer = widgets.select(terms.LAYER(), map_labels.option_labels(layers), "cross_layer", map_labels.MEAN)
        head = widgets.select(terms.HEAD(), map_labels.option_labels(heads), "cross_head", map_labels.MEAN)
    sheet = map_weights.with_means(trace.cross_attention[:, :, step - 1 : step])  # (layers + 1, heads + 1, 1, source)
    weights = sheet[layers.index(layer), heads.index(head), 0]  # (source,)
    label = block("decoding", "attention-of-the-step", step=step, place=map_labels.describe(layer, head))
    st.html(generated_tokens.label(label) + decoding_steps.weighted_tokens(trace.source_tokens, weights.tolist()))
    difference = checks.format_difference("attention", trace.verification["cross"].max_difference)
    fold_check("decoding", "check-attention", total=weights.sum(dtype=np.float64), difference=difference)
    paragraph("decoding", "attention")
    axes = (trace.next_tokens[step - 1 : step], trace.source_tokens, kind_labels.KINDS["cross"])
    label, name = say("decoding.attention.csv", "Attention as CSV"), f"cross-attention-step-{step}.csv"
    files.download(label, lambda: downloads.matrix_csv(weights[None], *axes), name)


@fragment
def render_choice(request: Request, trace: Trace, step: int) -> None:
    """Show logits, scaled and filtered, and probabilities of a step. The browser redraws while sliders move."""
    st.header(say("decoding.choice", "How the token is chosen"), anchor=False)
    sliders, options = slider_axes(), request.options
    if options.method == "sampling":
        st.caption(say("decoding.sampling-above", "Temperature, top k and top p are those set above."))
        sliders = ()
    temperature, top_k, top_p = options.temperature, options.top_k, options.top_p
    places = stepper.slider_positions(sliders)
    if sliders:
        temperature, slider_k, top_p = (axis.values[places[axis.id]] for axis in sliders)
        top_k = int(slider_k)
    excluded = request.service.model.config.never_generated
    stages = sampling_stages(trace.logits[step - 1], temperature, top_k, top_p, excluded)
    count = int(widgets.pick(say("decoding.shown", "Tokens shown"), tuple(map(str, ROW_COUNTS)), "shown", "10"))
    generated, order = trace.next_ids[step - 1], stages.order[: len(stages.order) - len(excluded)]
    # the most probable tokens, then the generated one if it is not among them
    ids = order[:count].tolist()
    ids += [] if generated in ids else [generated]
    labels = list(map(literal.token, trace.tokenizer.labels(ids)))
    ranks = [int(np.flatnonzero(order == id_)[0]) + 1 for id_ in ids]
    view = _step_view(stages, order, ids, labels, ranks, ids.index(generated), sliders, places, step)
    stepper.mount(view, places, "choice")
    fold_check("decoding", "check-choice", difference=checks.format_difference("choice", stages.difference))
    if sliders:
        caption("decoding", "dragged")
        best = order[0]
        result: dict[str, object] = {"token": token_value(trace.tokenizer.labels([best])[0])}
        result |= {"before": float(stages.plain[best]), "after": float(stages.probabilities[best])}
        result |= {"temperature": f"{temperature:g}"}
        action = partial(bound_settings.store_text, "try_temperature", "2")
        render_experiment("decoding-step", action, result if temperature != 1 else None)
    paragraph("decoding", "choice")
    file_columns = [
        TableColumn(say("column.rank", "rank"), ranks),
        TableColumn(terms.TOKEN(), labels),
        TableColumn(say("column.id", "id"), ids),
        TableColumn(say("column.logit", "logit"), stages.logits[ids]),
        TableColumn(say("decoding.column.before", "probability before"), stages.plain[ids]),
        TableColumn(say("decoding.column.scaled", "scaled"), stages.scaled[ids]),
        TableColumn(say("decoding.column.kept", "kept"), stages.kept[ids]),
        TableColumn(say("column.probability", "probability"), stages.probabilities[ids]),
    ]
    label = say("decoding.choice.csv", "Choice as CSV")
    files.csv_and_table(*tables.header_and_rows(file_columns), f"step-{step}", label, "choice_table")
    values = {"sentence": request.text, "target_ids": trace.next_ids, "step": step}
    render_program("decoding", "step-by-step", **values, temperature=temperature, top_k=top_k, top_p=top_p)


def slider_axes() -> tuple[Axis, ...]:
    """Return the sliders of temperature, top-k and top-p."""
    return (
        number_axis("try_temperature", say("decoding.temperature", "Temperature"), [n / 10 for n in range(1, 31)], 1.0),
        number_axis("try_k", say("decoding.top-k", "Top k, 0 keeps all"), range(101), 0),
        number_axis("try_p", say("decoding.top-p", "Top p"), [n / 20 for n in range(1, 21)], 1.0),
    )


def _step_view(
    stages: SamplingStages,
    order: np.ndarray,
    ids: list[int],
    tokens: list[str],
    ranks: list[int],
    generated: int,
    sliders: tuple[Axis, ...],
    places: SliderPositions,
    step: int,
) -> StepView:
    """Build the view: a row for each token, and how many are left; `order` has every token that can be generated."""
    along = ("row",)
    numbers = {
        "rank": Numbers(np.array(ranks), along, whole=True),
        "logit": Numbers(stages.logits[ids], along),
        "scaled": Numbers(stages.scaled[ids], along),
        "filtered": Numbers(np.where(stages.kept, stages.scaled, np.nan)[ids], along),
        "probability": Numbers(stages.probabilities[ids], along),
        "sorted": Numbers(stages.logits[order], ("all",)),
        "kept": Numbers(stages.kept.sum(), whole=True),
        "mass": Numbers(np.array(stages.kept_mass)),
        "vocabulary": Numbers(np.array(len(stages.logits)), whole=True),
    }
    columns = (
        Bar(say("column.rank", "rank"), "rank", bar=False),
        Bar(say("column.logit", "logit"), "logit", bar=False),
        Bar(say("decoding.column.scaled", "scaled"), "scaled", bar=False),
        Bar(say("decoding.column.filtered", "filtered"), "filtered", bar=False, nothing=say("decoding.out", "out")),
        Bar(say("column.probability", "probability"), "probability", "decoder", 1.0),
    )
    summary = say(
        "decoding.left",
        "{kept} of {vocabulary} tokens are left; before filtering they held {mass} of the probability, now 1.",
    )
    table_name = say("decoding.choice.table", "The most probable tokens of step {step}", step=step)
    return StepView(
        (
            *sliders,
            Axis("row", terms.TOKEN(), tokens, slider=False, data_kind="token"),
            Axis("all", "", size=len(order), slider=False),
        ),
        numbers,
        (BarsPanel(table_name, "row", columns, wide=True, taken=generated), FormulaPanel(summary)),
        "sampling" if sliders else "",
        places,
    )
