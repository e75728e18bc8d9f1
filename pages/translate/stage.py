"""The stage of the home page: one picture of the translation, which reacts to every choice in the browser."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import DecodingOptions, HeadInterventions, InterventionError, Trace
from model.pulling.pulled_trace import PulledTrace, trace_pulls_in_steps
from model.pulling.pulls import delta_of_weight, heads_in_scope
from model.runtime.arrays import softmax
from model.tracing.head_interventions import Heads, Pull
from pages.shared import files, pull_sentences, pulling, requests
from pages.shared.causes.saved_result import ResultFiles, ResultSource, build_archive
from pages.shared.doubt import doubt_of_trace, note_html
from pages.shared.fragments import fragment
from pages.shared.opened_layer import open_requested
from pages.shared.page_header import pulled_translation_html, translation_html
from pages.shared.provenance import view_link
from pages.shared.pull_sentences import PulledPlaces
from pages.shared.requests import Answer, Channel, OutdatedError, RefusedError
from pages.shared.service import Service
from pages.translate.candidates import chances, shown_chances
from views.components import stage_examples
from views.components.component import labels
from views.components.requests import INVALID, answers
from views.components.stage import (
    MOST_PULLS,
    WORDS,
    Stage,
    StageRequest,
    TypedSentence,
    map_title,
    stage,
    stage_choices,
)
from views.components.stage_changes import PulledStage
from views.components.stage_examples import ADDRESS
from views.controls import sentence_input
from views.export import recipes
from views.export.stage_image import StagePicture, stage_drawing
from views.html import generated_tokens
from views.map_labels import MEAN, index_of, numbered
from views.text import literal, terms
from views.text.catalogue import say, say_error
from views.url_state import bound_settings
from views.viewer.attention_maps import AttentionMaps, from_trace
from views.viewer.payload import float32_numbers

LAYERS = requests.Channel("stage_layer")


@fragment
def render_stage(
    service: Service, entered: Trace, options: DecodingOptions, line: DeltaGenerator, note: DeltaGenerator
) -> None:
    """Render the stage and its translation. Choosing another map runs only this fragment, which sends nothing new.

    Args:
        line, note: empty containers for the translation, and for what its underline means.
    """
    state = requests.state_token(entered.source_text, options)
    trace, typed = follow_typing(service, entered, options, state)
    pulled = follow_requests(service, entered, trace, state)
    opened = LAYERS.answer(state, partial(open_requested, service, trace))
    changes = pulled.pulled if trace is entered else None
    _write_translation(service, trace, pulled.shown if changes else None, line, note)
    maps = from_trace(trace, service.kinds)
    choices = stage_choices(maps)
    chosen = {choice.key: choice.in_component() for choice in choices}
    answered = answers(
        state, pulled.plan.to_text() if changes else "", type=typed, ask=pulled.answers, layer=opened
    ) | ({"leftOut": pulled.left_out} if pulled.left_out else {})
    content = Stage(
        maps,
        shown_chances(service, trace, options),
        trace.target_text,
        choices,
        chosen,
        state,
        stage_examples.proposed(trace.source_text),
        changes,
        answered,
        sentence_input.Decoding(options.method, temperature=options.temperature, seed=options.seed),
        trace.source_text,
        entered.source_text,
    )
    receivers = CHANNEL.receive, TYPING_CHANNEL.receive, LAYERS.receive
    stage(content, "stage", sentence_input.store_selection, *receivers)
    render_files(service, entered, pulled.shown, pulled.plan, chosen)


def _write_translation(
    service: Service, trace: Trace, pulled: Trace | None, line: DeltaGenerator, note: DeltaGenerator
) -> None:
    """Write the translation that is shown: of what is typed, or under pulls with the changed words marked."""
    if pulled is None:
        doubt = doubt_of_trace(service, trace)
        line.html(translation_html(doubt))
        explained = note_html(service, [doubt])
    else:
        line.html(pulled_translation_html(pulled.target_text, trace.target_text))
        explained = ""
    if explained:
        note.html(explained)
    else:
        note.empty()


# Pulls on the stage: the address that states them, and the answers to what the browser asks.

CHANNEL = Channel("stage_ask")
CHANGES = ("pull", "undo", "reset")  # the actions that change the pulls
ON_PULLS = ("pull", "undo")  # of them, those that depend on the pulls before
_SENTENCE = "pulled_sentence"  # in the session: the sentence of the last run, and its pulls
_LEFT_OUT = "left_out_pulls"  # in the session: the same, and why pulls of the address are not among them


@dataclass(frozen=True, eq=False)
class StageState:
    """What pulls change on the stage, and the answers to the browser."""

    pulled: PulledStage | None
    answers: list[Answer]
    shown: Trace  # everything that was computed for the translation that is shown
    plan: HeadInterventions = HeadInterventions()  # the pulls
    left_out: str = ""  # why pulls of the address are not shown; empty if they are


def follow_requests(service: Service, entered: Trace, shown: Trace, state: str) -> StageState:
    """Return what pulls change of the entered sentence, after the request that came since the last run.

    Args:
        shown: what is typed over the sentence, of which nothing can be pulled; else `entered`.
        state: of the page.
    """
    former, problem = _stored_pulls(service, entered)
    pulls = former

    def compute(request: StageRequest) -> Mapping[str, object]:
        nonlocal pulls
        if request.text != shown.source_text:
            raise OutdatedError
        if shown is not entered:
            raise RefusedError(say("stage.enter-first", "Press Enter, then pull a weight."))
        if request.action in ON_PULLS and request.pulls != HeadInterventions(former).to_text():
            raise OutdatedError
        answer, changed = answer_request(service, entered, request)
        if request.action in CHANGES:
            pulls = changed
        return answer

    answers = CHANNEL.answer(state, compute)
    text = HeadInterventions(pulls).to_text()
    bound_settings.store_text(ADDRESS, text)
    known = st.session_state[_SENTENCE] = entered.source_text, text
    left_out = _remember_problem(known, problem)
    if not pulls:
        return StageState(None, answers, entered, left_out=left_out)
    result = _run(service, entered, pulls)
    plan = HeadInterventions(pulls)
    return StageState(_describe(service, entered, result, pulls), answers, result.after, plan, left_out)


def answer_request(service: Service, trace: Trace, request: StageRequest) -> tuple[dict[str, object], tuple[Pull, ...]]:
    """Return the answer to a request, and the pulls after it; both depend on the request and the sentence alone.

    Raises:
        InterventionError: a pull is impossible, or there are too many.
        RefusedError: the translation has no such place.
    """
    pulls = read_pulls(request.pulls)
    if request.action == "undo":
        return {}, pulls[:-1]
    if request.action == "reset":
        return {}, ()
    if request.action == "control":
        return {"control": _control(service, trace, pulls) if pulls else []}, pulls
    shown = _run(service, trace, pulls).after if pulls else trace
    if not request.fits(from_trace(shown, service.kinds)):
        raise RefusedError(INVALID())
    drawn = _drawn_heads(shown, request)
    heads = heads_in_scope(request.scope, drawn, *shown.records[request.kind].weights.shape[:2])
    pull = Pull(request.kind, heads, request.key, request.query)
    if request.action == "sweep":
        return _sweep(service, trace, shown, pull, drawn, pulls), pulls
    if len(pulls) == MOST_PULLS:
        raise RefusedError(WORDS["mostPulls"](count=MOST_PULLS))
    changed = (*pulls, replace(pull, delta=delta_of_weight(shown, pull, request.weight, drawn)))
    _run(service, trace, changed)
    return {}, changed


def read_pulls(text: str) -> tuple[Pull, ...]:
    """Return the pulls of a text.

    Raises:
        InterventionError: it has none, other changes, or too many.
    """
    if not text:
        return ()
    changes = HeadInterventions.from_text(text).changes
    pulls = tuple(change for change in changes if isinstance(change, Pull))
    if len(pulls) < len(changes):
        raise InterventionError("The stage shows pulls alone; other changes to heads are on the page Compare.")
    if len(pulls) > MOST_PULLS:
        raise InterventionError("There are more than {most} pulls, as many as the stage shows.", most=MOST_PULLS)
    return pulls


def _stored_pulls(service: Service, trace: Trace) -> tuple[tuple[Pull, ...], str]:
    """Return the pulls in the address, and why they are not used if they do not fit this sentence, as a sentence.

    Those of a former sentence are not used either, without a reason.
    """
    sentence, former = st.session_state.get(_SENTENCE, (trace.source_text, ""))
    text = bound_settings.stored_text(ADDRESS)
    if not text or (sentence != trace.source_text and former == text):
        return (), ""
    try:
        pulls = read_pulls(text)
        if pulls:
            _run(service, trace, pulls)
    except InterventionError as error:
        return (), say("stage.left-out", "The pull in the address is left out: {reason}", reason=say_error(error))
    return pulls, ""


def _remember_problem(shown: tuple[str, str], problem: str) -> str:
    """Return why pulls were left out, also in later runs that show the same sentence and pulls; else empty."""
    if problem:
        st.session_state[_LEFT_OUT] = *shown, problem
    *same, text = st.session_state.get(_LEFT_OUT, (*shown, ""))
    return text if tuple(same) == shown else ""


def _run(service: Service, trace: Trace, pulls: tuple[Pull, ...]) -> PulledTrace:
    plan = HeadInterventions(pulls)
    key = ("pulled", trace.source_ids, trace.next_ids, plan.to_text())
    return service.analysis_in_steps(key, trace_pulls_in_steps, trace, plan)


def _sweep(
    service: Service, trace: Trace, shown: Trace, pull: Pull, drawn: Heads, pulls: tuple[Pull, ...]
) -> dict[str, object]:
    """State the token and the translation at each of 17 weights; `shown` is the translation under the earlier pulls."""
    earlier = HeadInterventions(pulls) if pulls else None
    key = ("sweep", trace.source_ids, trace.next_ids, HeadInterventions((*pulls, pull)).to_text(), drawn)
    sweep = service.analysis_in_steps(key, lambda model: model.sweep_pull_in_steps(shown, pull, drawn, earlier=earlier))
    texts = list(dict.fromkeys(each.text for each in sweep.translations))
    return {
        "before": sweep.before,
        "weights": sweep.weights,
        "tokens": [each.chosen and each.chosen.strip() for each in sweep.translations],
        "texts": texts,
        "of": [texts.index(each.text) for each in sweep.translations],
    }


def _drawn_heads(trace: Trace, request: StageRequest) -> Heads:
    layers, heads = trace.records[request.kind].weights.shape[:2]
    own_layers = range(layers) if request.layer == MEAN else [index_of(request.layer)]
    own_heads = range(heads) if request.head == MEAN else [index_of(request.head)]
    return tuple((layer, head) for layer in own_layers for head in own_heads)


def _control(service: Service, trace: Trace, pulls: tuple[Pull, ...]) -> list[str]:
    """State what the same weight on another key does, for the last pull."""
    last, after = pulls[-1], _run(service, trace, pulls).after
    if last.query >= after.records[last.kind].weights.shape[2]:
        return []
    before = _run(service, trace, pulls[:-1]).after if pulls[:-1] else trace
    controlled = pulling.control_last(service, trace, HeadInterventions(pulls), before)
    return list(controlled.sentences()[1:]) if controlled else []  # "You forced this weight" is on the stage already


def _describe(service: Service, trace: Trace, result: PulledTrace, pulls: tuple[Pull, ...]) -> PulledStage:
    last, after = pulls[-1], result.after
    former: list[float] = []
    if last.kind != "encoder" and last.query < min(len(trace.next_ids), len(after.next_ids)):
        probabilities = softmax(trace.logits[last.query].astype(np.float64))
        former = float32_numbers(probabilities[each.id] for each in after.predictions(5)[last.query].top)
    lines = (
        *_describe_earlier(service, trace, pulls),
        pull_sentences.describe_pull(last, PulledPlaces.of(after, last.kind)),
        pull_sentences.describe_loss(result.loss_before, result.loss_after),
    )
    return PulledStage(
        from_trace(after, service.kinds),
        chances(after),
        last.query,
        last.key,
        last.kind,
        trace.target_text,
        after.target_text,
        lines,
        former,
        pull_sentences.forced(len(pulls)),
        len(pulls),
    )


def _describe_earlier(service: Service, trace: Trace, pulls: tuple[Pull, ...]) -> list[str]:
    """Describe the pulls before the last, each with the token at which it was set if another one is there now."""
    try:
        return pulling.describe_pulls(service, trace, HeadInterventions(pulls))[:-1] if len(pulls) > 1 else []
    except InterventionError:
        return []  # of a place that the translation under the others does not have


# Files of the stage: its picture as PNG and SVG, and all weights with the recipe that computes them again.

NAME = "stage"


def render_files(
    service: Service, trace: Trace, shown: Trace, plan: HeadInterventions, chosen: Mapping[str, str]
) -> None:
    """Render a fold with the files of the entered sentence; nothing is computed before it is opened.

    Args:
        trace: of the sentence, without pulls.
        shown: the same under `plan`.
        chosen: the ids of "kind", "layer" and "head".
    """
    fold = st.expander(say("stage.save", "Save the stage"), on_change="rerun", key="stage_files")
    if not fold.open:
        return
    facts = pulling.facts_of_pulls(service, trace, plan)
    fold.html(generated_tokens.note_of_entered(trace.source_text))
    caption: tuple[str, ...]
    if fold.toggle(say("stage.save.caption", "Caption with the sentence"), value=True, key="stage_caption"):
        caption = _caption(trace, shown, facts, chosen)
    else:  # a forced weight is stated in every picture
        caption = () if facts is None else (pull_sentences.forced(len(facts.pulls)),)
    picture = _picture(service, shown, plan, chosen, caption)
    result = _collect_numbers(service, shown)
    source = ResultSource("", service.model.weights_sha256, _facts(trace, shown, plan), _recipe(service, trace, plan))
    link = view_link("")
    with fold, st.container(horizontal=True):
        files.pictures(lambda: stage_drawing(picture), NAME)
        zip_label = say("circuits.zip", "With recipe and link as ZIP")
        files.download(zip_label, lambda: build_archive(result, source, link), f"{NAME}.zip")


def _caption(trace: Trace, shown: Trace, facts: pulling.PullFacts | None, chosen: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sentences below the picture: sentence, translations, pulls and their control, what a ribbon is."""
    text = literal.visible(shown.target_text)
    notes = pull_sentences.READS(), pull_sentences.mean_of_heads(_averaged(shown, chosen))
    if facts is None:
        sentence = say(
            "stage.caption", "{sentence} \u2192 {text}", sentence=literal.visible(trace.source_text), text=text
        )
        return (sentence, *filter(None, notes))
    former = literal.visible(trace.target_text)
    return (
        pull_sentences.caption_of_pulls(trace.source_text, facts.pulls, facts.control),
        say("stage.caption.pulled", "Now: {text} Before: {former}", text=text, former=former),
        *filter(None, notes),
    )


