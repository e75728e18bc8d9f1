"""All heads of an opened model, ranked by what ablating each does to its score on this input."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from model import HubTrace, OpenError
from model.attribution.head_labels import PICTURES, TEXT
from model.causal.causal_error import CausalError
from model.causal.composition import CompositionScores, CopyingScores, composition_in_steps, copying_scores_in_steps
from model.causal.head_replacement import PAIRS_AMONG, SAMPLES, HeadAblation, Replacement
from model.causal.patching_estimate import PatchingEstimate, time_runs
from model.causal.repeated_ids import RepeatedIdScores
from model.hub.ablation import ablate_in_steps, measure_heads, score_heads
from model.hub.opened_model import OpenedModel, TraceInput
from model.runtime.progress import InSteps
from pages.models.attention_labels import labelled_kinds, named_maps
from pages.shared import checks, files
from pages.shared.causes.asking import may_begin, may_run
from pages.shared.causes.precision import runs_in_half
from pages.shared.fragments import fragment
from pages.shared.head_ranking import head_list, head_rows
from pages.shared.head_ranking.replacement import NAMES, choose_replacement, render_replaced_heads
from pages.shared.head_ranking.weight_scores import WeightScores, render_weight_scores
from pages.shared.service import Service
from pages.shared.texts import block, caption, fold_check, paragraph
from views.controls import samples, sentence_input, widgets
from views.controls.picture_input import chosen_sample
from views.export.downloads import HeadMap
from views.text import literal, prose
from views.text.catalogue import Message, say, say_error
from views.viewer.attention_maps import AttentionMaps


@fragment
def render(
    service: Service[OpenedModel], trace: HubTrace, trace_input: TraceInput, options: Mapping[str, Any], key: tuple
) -> None:
    """Render the list, and the scores of the open head. A change of its settings reruns only this fragment.

    Args:
        trace_input, options: the input and keyword arguments of the trace.
        key: identifies the trace.
    """
    answer = None if trace.classes is None else int(trace.answers.reshape(-1).argmax())
    changes = service.analysis_in_steps(
        ("ablated", *key),
        lambda model: ablate_in_steps(model, trace, trace_input, options, answer, labelled_kinds(trace)),
    )
    study = head_rows.load_study(service.model.weights_sha256)
    scores = {kind: score_heads(trace, kind) for kind in changes}
    heads = head_rows.list_heads(changes, scores, study.statistics, service.model.layers)
    ranked = head_list.rank_heads(heads, "sort", "shown")
    change = say("models.change", "change of the loss")
    if answer is not None:
        change = say("models.change.class", "change of -ln p of the class")
        if trace.form == "scores":
            change = say("models.change.score", "change of the score")
    headings = say("models.map", "Map"), change, say("models.here", "Label here")
    maps = named_maps(trace)
    head_list.render(ranked, study, maps, headings, name="opened-heads")
    overview, opened = st.columns([5, 4], gap="large")
    with overview:
        table = st.container()
        weights = score_weights(service)
    with table:
        head_list.render_table(ranked, study, change, "opened-heads", weights.columns())
    with opened:
        _render_files(maps, ranked.opened)
        head_list.render_scores(ranked.opened, study)
        render_weight_scores(weights, ranked.opened)
        _render_study(trace, ranked.opened, study)
    text = "ablation" if answer is None else "ablation-score" if trace.form == "scores" else "ablation-classes"
    st.markdown(prose.block("models", text))
    if trace.picture_text is None and "ablate" in service.model.capabilities:
        render_replaced(service, trace, trace_input, options, key)
    with st.expander(say("ranking.patterns", "What each pattern is")):
        st.markdown(head_list.labelling_text(TEXT if trace.grid is None else PICTURES))
        paragraph("heads" if trace.grid is None else "vision_heads", "patterns")


def _render_study(trace: HubTrace, head: head_rows.Head, study: head_rows.LoadedStatistics) -> None:
    """Render entropy and distance of the open head, for this input and in the study."""
    if study.statistics is None:
        return
    values = {name: float(table[head.layer, head.head]) for name, table in measure_heads(trace, head.kind).items()}
    if (
        not values or values.keys() != head.measures.keys()
    ):  # a query of this text has a single key, or the study lacks them
        return
    for name, (mean, spread) in head.measures.items():
        values |= {f"{name}_mean": mean, f"{name}_spread": spread}
    unit = say("models.unit.pixels", "pixels") if trace.grid is not None else say("models.unit.tokens", "tokens")
    caption("models", "study", heading=study.heading, unit=unit, hash=study.statistics.weights_sha256[:12], **values)


def _render_files(maps: AttentionMaps, head: head_rows.Head) -> None:
    """Render downloads of the open head's map."""
    picture = HeadMap(maps[head.kind], (head.layer, head.head))
    layer, number = picture.maps.ids(picture.place)
    files.map_files(picture, name=f"{head.kind}-layer-{layer}-head-{number}")


