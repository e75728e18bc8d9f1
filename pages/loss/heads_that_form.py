"""A small translator at steps of its training, on the user's sentence: translation, losses, and every head."""

import math
from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from model import CheckpointError, Trace
from model.lessons.head_formation import (
    RAISING,
    FormationRun,
    FormationStudy,
    SentenceAtStep,
    follow_training_in_steps,
    load_formation,
)
from model.position_translator import FIRST, PositionTranslator, is_shipped
from model.runtime.progress import InSteps
from pages.loss import formed_heads
from pages.loss.formed_heads import ROLE_NAMES
from pages.shared import checks, files
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment, token_value
from pages.shared.fragments import fragment
from pages.shared.head_ranking.head_rows import PATTERNS
from pages.shared.models import open_positions
from pages.shared.page_header import Request
from pages.shared.requests import state_token
from pages.shared.service import Service
from pages.shared.target_input import choose_target
from pages.shared.texts import block, fold_check, paragraph
from pages.translate.candidates import place_chances
from views.components.formation_stage import (
    STEP,
    FormationStage,
    Role,
    StageAtStep,
    formation_choices,
    formation_stage,
)
from views.controls import sentence_input
from views.text import literal
from views.text.catalogue import Message, say, say_error
from views.text.numbers import grouped, three_digits
from views.url_state import bound_settings
from views.viewer.attention_maps import AttentionMaps, KindMaps, from_trace

MOST_TOKENS = 40  # of a side, `</s>` not counted: twelve times the maps of a longer sentence are megabytes
MARKS = {
    "alignment": Message("formation.mark.alignment", "A"),
    "previous token": Message("formation.mark.previous", "P"),
    "end of sentence": Message("formation.mark.end", "E"),
    RAISING: Message("formation.mark.raising", "R"),
}


def render(request: Request) -> None:
    """Show the sentence at every step, and below it when heads form; one sentence where files are missing."""
    if not is_shipped(FIRST):
        st.info(block("loss", "formation-missing"))
        return
    service = open_positions(FIRST)
    try:
        study = service.network_result(("formation",), _read_study)
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return
    trace = choose_target(request)
    if trace is not None:
        _render_sentence(request, service, study, trace)
    formed_heads.render_formed_heads(study)


def _read_study(model: PositionTranslator) -> FormationStudy:
    return load_formation(model.folder, model.weights_sha256)


def _render_sentence(
    request: Request, service: Service[PositionTranslator], study: FormationStudy, trace: Trace
) -> None:
    count = max(len(trace.source_ids), len(trace.next_ids)) - 1
    if count > MOST_TOKENS:
        st.info(block("loss", "formation-too-long", count=count, most=MOST_TOKENS))
        return
    key = ("at steps of training", trace.source_ids, trace.next_ids)
    try:
        steps = service.analysis_in_steps(key, _follow, study.snapshots_sha256, trace.source_ids, trace.next_ids)
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return
    _render_steps(request, trace, study, steps)
    config = service.model.config
    sizes = {"vocabulary": grouped(config.vocabulary_size), "parameters": grouped(service.model.parameters)}
    uniform = math.log(config.vocabulary_size)
    sentences = grouped(study.sentences)
    paragraph("loss", "heads-that-form", **sizes, steps=len(steps), sentences=sentences, uniform=uniform)


def _follow(
    model: PositionTranslator, hashes: Mapping[int, str], source: Sequence[int], following: Sequence[int]
) -> InSteps[list[SentenceAtStep]]:
    sizes = model.config, model.tokenizer, model.folder
    return follow_training_in_steps(*sizes, hashes, source, following, str(model.device))


@fragment
def _render_steps(request: Request, trace: Trace, study: FormationStudy, steps: Sequence[SentenceAtStep]) -> None:
    """Show the stage; choosing a step or a map runs this fragment alone, which sends nothing new."""
    run = study.runs[0]
    maps = _maps_at(from_trace(trace, request.service.kinds), steps[-1])
    choices = formation_choices(maps, [step.step for step in steps])
    chosen = {choice.key: choice.in_component() for choice in choices}
    roles = [Role(name(), MARKS[role]()) for role, name in ROLE_NAMES.items()]
    stages = [_stage_at(step, run, place) for place, step in enumerate(steps)]
    state = state_token(request.text, request.options)
    content = FormationStage(maps, stages, roles, choices, chosen, state)
    formation_stage(content, "formation_stage", sentence_input.store_selection)
    step = next(step for step in steps if str(step.step) == chosen[STEP])
    _render_result(run, steps, step)
    worst = max(each.verification.max_difference for each in steps)
    fold_check(
        "loss",
        "check-formation",
        steps=len(steps),
        difference=checks.format_difference("attention", worst),
        cached=checks.format_difference("cached logits", max(each.difference for each in steps)),
    )
    header = [formed_heads.STEP(), say("column.translation", "translation")]
    header += [say("formation.column.mean", "\u2212ln p, mean"), *map(literal.token, trace.next_tokens)]
    rows = [[each.step, each.text, float(each.losses.mean()), *map(float, each.losses)] for each in steps]
    files.csv_and_table(header, rows, "steps-of-training", key="steps_table")
    values = {"sentence": request.text, "next_ids": trace.next_ids, "step": step.step}
    render_program("loss", "heads-that-form", **values)


def _maps_at(maps: AttentionMaps, step: SentenceAtStep) -> AttentionMaps:
    """The maps of a step, on the axes of the same tokens in the translator's trace."""
    kinds = {
        name: KindMaps(own.kind, step.weights[name], own.queries, own.keys, tuple(range(len(step.weights[name]))))
        for name, own in maps.items()
    }
    return AttentionMaps(kinds)


def _stage_at(step: SentenceAtStep, run: FormationRun, place: int) -> StageAtStep:
    roles, order = run.roles(place), list(ROLE_NAMES)
    return StageAtStep(
        step.step,
        step.weights,
        [place_chances(row) for row in step.predictions],
        step.losses,
        step.text,
        step.finished,
        {kind: [[PATTERNS[name]() for name in row] for row in labels[place]] for kind, labels in run.labels.items()},
        {kind: [[[order.index(role) for role in own] for own in row] for row in own] for kind, own in roles.items()},
        run.heldout[place],
    )


def _render_result(run: FormationRun, steps: Sequence[SentenceAtStep], chosen: SentenceAtStep) -> None:
    """Propose the step at which the first head has formed; nothing if none has."""
    forming = [(heads[0].step, role, heads[0]) for role, heads in run.forms.items() if heads]
    if not forming:
        return
    first, role, head = min(forming, key=lambda each: each[:2])
    result = {
        "step": grouped(first),
        "loss": three_digits(float(chosen.losses.mean())),
        "before": three_digits(float(steps[0].losses.mean())),
        "after": three_digits(float(steps[-1].losses.mean())),
        "translation": token_value(chosen.text or say("formation.nothing", "no token")),
    }
    action = partial(bound_settings.set_value, STEP, str(first))
    names = {"step": grouped(first), "role": ROLE_NAMES[role](), "between": formed_heads.interval_text(head)}
    render_experiment("loss-heads-that-form", action, result if chosen.step == first else None, **names)