def _averaged(shown: Trace, chosen: Mapping[str, str]) -> int:
    layers, heads = shown.records[chosen["kind"]].weights.shape[:2]
    return (layers if chosen["layer"] == MEAN else 1) * (heads if chosen["head"] == MEAN else 1)


def _drawn(maps: AttentionMaps, chosen: Mapping[str, str]) -> Iterator[tuple[str, np.ndarray]]:
    """Return the drawn map of each kind: of others than the chosen one, the mean of the last layer's heads."""
    for name, own in maps.items():
        layer, head = (chosen["layer"], chosen["head"]) if name == chosen["kind"] else (own.layer_ids[-2], MEAN)
        yield name, own.mean(*own.place(layer, head))


def _picture(
    service: Service, shown: Trace, plan: HeadInterventions, chosen: Mapping[str, str], caption: tuple[str, ...]
) -> StagePicture:
    maps = from_trace(shown, service.kinds)
    last = plan.changes[-1] if plan.changes else None
    return StagePicture(
        map_title(maps[chosen["kind"]], chosen["layer"], chosen["head"]),
        chosen["kind"],
        dict(_drawn(maps, chosen)),
        labels(shown.source_tokens),
        labels(shown.next_tokens),
        labels(maps["decoder"].keys.labels[:1])[0],
        (last.kind, last.query, last.key) if isinstance(last, Pull) else None,
        caption,
    )


