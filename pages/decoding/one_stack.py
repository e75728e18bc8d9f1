"""One sentence through two networks: an encoder with a decoder, and a single stack that reads both as one sequence."""

from collections.abc import Callable
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from model.attribution.alignment_error import count_links
from model.causal.causal_error import CausalError
from model.causal.repeated_ids import RepeatedIdScores, score_heads_on_text
from model.lessons.one_stack import compare_prefix, copied_tokens, cross_block, following_ids, following_tokens
from model.lessons.one_stack_heldout import BOTH, DECODER_ONLY, OneStackStudy, load_one_stack
from model.runtime.checkpoint import CheckpointError
from model.tracing.language_trace import LanguageTrace
from pages.decoding.stack_heads import HeadTable, StackRequest, describe, place_values, render_head_maps
from pages.shared import checks, files, tables
from pages.shared.charts import metrics
from pages.shared.doubt import Doubt, doubt_of_steps, render_note
from pages.shared.experiment import render_experiment
from pages.shared.models import open_language
from pages.shared.page_header import Request, render_translation
from pages.shared.tables import TableColumn
from pages.shared.texts import block, column_with_text, fold_check, paragraph, warn_if_cut_off
from views import map_labels
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.controls import widgets
from views.html import bars, generated_tokens
from views.text import literal, terms
from views.text.catalogue import Message, say, say_error
from views.text.numbers import grouped, three_digits

# Attention to the first token by layer, and induction and copying scores of the heads of the single stack.

KIND = "decoder"


def render_scores(stack: StackRequest) -> None:
    """Show both."""
    measures = stack.measures()
    st.header(say("one-stack.sinks", "Attention to the first token"), anchor=False)
    paragraph("decoding", "stack-sinks", even=measures.even_first)
    layers = [str(layer + 1) for layer in range(len(measures.first))]
    columns = [
        tables.name_column(terms.LAYER(), layers, "number"),
        tables.bar_column(say("one-stack.sink", "this sentence, mean of heads"), measures.first.mean(axis=1), 1.0),
        tables.bar_column(say("one-stack.sink.most", "this sentence, largest head"), measures.first.max(axis=1), 1.0),
    ]
    if stack.study:
        heldout = stack.study.heads.first.mean(axis=1)
        columns.append(tables.bar_column(say("one-stack.sink.heldout", "held out, mean of heads"), heldout, 1.0))
    tables.render_table(columns, say("one-stack.sinks.table", "Attention to the first token by layer"))
    st.header(say("one-stack.induction", "Scores of induction and copying"), anchor=False)
    paragraph("decoding", "stack-scores")
    random = stack.language.network_result(("head scores",), lambda model: model.head_scores())
    copying = stack.language.network_result(("copying scores",), lambda model: model.copying_scores())
    repeated, scored = _score_text(stack), [("", random)]
    if repeated is not None:
        scored.append((say("one-stack.on-text", "this sentence twice"), repeated))
    maps = [HeadTable(say("one-stack.first.map", "attention to the first token"), measures.first)]
    names = {
        "induction": say("one-stack.score.induction", "induction"),
        "previous": say("one-stack.score.previous", "previous token"),
    }
    for score, name in names.items():
        for where, scores in scored:
            label = where or say("one-stack.on-random", "random ids twice")
            maps.append(HeadTable(f"{name}, {label}", scores.scores[KIND][score]))
    maps.append(HeadTable(say("one-stack.score.copying", "copying score"), copying[KIND], signed=True))
    render_head_maps(maps, "stack_scores", "one-stack-scores")
    induction = random.scores[KIND]["induction"]
    above = int((induction > random.chance[KIND]["induction"]).sum())
    largest = {"largest": three_digits(float(induction.max())), "above": above, "heads": induction.size}
    chance = {"chance": three_digits(random.chance[KIND]["induction"]), "length": random.length, "rows": random.rows}
    worst = max(scores.row_sum_error for _, scores in scored)
    paragraph("decoding", "stack-chance", **chance, **largest)
    rows, traces = checks.format_difference("row sums", worst), checks.format_difference("copying", copying.difference)
    fold_check("decoding", "check-stack-scores", rows=rows, difference=traces)


def _score_text(stack: StackRequest) -> RepeatedIdScores | None:
    """Score the heads on the English sentence twice; None where it is too short or too long, with the reason."""
    ids = list(stack.forced.source_ids[:-1])
    try:
        key = ("head scores on a text", tuple(ids))
        return stack.language.analysis(key, lambda model: score_heads_on_text(model.resumable, ids))
    except CausalError as error:
        st.info(literal.markdown(say_error(error)))
        return None


# A prefix mask on the English part of the sequence, in place of the causal mask, and what it costs.