# Scores of an opened model's heads that need no text: on repeated ids at once, from all weights where it is quick.

ASK_FROM = 5.0  # seconds
OPERATIONS = 2e10  # a second, on one core


def score_weights(service: Service[OpenedModel]) -> WeightScores:
    """Score all heads; what takes long is asked for, and what this model does not have is stated in a sentence."""
    if service.model.vision or service.model.text_refusal is not None:  # no ids to repeat
        return WeightScores()
    repeated = service.network_result(("repeated ids",), _score_repeated)
    if isinstance(repeated, CausalError):
        st.caption(literal.markdown(say_error(repeated)))
        return WeightScores()
    keys = ("copying scores",), ("composition",)
    known = all(service.analyses.get(key) is not None for key in keys)
    seconds = _count_operations(service.model) / OPERATIONS
    slot = may_begin(
        "matrices",
        seconds,
        ASK_FROM,
        known=known,
        question=block("models", "matrices-ask", seconds=round(seconds)),
        label=say("models.matrices.read", "Read the matrices"),
    )
    if slot is None:
        return WeightScores(repeated)
    copying: CopyingScores | CausalError = service.analysis_in_steps(keys[0], _score_copying)
    composed: CompositionScores | CausalError = service.analysis_in_steps(keys[1], _compose)
    slot.empty()
    reasons = {say_error(each) for each in (copying, composed) if isinstance(each, CausalError)}
    for reason in sorted(reasons):
        st.caption(literal.markdown(reason))
    return WeightScores(
        repeated,
        None if isinstance(copying, CausalError) else copying,
        None if isinstance(composed, CausalError) else composed,
    )


def _count_operations(model: OpenedModel) -> float:
    """Multiplications and additions that it takes to read all matrices by running layers on basis vectors."""
    config = model.config.get_text_config()
    width = float(getattr(config, "hidden_size", 0) or 0)
    return 8 * width * model.parameters


def _score_repeated(model: OpenedModel) -> RepeatedIdScores | CausalError:
    try:
        return model.head_scores()
    except CausalError as error:
        return error


def _score_copying(model: OpenedModel):
    try:
        return (yield from copying_scores_in_steps(model.resumable))
    except CausalError as error:
        return error


def _compose(model: OpenedModel):
    try:
        return (yield from composition_in_steps(model.resumable))
    except CausalError as error:
        return error


# Heads of an opened model replaced by zero, by their mean over other inputs, or by outputs from these; and pairs.

PAGE = "models_heads"
MOST_TEXTS = 32
REPLACEMENTS: dict[Replacement, Message] = NAMES | {
    "mean": Message("models.replaced.mean", "Mean of other inputs"),
    "resample": Message("models.replaced.resample", "Other inputs"),
}
CHANGES = {
    "nats": Message("heads.replaced.change", "change of the loss"),
    "probability": Message("vision.change.probability", "change of the probability"),
    "logits": Message("vision.change.logit", "change of the logit"),
}