def _collect_numbers(service: Service, shown: Trace) -> ResultFiles:
    arrays = {kind: shown.attention(kind) for kind in service.kinds}
    axes = {kind: tuple(map(numbered, shown.axes(kind))) for kind in arrays}
    chosen = {kind: list(map(literal.token, shown.chosen_at(kind))) or [""] * len(axes[kind][0]) for kind in arrays}

    def rows() -> list[list[object]]:
        return [
            [kind, layer + 1, head + 1, axes[kind][0][query], axes[kind][1][key], float(weight), chosen[kind][query]]
            for kind, weights in arrays.items()
            for (layer, head, query, key), weight in np.ndenumerate(weights)
        ]

    header = [say("kind.label", "Attention"), terms.LAYER(), terms.HEAD(), terms.QUERY(), terms.KEY(), terms.WEIGHT()]
    header.append(say("column.chosen", "chosen"))
    check = {kind: float(shown.records[kind].verification.max_difference) for kind in arrays}
    return ResultFiles(NAME, header, rows, lambda: arrays, check, ("", ""))


def _facts(trace: Trace, shown: Trace, plan: HeadInterventions) -> dict[str, object]:
    facts: dict[str, object] = {"sentence": trace.source_text, "translation": shown.target_text}
    return facts | ({"pulls": plan.to_text(), "translation_without": trace.target_text} if plan.changes else {})