def render_prefix(stack: StackRequest) -> dict[str, object]:
    """Show the loss of every French token under both masks; return what the experiment states."""
    result = stack.language.lesson(("prefix mask", *stack.key), compare_prefix, stack.forced)
    paragraph("decoding", "stack-prefix")
    causal, prefix = float(result.causal.mean()), float(result.prefix.mean())
    metrics(
        (say("one-stack.causal", "\u2212ln p per French token, causal mask"), causal),
        (say("one-stack.prefix", "the same, prefix mask"), prefix),
    )
    render_translation(
        Doubt(result.translation), say("one-stack.prefix.translation", "Its translation under the prefix mask")
    )
    top = float(max(result.causal.max(), result.prefix.max()))
    columns = [
        tables.token_column(say("column.token", "token"), following_tokens(stack.forced), "fr"),
        tables.bar_column(say("one-stack.column.causal", "\u2212ln p, causal mask"), result.causal, top),
        tables.bar_column(say("one-stack.column.prefix", "\u2212ln p, prefix mask"), result.prefix, top),
        tables.bar_column(say("one-stack.column.change", "change"), result.prefix - result.causal, top),
    ]
    tables.render_table(columns, say("one-stack.losses", "Loss of every French token under both masks"))
    files.csv_and_table(*tables.header_and_rows(columns), "one-stack-prefix", key="stack_prefix_table")
    check = result.after.verification["decoder"]
    fold_check(
        "decoding",
        "check-stack-prefix",
        difference=checks.format_difference("attention", check.max_difference),
        leak=checks.format_difference("mask leak", check.masked_weight),
    )
    if stack.study:
        change = stack.study.prefix_change
        figures = {"causal": stack.study.causal.value, "prefix": stack.study.prefix.value, "change": change.value}
        bounds = {"low": three_digits(change.low), "high": three_digits(change.high)}
        sentences = grouped(stack.study.alignment_sentences)
        paragraph("decoding", "stack-prefix-heldout", **figures, **bounds, sentences=sentences)
    return {"causal": causal, "prefix": prefix}


# Attention of the single stack's heads to names and numbers that are copied.


def render_copying(stack: StackRequest) -> None:
    """Show what is copied and by which head, in this sentence and over held-out sentences."""
    paragraph("decoding", "stack-copying")
    measures, maps = stack.measures(), []
    if measures.copies:
        best = _largest(measures.copied)
        _render_steps(stack, best)
        shares = place_values(best) | {"share": float(measures.copied[best]), "even": measures.even_copied}
        paragraph("decoding", "stack-copied", **shares)
        maps.append(HeadTable(say("one-stack.copied", "attention to what is copied"), measures.copied))
    else:
        st.info(block("decoding", "stack-nothing-copied"))
    if stack.study:
        heldout = stack.study.heads
        maps.append(HeadTable(say("one-stack.copied.heldout", "attention to what is copied, held out"), heldout.copied))
    if maps:
        render_head_maps(maps, "stack_copying", "one-stack-copying")
    if stack.study:
        best = _largest(stack.study.heads.copied)
        values = place_values(best) | {"share": float(stack.study.heads.copied[best])}
        sizes = {"copies": grouped(stack.study.heads.copies), "sentences": grouped(stack.study.alignment_sentences)}
        paragraph("decoding", "stack-copied-heldout", **values, even=stack.study.heads.even_copied, **sizes)


def _render_steps(stack: StackRequest, best: tuple[int, int]) -> None:
    """Show a row for each token that is copied."""
    weights = cross_block(stack.forced)[best]  # (T, S)
    copies = copied_tokens(stack.forced.tokenizer, stack.forced.source_ids, following_ids(stack.forced))
    steps = np.flatnonzero(copies.any(axis=1))
    tokens = following_tokens(stack.forced)
    named = map_labels.describe(*map(map_labels.to_id, best))
    columns = [
        tables.token_column(say("column.generated", "generates"), [tokens[step] for step in steps], "fr"),
        TableColumn(
            say("one-stack.column.place", "place in the English sentence"),
            [", ".join(str(place + 1) for place in np.flatnonzero(copies[step])) for step in steps],
        ),
        tables.bar_column(
            say("one-stack.column.weight", "weight there, {place}", place=named),
            [float(weights[step][copies[step]].sum()) for step in steps],
            1.0,
        ),
    ]
    tables.render_table(columns, say("one-stack.copies", "Copied tokens"))


def _largest(table: np.ndarray) -> tuple[int, int]:
    layer, head = divmod(int(np.nanargmax(table)), table.shape[1])
    return layer, head


# Where alignment is without cross-attention: English columns of self-attention beside the cross-attention.


