"""An opened model of text: the text, and a second one where it takes two; its answer; and the chosen section."""

from typing import Any

import numpy as np
import streamlit as st

from model import HubTrace, OpenError
from model.attribution.rollout import Fusion, RolloutCheck, check_rollout
from model.causal.causal_error import CausalError
from model.causal.integrated_gradients import IntegratedGradients, count_points
from model.causal.patching_estimate import time_runs
from model.causal.traced_inputs import TracedInput
from model.hub.hub_trace import doubled_token
from model.hub.opened_model import OpenedModel
from model.tracing.kinds import kind_of
from pages.models import answers, attention_labels, head_effects, text_causes, trace_retention, what_if
from pages.models.attention_labels import labelled_kinds
from pages.shared import checks, files, tables
from pages.shared.attention_viewer.explore import explore_tokens
from pages.shared.causes.asking import may_begin
from pages.shared.causes.text_pairs import quoted
from pages.shared.fragments import fragment
from pages.shared.page_sections import pick_section
from pages.shared.service import Service
from pages.shared.texts import block, caption, fold_check, folded_how_to_read
from pages.vision.layers import FUSIONS
from views import map_labels
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import sentence_input, widgets
from views.html import decoding_steps, generated_tokens
from views.text import literal, terms
from views.text.catalogue import Message, Untranslated, say, say_error
from views.text.numbers import percent, three_digits


def render(service: Service[OpenedModel]) -> None:
    """Read the text, trace it, and render the chosen section.

    Raises:
        OpenError: the text cannot be used.
    """
    model = service.model
    pair, translates = model.takes_two_texts, model.has_decoder and not model.classifies_by_decoder
    columns = st.columns(2 if pair or translates else 1, gap="medium")
    with columns[0]:
        text = widgets.text(say("models.text", "Text"), "text", sentence_input.DEFAULT, varies=True)
    inputs = {"sentence": text}
    if pair:
        with columns[1]:
            inputs["second"] = widgets.text(say("models.second", "Second text, if there is one"), "second", "")
    elif translates:
        with columns[1]:
            label = say("models.target", "What the decoder is fed; empty for its own")
            if model.task != "translate":
                label = say("models.target.same", "What the decoder is fed; empty for the text itself")
            inputs["target"] = widgets.text(label, "target", "")
    if languages := {code: Untranslated(code) for code in model.languages.ids}:
        label = say("models.language", "Output language")
        first = model.languages.default or next(iter(languages))
        inputs["target_language"] = widgets.select(label, languages, "language", first, width=260)
    options: dict[str, Any] = {name: value for name, value in inputs.items() if name != "sentence" and value}
    keep = trace_retention.choose_retention(model, text, options)
    key = ("traced", *inputs.values(), keep)
    trace = service.traces.get_or_compute(key, lambda: model.trace(text, keep=keep, **options), service.computing)
    if token := doubled_token(model.reader, trace.source):
        note = say(
            "models.doubled-token",
            "The text begins with {token} twice: once in the text itself, and once as the tokenizer adds it. Delete it "
            "from the text to have it once.",
            token=literal.visible(literal.token(token)),
        )
        st.info(literal.markdown(note))
    generated = answers.render(service, text, trace, fed="target" in options, language=inputs.get("target_language"))
    sections = {"attention": say("models.part.attention", "Attention")}
    if not isinstance(trace.kept, int):  # the trace of one layer has no heads of the others
        if "ablate" in model.capabilities:
            sections["heads"] = say("models.part.heads", "Heads")
        sections["what-if"] = say("models.part.what-if", "What if")
        if available(model, trace):
            sections["attribution"] = say("models.part.attribution", "Attribution")
    if "ablate" in model.capabilities:
        sections["causes"] = say("models.part.causes", "Causes")
    section = pick_section(sections, "part", varies=True)
    if section == "heads":
        head_effects.render(service, trace, text, options, key)
    elif section == "causes":
        text_causes.render(service, trace, text, options, key)
    elif section == "attribution":
        render_attribution(service, trace, key)
    elif section == "what-if":
        what_if.render(service, trace, text, options, generated, key)
    else:
        _render_attention(model, trace, inputs)