def _recipe(service: Service, trace: Trace, plan: HeadInterventions) -> recipes.Lines:
    model = service.model
    return recipes.of_stage(trace.source_text, trace.next_ids, plan.to_text(), model.loaded_by, model.weights_sha256)


# What is typed in the sentence box before it is entered: translated on the stage, and nowhere else.
#
# It is in neither the address nor the settings of the page, so that no history entry is made while the user types.

TYPING_CHANNEL = Channel("stage_type")
_TYPED = "stage_typed"  # in the session: the state of the page, and what is typed over its sentence


def follow_typing(service: Service, entered: Trace, options: DecodingOptions, state: str) -> tuple[Trace, list[Answer]]:
    """Return the trace of what is typed over the entered sentence, and the answers to the browser.

    The trace is `entered` itself if nothing is typed. Text that cannot be translated is refused and changes nothing.
    """
    answers = TYPING_CHANNEL.answer(state, partial(_take, service, entered))
    typed_over, text = st.session_state.get(_TYPED, ("", ""))
    if text and typed_over != state:
        del st.session_state[_TYPED]  # another sentence was entered: coming back to this one shows it alone
        text = ""
    return (service.trace(text, options) if text else entered), answers


def _take(service: Service, entered: Trace, request: TypedSentence) -> dict[str, object]:
    """Store the text of a request as what is typed; the entered sentence counts as nothing.

    Raises:
        InputError: the text cannot be translated.
    """
    same = request.text.strip() in ("", entered.source_text.strip())
    if not same:
        service.tokens(request.text)
    st.session_state[_TYPED] = request.state, "" if same else request.text
    return {}