def render_alignment(stack: StackRequest) -> None:
    """Choose a head of either network; show both maps, the statistical links, and what every head attends to."""
    block, cross, links = cross_block(stack.forced), stack.trace.attention("cross"), stack.links()
    measures = stack.measures()
    paragraph("decoding", "stack-alignment")
    with st.container(horizontal=True, gap="medium"):
        own = _choose(say("one-stack.own", "Decoder-only"), block.shape[:2], "single", measures.aligned)
        other = _choose(say("one-stack.cross", "Cross-attention"), cross.shape[:2], "paired", _aligned(cross, links))
    matrix = partial(
        RowMatrix,
        rows=map_labels.row_names(stack.trace.target_tokens, stack.trace.chosen),
        read=stack.trace.next_tokens,
        attends=True,
        columns=stack.trace.source_tokens,
        row_title=say("history.generated", "generated token"),
        column_title=say("history.read", "source token"),
        signed=False,
    )
    own_title = say("one-stack.map.own", "decoder-only, {place}: English part of self-attention", place=describe(own))
    cross_title = say("one-stack.map.cross", "cross-attention, {place}", place=describe(other))
    items = [
        matrix(own_title, block[own], "decoder", top=1.0),
        matrix(cross_title, cross[other], "cross", top=1.0),
    ]
    if links is not None:
        words = (say("history.links.none", "no link"), say("history.links.one", "linked"))
        items.append(matrix(say("history.links", "statistical links"), links.astype(np.float32), "cross", words=words))
    attention_map(items, "stack_maps", per_row=2)
    name = say("one-stack.pair", "Both networks")
    arrays: dict[str, ArrayLike] = {"decoder_only": block, "cross": cross, "generated": list(stack.trace.next_tokens)}
    arrays |= {"source": list(stack.trace.source_tokens)} | ({} if links is None else {"links": links})
    with st.container(horizontal=True):
        files.matrices(items, name, "one-stack", say("one-stack.maps.pair", "Both maps"))
        files.npz("one-stack", arrays, say("one-stack.npz", "All heads as NPZ"))
    check = stack.forced.verification["decoder"]
    fold_check(
        "decoding",
        "check-one-stack",
        difference=checks.format_difference("attention", check.max_difference),
        rows=checks.format_difference("row sums", check.row_sum_error),
    )
    st.header(say("one-stack.where", "Which heads read English"), anchor=False)
    shares = place_values(measures.aligned) | {"share": float(measures.source[measures.aligned])}
    paragraph("decoding", "stack-where", **shares, even=measures.even_source)
    tables = [HeadTable(say("one-stack.to-english", "attention to English"), measures.source)]
    if not np.isnan(measures.error).all():
        tables.append(HeadTable(say("one-stack.error", "alignment error rate"), measures.error))
    if stack.study:
        heldout = stack.study.heads
        tables.append(HeadTable(say("one-stack.to-english.heldout", "attention to English, held out"), heldout.source))
        tables.append(HeadTable(say("one-stack.error.heldout", "alignment error rate, held out"), heldout.error))
    render_head_maps(tables, "stack_heads", "one-stack-heads")
    if stack.study:
        rate = stack.study.alignment_head.generated
        figures = {"error": three_digits(rate.value), "low": three_digits(rate.low), "high": three_digits(rate.high)}
        sentences = grouped(stack.study.alignment_sentences)
        paragraph("decoding", "stack-heldout", **place_values(stack.study.head), **figures, sentences=sentences)


def _choose(title: str, shape: tuple[int, ...], key: str, first: tuple[int, int]) -> tuple[int, int]:
    """Choose layer and head of a network; return both from 0."""
    labels = (f"{title}, {terms.LAYER()}", f"{title}, {terms.HEAD()}")
    chosen = [
        widgets.select(
            label, list(map(map_labels.to_id, range(count))), f"{key}_{part}", map_labels.to_id(place), width=190
        )
        for label, count, part, place in zip(labels, shape, ("layer", "head"), first, strict=True)
    ]
    layer, head = map(map_labels.index_of, chosen)
    return layer, head


def _aligned(cross: np.ndarray, links: np.ndarray | None) -> tuple[int, int]:
    """Layer and head of the cross-attention with the lowest alignment error; the last layer's first without links."""
    if links is None:
        return len(cross) - 1, 0
    errors = [[count_links(head, links).error for head in layer] for layer in cross]
    table = np.array(errors, dtype=float)
    layer, head = divmod(int(np.argmin(np.nan_to_num(table, nan=np.inf))), table.shape[1])
    return layer, head


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
    "alignment": render_alignment,
    "copying": render_copying,
    "prefix": render_prefix,
    "scores": render_scores,
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