def _render_attention(model: OpenedModel, trace: HubTrace, inputs: dict[str, str]) -> None:
    explore_tokens(*attention_labels.view_opened(model, trace, inputs), attention_labels.available_views(trace))
    trace_retention.render(trace)


# Attribution of an opened model that reads text: integrated gradients of an answer, and rollout of its attention.

PAGE = "models_attribution"
METHODS = {
    "integrated": Message("attribution.method.integrated", "Integrated gradients"),
    "rollout": Message("attribution.method.rollout", "Rollout"),
}
ASK_FROM = 8.0  # seconds
BACKWARD = 3  # a gradient takes about as long as so many runs
MOST_ROWS = 16  # rows of the table; its file has all
MOST_POSITIONS = 300  # of the map; more are too small to see


def available(model: OpenedModel, trace: HubTrace) -> dict[str, Message]:
    """The methods that this model and this trace may have."""
    methods = dict(METHODS)
    if "ablate" not in model.capabilities:
        methods.pop("integrated")
    if not _square_kinds(trace):
        methods.pop("rollout")
    return methods


def _square_kinds(trace: HubTrace) -> list[str]:
    """Kinds of attention within one sequence."""
    return [name for name in labelled_kinds(trace) if kind_of(name).square]


@fragment
def render_attribution(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> None:
    """Render the section; what this model does not support is refused in one sentence.

    Args:
        key: identifies the trace.
    """
    methods = available(service.model, trace)
    method = widgets.pick(say("attribution.method", "Method"), methods, "attribute", hidden=True, varies=True)
    try:
        (render_integrated if method == "integrated" else render_rollout)(service, trace, key)
    except (CausalError, OpenError) as error:
        st.info(literal.markdown(say_error(error)))
    folded_how_to_read(block(PAGE, method), block(PAGE, f"{method}-limits"))


def render_integrated(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> None:
    """Render the shares of the tokens in the logit of an answer, and how nearly complete they are.

    Raises:
        CausalError: this model's tokens cannot be changed, or it predicts nothing.
    """
    own = service.analysis(("attributed input", *key), lambda model: model.read_trace(trace))
    names = service.model.answer_names(own.next_ids)
    place = len(names) - 1
    if trace.classes is None:
        label = say("circuits.lens.position", "Next token")
        if service.model.task == "fill":
            label = say("circuits.lens.token", "Token")
        first = place if service.model.task == "complete" else own.metric.places(own.outputs)[0]
        options = map_labels.token_options(names)
        place = map_labels.index_of(widgets.select(label, options, "position", map_labels.to_id(first), width=220))
    result = _integrate(service, trace, own, place if trace.classes is None else -1, key)
    if result is None:
        return
    ((stack, values),) = result.attributions.items()
    labels = result.labels[stack]
    title = say("models.attribution.share", "share of the logit")
    strongest = np.sort(np.argsort(-np.abs(values), kind="stable")[:MOST_ROWS])
    numbered = map_labels.numbered(labels)
    columns = [
        tables.name_column(terms.TOKEN(), [numbered[at] for at in strongest]),
        tables.bar_column(title, values[strongest], float(np.abs(values).max()), "difference"),
    ]
    name = say("models.attribution.table", "Tokens by their share of the logit")
    caption(PAGE, "measured", token=quoted(names[place]), shown=len(strongest), count=len(values))
    tables.render_table(columns, name)
    with st.container(horizontal=True):
        header = [say("circuits.position", "position"), terms.TOKEN(), title]
        rows = [(at + 1, literal.token(label), float(values[at])) for at, label in enumerate(labels)]
        files.csv(header, rows, "integrated-gradients", say("models.attribution.csv", "All tokens as CSV"))
        arrays = {table: each.values for table, each in result.tables.items()}
        arrays |= {"value": np.array(result.value), "baseline": np.array(result.baseline)}
        files.npz("integrated-gradients", lambda: arrays, say("models.attribution.npz", "All tokens as NPZ"))
    change = result.value - result.baseline
    caption(
        PAGE,
        "completeness",
        value=three_digits(result.value),
        baseline=three_digits(result.baseline),
        total=three_digits(float(values.sum())),
        missing=percent(abs(result.gap / change)) if change else three_digits(abs(result.gap)),
        points=result.points,
    )


def _integrate(
    service: Service[OpenedModel], trace: HubTrace, own: TracedInput, place: int, key: tuple
) -> IntegratedGradients | None:
    """Compute the shares; None, after rendering the time that it takes, if the user has to agree."""
    wanted = ("integrated", *key, place)
    known, seconds, runs = service.analyses.get(wanted) is not None, 0.0, BACKWARD * count_points()
    if not known:
        estimated = service.analysis(
            ("estimate integrated", *key), lambda model: time_runs(model.resumable, own.experiment(), runs)
        )
        seconds = estimated.seconds
    slot = may_begin(
        "integrate",
        seconds,
        ASK_FROM,
        known=known,
        question=block(PAGE, "ask", seconds=max(1, round(seconds))),
        label=say("models.attribution.integrate", "Integrate the gradients"),
    )
    if slot is None:
        return None
    result = service.analysis_in_steps(wanted, lambda model: model.integrated_gradients_in_steps(trace, position=place))
    slot.empty()
    return result


def render_rollout(service: Service[OpenedModel], trace: HubTrace, key: tuple) -> None:
    """Render rollout up to a layer: of one position as a strip, and of all as a map.

    Raises:
        OpenError: the trace lacks some layers, or not all layers have attention.
    """
    kinds = {name: kind for name, kind in labelled_kinds(trace).items() if name in _square_kinds(trace)}
    name = next(iter(kinds))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        if len(kinds) > 1:
            names = sentence_input.kind_names(kinds)
            name = widgets.pick(say("kind.label", "Attention"), names, "rolledkind", varies=True)
        help = " ".join(block(PAGE, "fusion-help").split())
        label = say("vision.fusion", "Rollout fuses heads by")
        fusion: Fusion = widgets.pick(label, FUSIONS, "fusion", help=help)
        weights = trace.records[name].weights
        layers = [map_labels.to_id(layer) for layer in range(len(weights))]
        upto = widgets.select(say("vision.upto", "Up to layer"), layers, "upto", layers[-1], width=110)
        tokens = trace.tokens("target" if trace.target is not None and name == "decoder" else "source")
        labels = tokens.labels
        options = map_labels.token_options(map_labels.row_names(labels, tokens.chosen))
        place = widgets.select(terms.TOKEN(), options, "rolled", map_labels.to_id(len(labels) - 1), width=220)
    rolled = service.analysis(("rollout", *key, name, fusion), lambda model: model.rollout(trace, name, fusion))
    layer, row = map_labels.index_of(upto), map_labels.index_of(place)
    title = say("models.rollout.one", "Share of each token in this one: rollout up to layer {layer}", layer=upto)
    strip = decoding_steps.weighted_tokens(labels, rolled[layer, row].tolist(), name)
    st.html(generated_tokens.label(title) + strip)
    query, read = say("models.rollout.row", "token in this layer"), say("models.rollout.column", "token of the input")
    item = RowMatrix(
        say("models.rollout.map", "Rollout up to layer {layer}", layer=upto),
        rolled[layer],
        name,
        list(map(literal.token, labels)),
        list(map(literal.token, labels)),
        query,
        read,
        signed=False,
        cursor=(row, int(rolled[layer, row].argmax())),
    )
    if len(labels) <= MOST_POSITIONS:
        attention_map([item], "rollout")
    with st.container(horizontal=True):
        if len(labels) <= MOST_POSITIONS:
            files.matrices([item], item.name, "rollout")
        arrays = {"rollout": rolled, "tokens": np.array(labels)}
        files.npz("rollout", lambda: arrays, say("models.rollout.npz", "All layers as NPZ"))
    check = service.analysis(("rollout check", *key, name, fusion, row), _check, weights, fusion, row)
    fold_check(
        PAGE,
        "rollout-check",
        rollout=checks.format_difference("rollout", check.max_difference),
        rows=checks.format_difference("row sums", check.row_sum_error),
    )


def _check(_: OpenedModel, weights: np.ndarray, fusion: Fusion, position: int) -> RolloutCheck:
    return check_rollout(weights, fusion, position)
