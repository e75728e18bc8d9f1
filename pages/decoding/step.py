"""One step of decoding: what it attends to, and the choice of the next token."""

from collections.abc import Mapping
from functools import partial

import numpy as np
import streamlit as st

from model import Trace
from model.decoding.sampling_stages import SamplingStages, sampling_stages
from pages.shared import checks, files, requests, stepper, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment, token_value
from pages.shared.fragments import fragment
from pages.shared.opened_layer import open_requested
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn
from pages.shared.target_input import step_buttons
from pages.shared.texts import block, caption, fold_check, paragraph
from pages.translate.candidates import shown_chances
from views import kind_labels, map_labels
from views.components.decoding_stage import HEAD, LAYER, STEP, decoding_stage, step_choices
from views.components.requests import answers
from views.components.stage import Stage
from views.components.step_view import Axis, BarsPanel, FormulaPanel, Numbers, SliderPositions, StepView, number_axis
from views.components.step_view import BarColumn as Bar
from views.controls import sentence_input, widgets
from views.export import downloads
from views.html import decoding_steps, generated_tokens
from views.text import literal, terms
from views.text.catalogue import say
from views.url_state import bound_settings
from views.viewer.attention_maps import from_trace

ROW_COUNTS = (5, 10, 20, 50)  # tokens in the table


def render(request: Request) -> None:
    """Choose a step; show on the stage what it attends to, and the choice of its token."""
    trace = request.trace()
    step = step_slider(trace)
    render_attention(request, trace, step)
    render_choice(request, trace, step)


def step_slider(trace: Trace) -> int:
    """Choose a step, from 1, by a slider."""
    last = len(trace.next_ids)
    return step_buttons(last, say("decoding.step", "Step, 1 to {last}", last=last))


def choose_step(trace: Trace) -> int:
    """Choose a step by a slider, and show the tokens around it."""
    step = step_slider(trace)
    render_tokens(trace, step)
    return step


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
        "{kept} of {vocabulary} tokens {kept:is left; before filtering it had|are left; before filtering they "
        "had} {mass} of the probability, now 1.",
    )
    table_name = say("decoding.choice.table", "The most probable tokens of step {step}", step=step)
    return StepView(
        (
            *sliders,
            Axis("row", terms.TOKEN(), tokens, slider=False, data_kind="token", language="fr"),
            Axis("all", "", size=len(order), slider=False),
        ),
        numbers,
        (BarsPanel(table_name, "row", columns, wide=True, taken=generated), FormulaPanel(summary)),
        "sampling" if sliders else "",
        places,
    )


# What a step of decoding attends to: the stage, which holds its place, and the numbers of its row.

OPENED = requests.Channel("step_layer")


def render_attention(request: Request, trace: Trace, step: int) -> None:
    """Show the stage with the place of `step`, from 1, and below it every weight of its row in a fold."""
    with st.container(key="step-attention"):
        st.header(say("decoding.attention", "What this step attends to"), anchor=False)
    maps, options = from_trace(trace, request.service.kinds), request.options
    choices = step_choices(maps)
    layer, head = (choice.in_component() for choice in choices[:2])
    chosen = {LAYER: layer, HEAD: head, STEP: str(step)}
    decoding = sentence_input.Decoding(options.method, temperature=options.temperature, seed=options.seed)
    places = shown_chances(request.service, trace, options)
    state = requests.state_token(trace.source_text, options)
    opened = OPENED.answer(state, partial(open_requested, request.service, trace))
    content = Stage(
        maps,
        places,
        trace.target_text,
        choices,
        chosen,
        state,
        answer=answers(state, layer=opened),
        decoding=decoding,
        sentence=trace.source_text,
        entered=trace.source_text,
    )
    decoding_stage(content, "decoding_stage", partial(_store, step), OPENED.receive)
    row = maps["cross"].mean(*maps["cross"].place(layer, head))[step - 1]  # (source,)
    _render_numbers(trace, step, row, map_labels.describe(layer, head))
    paragraph("decoding", "attention")


def _store(step: int, selection: Mapping[str, str]) -> None:
    """Store what was chosen on the stage; `step` is the one of the last run."""
    sentence_input.store_selection({name: selection[name] for name in (LAYER, HEAD)})
    if selection[STEP] != str(step):
        bound_settings.set_value(STEP, int(selection[STEP]))


def _render_numbers(trace: Trace, step: int, weights: np.ndarray, place: str) -> None:
    """Render the tokens around the step and its weights `(source,)` as a strip, a check and a file."""
    with st.expander(say("decoding.attention.numbers", "The tokens and weights of this step, in numbers")):
        render_tokens(trace, step, announced=False)  # the stage announces it
        label = generated_tokens.label(block("decoding", "attention-of-the-step", step=step, place=place))
        st.html(label + decoding_steps.weighted_tokens(trace.source_tokens, weights.tolist(), language="en"))
        row = slice(step - 1, step)
        axes = (
            trace.target_tokens[row],
            trace.source_tokens,
            kind_labels.KINDS["cross"],
            trace.chosen_at("cross")[row],
        )
        name = f"cross-attention-step-{step}.csv"
        csv = say("decoding.attention.csv", "Attention as CSV")
        files.download(csv, lambda: downloads.matrix_csv(weights[None], *axes), name)
    difference = checks.format_difference("attention", trace.verification["cross"].max_difference)
    fold_check("decoding", "check-attention", total=weights.sum(dtype=np.float64), difference=difference)


def render_tokens(trace: Trace, step: int, announced: bool = True) -> None:
    """Render what the decoder has read, the token that it generates in a step, and the later ones."""
    label = generated_tokens.label(block("decoding", "tokens-of-the-step"))
    fed, generated, later = trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:]
    st.html(label + decoding_steps.token_strip(fed, generated, later, announced))