@dataclass(frozen=True)
class OtherInputs:
    """Inputs whose heads' outputs are used."""

    names: tuple[str, ...] = ()  # texts, or names of sample pictures
    of_pictures: bool = False
    language: str | None = None  # that the model writes, where it has several

    def trace(self, model: OpenedModel) -> list[HubTrace]:
        """Trace all.

        Raises:
            OpenError: one cannot be used.
        """
        if self.of_pictures:
            return [model.trace(samples.picture(name).image) for name in self.names]
        return [model.trace(text, target_language=self.language) for text in self.names]


def render_replaced(
    service: Service[OpenedModel], trace: HubTrace, trace_input: TraceInput, options: Mapping[str, Any], key: tuple
) -> None:
    """Render the choice of a replacement, and once there is one its result, or a sentence that states why not.

    Args:
        trace_input, options: the input and keyword arguments of the trace.
        key: identifies the trace.
    """
    st.header(say("heads.replaced", "Other replacements, and pairs"), anchor=False)
    paragraph(PAGE, "replaced")
    chosen = choose_replacement(REPLACEMENTS)
    if chosen is None:
        return
    others = OtherInputs()
    if chosen != "zero":
        others = choose_others(service.model, trace_input, options)
        if not 0 < len(others.names) <= MOST_TEXTS:
            st.info(say("models.replaced.count", "Type 1 to {most} other texts, one a line.", most=MOST_TEXTS))
            return
    try:
        result = replace_heads(service, trace, chosen, others, key)
    except (CausalError, OpenError) as error:
        st.info(literal.markdown(say_error(error)))
        return
    if result is None:
        return
    inputs = block(PAGE, "pictures" if others.of_pictures else "texts", count=len(others.names))
    note = block(PAGE, f"replaced-{chosen}", inputs=inputs, samples=SAMPLES, reference=result.reference)
    names = sentence_input.kind_names(labelled_kinds(trace))
    render_replaced_heads(result, names, CHANGES[result.metric.unit](), note)
    nothing = checks.format_stream_difference("head by its own output", result.nothing, runs_in_half(service))
    fold_check(PAGE, "replaced-check", nothing=nothing)


def choose_others(model: OpenedModel, trace_input: TraceInput, options: Mapping[str, Any]) -> OtherInputs:
    """Render the box for other texts; pictures are compared with the other samples."""
    if model.vision:
        own = chosen_sample()
        return OtherInputs(tuple(name for name in samples.usable()[0] if name != own), True)
    proposed = [text for text in sentence_input.EXAMPLES if text != trace_input]
    typed = widgets.paragraphs(
        say("models.replaced.others", "Other texts, one a line"), "othertexts", "\n".join(proposed), height=150
    )
    texts = dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip())
    return OtherInputs(tuple(texts), language=options.get("target_language"))


def replace_heads(
    service: Service[OpenedModel], trace: HubTrace, replacement: Replacement, others: OtherInputs, key: tuple
) -> HeadAblation | None:
    """Replace every head, and pairs of those that matter most; None, after asking, if the user has to agree.

    Raises:
        CausalError: this model's heads cannot be replaced.
        OpenError: another input cannot be used.
    """
    wanted = ("heads replaced", *key, replacement, others)
    known = service.analyses.get(wanted) is not None
    heads = sum(layers * count for layers, count, *_ in service.model.shapes_of(trace).values())
    pairs = math.comb(min(PAIRS_AMONG, heads), 2)
    runs = (2 * heads + pairs) * (SAMPLES if replacement == "resample" else 1)
    estimate = PatchingEstimate(runs, 0.0)
    if not known and estimate.asks_first:
        estimate = service.analysis(("estimate replaced", *key, runs), _estimate, trace, runs)
    slot = may_run(
        "replace", estimate, known=known, label=say("models.replaced.measure", "Replace the heads"), page=PAGE
    )
    if slot is None:
        return None

    def compute(model: OpenedModel) -> InSteps[HeadAblation]:
        return (yield from model.replace_heads_in_steps(trace, replacement, others=others.trace(model)))

    result = service.analysis_in_steps(wanted, compute)
    slot.empty()
    return result


def _estimate(model: OpenedModel, trace: HubTrace, runs: int) -> PatchingEstimate:
    return time_runs(model.resumable, model.read_trace(trace).experiment(), runs)
