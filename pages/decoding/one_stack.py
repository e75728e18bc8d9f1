"""One sentence through two networks: an encoder with a decoder, and a single stack that reads both as one sequence."""

from collections.abc import Callable

import streamlit as st

from model.lessons.one_stack_heldout import BOTH, DECODER_ONLY, OneStackStudy, load_one_stack
from model.runtime.checkpoint import CheckpointError
from model.tracing.language_trace import LanguageTrace
from pages.decoding import stack_alignment, stack_copying, stack_prefix, stack_scores
from pages.decoding.stack_heads import StackRequest
from pages.shared import files
from pages.shared.doubt import doubt_of_steps, render_note
from pages.shared.experiment import render_experiment
from pages.shared.models import open_language
from pages.shared.page_header import Request
from pages.shared.texts import column_with_text, warn_if_cut_off
from views.controls import widgets
from views.html import bars, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say, say_error

NAMES = {
    "transformer": Message("one-stack.network.transformer", "encoder and decoder"),
    DECODER_ONLY: Message("one-stack.network.decoder-only", "decoder-only"),
}
VIEWS = {
    "alignment": Message("one-stack.view.alignment", "Alignment"),
    "copying": Message("one-stack.view.copying", "Names and numbers"),
    "prefix": Message("one-stack.view.prefix", "Prefix mask"),
    "scores": Message("one-stack.view.scores", "First token and induction"),
}
RENDERERS: dict[str, Callable[[StackRequest], dict[str, object] | None]] = {
    "alignment": stack_alignment.render_alignment,
    "copying": stack_copying.render_copying,
    "prefix": stack_prefix.render_prefix,
    "scores": stack_scores.render_scores,
}


def render(request: Request) -> None:
    """Show both translations, and one of four views of the heads of the single stack."""
    language = open_language()
    with column_with_text("decoding", "one-stack"):
        _render_translations(request)
    view = widgets.pick(say("one-stack.view", "What is shown"), VIEWS, "one_stack")
    trace = request.trace()
    forced = language.trace_of_ids(request.text, trace.next_ids)  # the same tokens on both sides
    assert isinstance(forced, LanguageTrace)
    result = RENDERERS[view](StackRequest(request, language, trace, forced, _study_or_warning(request)))
    render_experiment("decoding-one-stack", {"one_stack": "prefix"}, result)


def _render_translations(request: Request) -> None:
    header = [
        say("history.column.network", "network"),
        say("column.translation", "translation"),
        say("column.tokens", "tokens"),
        say("one-stack.column.loss", "\u2212ln p per token"),
    ]
    services = dict(zip(BOTH, (request.service, open_language()), strict=True))
    cells: list[list[bars.Value]] = []
    rows, doubts = [], []
    for name, service in services.items():
        steps = service.steps(request.text, request.options)
        ids, doubt = steps[-1].ids, doubt_of_steps(service, request.text, steps)
        warn_if_cut_off(service.has_ended(ids), "of", at=request.notice, side=NAMES[name]())
        trace = service.trace_of_ids(request.text, ids)
        loss = float(service.model.score(trace)[-len(ids) :].mean())
        cells.append(
            [NAMES[name](), generated_tokens.sentence_cell(doubt.text or "\u2014", doubt.spans), len(ids), loss]
        )
        rows.append([NAMES[name](), doubt.text, len(ids), loss])
        doubts.append(doubt)
    st.html(bars.table(header, cells, say("one-stack.translations", "Both translations"), whole=True))
    render_note(request.service, doubts)
    files.csv(header, rows, "both-translations", say("one-stack.translations.csv", "Translations as CSV"))


def _study_or_warning(request: Request) -> OneStackStudy | None:
    """Return what was measured over held-out sentences, or warn on the page and return None."""
    models = dict(zip(BOTH, (request.service.model, open_language().model), strict=True))
    hashes = {name: model.weights_sha256 for name, model in models.items()}
    try:
        return open_language().network_result(("one stack study",), lambda _: load_one_stack(hashes))
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return None
