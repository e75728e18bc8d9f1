"""A mask that a user chooses or paints, on the decoder's self-attention, and its effect."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st

from model import Trace
from model.lessons.masking import MaskEffect, MaskPattern, mask_pattern, measure_mask_effect
from pages.shared import checks, files, stepper, tables
from pages.shared.charts import metrics, paint_matrix
from pages.shared.experiment import render_experiment, token_value
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import block, fold_check, paragraph
from views import map_labels
from views.components.controls import fits
from views.components.linked_heatmaps import LinkedHeatmaps, MapSet, linked_heatmaps
from views.components.matrix_row import RowMatrix
from views.components.step_view import Axis, BarColumn, BarsPanel, Numbers, StepView
from views.controls import painted as painted_cells
from views.controls import sentence_input, widgets
from views.text import literal, terms
from views.text.catalogue import Message, say
from views.text.numbers import three_digits
from views.url_state import bound_settings

PATTERNS: dict[MaskPattern, Message] = {
    "causal": Message("masks.pattern.causal", "Causal"),
    "none": Message("masks.pattern.none", "None"),
    "window": Message("masks.pattern.window", "Window"),
    "prefix": Message("masks.pattern.prefix", "Prefix"),
}
SIZED = ("window", "prefix")
ALL = "all"
PAINTED = "painted"  # in the session and in the address bar


@fragment
def render(request: Request) -> None:
    """Show the mask, its effect, and a head's matrices below. Choosing or painting reruns only this section."""
    trace = request.trace()
    side, tokens = len(trace.target_ids), trace.target_tokens
    layers, heads = (map_labels.ids_with_mean(count)[:-1] for count in trace.decoder_attention.shape[:2])
    with st.container(horizontal=True, gap="medium"):
        help = " ".join(block("masks", "pattern-help").split())
        name = widgets.pick(say("masks.pattern", "Mask"), PATTERNS, "mask", help=help, on_change=clear_paint)
        size = widgets.number(say("masks.tokens", "Tokens"), "pieces", 3, 1, 128) if name in SIZED else 1
        choices = {ALL: say("masks.layers.all", "all")} | map_labels.option_labels(layers)
        # an unpainted causal mask is that of the layers that do not use it: the choice has no effect
        same = name == "causal" and not bound_settings.stored_text(PAINTED)
        label = say("masks.layers", "Layers that use it")
        where = widgets.select(label, choices, "where", width=130, disabled=same)
    picture, answer = st.columns([2, 3], gap="large")
    with picture:
        paragraph("masks", "paint")
        words = say("masks.cell.masked", "masked"), say("masks.cell.allowed", "allowed")
        axes, label = (tokens, tokens, terms.QUERY(), terms.KEY()), say("masks.allowed", "Allowed")
        start = mask_pattern(name, side, size)  # (query, key)
        allowed = paint_matrix(PAINTED, start, axes, "painter", label, "decoder", words, languages=("fr", "fr"))
        # shown always, so that nothing below it moves at the first stroke
        unpainted = bool((allowed == start).all())
        st.button(say("masks.clear", "Clear paint"), on_click=clear_paint, disabled=unpainted)
    blind = np.flatnonzero(~allowed.any(axis=1))
    if blind.size:
        query = literal.markdown(literal.token(tokens[blind[0]]))
        answer.warning(block("masks", "no-key-left", place=blind[0] + 1, token=query))
        return
    used = tuple(range(len(layers))) if where not in layers else (map_labels.index_of(where),)

    def effect_of(mask: np.ndarray) -> MaskEffect:
        key = ("mask", trace.source_ids, trace.target_ids, mask.tobytes(), used)
        return request.service.lesson(key, measure_mask_effect, trace, mask, used)

    causal, effect = effect_of(mask_pattern("causal", side)), effect_of(allowed)
    with picture:
        metrics(
            (say("masks.loss.causal", "Loss, causal mask"), causal.loss),
            (say("masks.loss.this", "Loss, this mask"), effect.loss),
            (say("masks.loss.change", "Change"), effect.loss - causal.loss),
        )
    with answer:
        propose_mask(trace, causal, effect, start)
        render_next_tokens(trace, causal, effect)
    render_head(trace, causal, effect, sentence_input.head_choices(layers, heads))


def clear_paint() -> None:
    """Remove the paint, so that the pattern is left."""
    bound_settings.store_text(PAINTED, "")


def propose_mask(trace: Trace, causal: MaskEffect, effect: MaskEffect, start: np.ndarray) -> None:
    """Propose to allow one more key, and state for another mask which token's probability changes most."""
    side = len(start)
    query, key = min(3, side - 1), min(5, side)  # from 1
    painted = np.zeros_like(start)
    painted[query - 1, key - 1] = True
    result = None
    if not np.array_equal(effect.allowed, causal.allowed):
        place = int(np.abs(effect.probabilities - causal.probabilities).argmax())
        before, after = (float(under.probabilities[place]) for under in (causal, effect))
        result = {"token": token_value(trace.next_tokens[place]), "place": place + 1, "before": before, "after": after}
    do = lambda: bound_settings.store_text(PAINTED, painted_cells.encode(painted))  # noqa: E731
    if side > 1:
        render_experiment("masks-own", do, result, query=query, key=key)


def render_next_tokens(trace: Trace, causal: MaskEffect, effect: MaskEffect) -> None:
    """Show the probabilities of the tokens that should follow, before and after."""
    choices = zip(effect.best, effect.best_probability, strict=True)
    best = [f"{literal.token(token)} {three_digits(float(probability))}" for token, probability in choices]
    columns = [
        tables.name_column(
            say("masks.next.token", "token that should follow"), map_labels.numbered(trace.next_tokens), language="fr"
        ),
        tables.bar_column(say("masks.next.causal", "probability, causal mask"), causal.probabilities, 1),
        tables.bar_column(say("masks.next.this", "probability, this mask"), effect.probabilities, 1),
        tables.name_column(say("masks.next.best", "most probable now"), best, language="fr"),
    ]
    label = say("masks.next.forced", "Every token of the translation, by teacher forcing")
    tables.render_table(columns, say("masks.next.table", "Next tokens"), label=label)
    files.csv(*tables.header_and_rows(columns), "mask", say("masks.next.csv", "Probabilities as CSV"))


def render_head(trace: Trace, causal: MaskEffect, effect: MaskEffect, choices: Sequence[widgets.Choice]) -> None:
    """Show a head's scores, its masked scores, its weights, and its weights under the causal mask."""
    chosen = {choice.key: choice.in_component() for choice in choices}
    target_tokens = trace.target_tokens
    matrix = partial(
        RowMatrix,
        kind="decoder",
        rows=target_tokens,
        columns=target_tokens,
        row_title=terms.QUERY(),
        column_title=terms.KEY(),
        languages=("fr", "fr"),
    )
    weights = partial(matrix, signed=False, top=1.0, masked=("0", say("masks.cell.masked", "masked")))
    # weights, with minus infinity in masked cells
    after, before = (np.where(under.allowed, under.weights, np.float32(-np.inf)) for under in (effect, causal))
    top = np.abs(effect.scores).max(axis=(-2, -1))  # (layer, head)
    items = [
        matrix(say("masks.step.scores", "1 Scores"), effect.scores, top=top),
        matrix(say("masks.step.infinity", "2 With \u2212\u221e"), effect.masked_scores, top=top),
        weights(say("masks.step.weights", "3 Weights"), after),
        weights(say("masks.step.causal", "Weights with the causal mask"), before),
    ]
    heading = say("masks.one-head", "One head with this mask: {map}", map="{map}")
    whole, numbers = fits(4 * effect.scores.size), [list(choice.options) for choice in choices]
    layer, head = (options.index(chosen[choice.key]) for options, choice in zip(numbers, choices, strict=True))
    sent_items = items if whole else [_select_head(item, layer, head) for item in items]
    sets = {"decoder": MapSet(sent_items, heading, numbers)}
    linked_heatmaps(
        LinkedHeatmaps(sets, ("layer", "head"), choices, chosen, per_row=2, selected_only=not whole),
        "steps",
        sentence_input.store_selection,
    )
    paragraph("masks", "one-head")
    causal, effect = causal.head(layer, head), effect.head(layer, head)
    render_row(map_labels.numbered(target_tokens), effect)
    scores = effect.masked_scores.astype(np.float64)
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    largest = np.abs(exponentials / exponentials.sum(axis=1, keepdims=True) - effect.weights).max()
    difference = checks.format_difference("masked weights", float(largest))
    leak = checks.format_difference("mask leak", effect.masked_weight)
    fold_check("masks", "weights-check", difference=difference, masked_weight=leak)
    place = map_labels.describe(chosen["layer"], chosen["head"])
    title = say("masks.matrices.title", "Decoder self-attention under a mask, {place}", place=place)
    arrays = {name: getattr(effect, name) for name in ("scores", "allowed", "weights")}
    shown_items = [_select_head(item, layer, head, drop=True) for item in items]
    with st.container(horizontal=True):
        files.matrices(shown_items, title, "mask", say("masks.matrices", "Matrices"))
        all = say("masks.matrices.npz", "Matrices as NPZ")
        files.npz("mask", arrays | {"causal_weights": causal.weights}, all)


def _select_head(item: RowMatrix, layer: int, head: int, drop: bool = False) -> RowMatrix:
    """Return the map of one head; `drop` removes its first two axes."""
    top = item.top[layer, head] if isinstance(item.top, np.ndarray) else item.top
    values = item.values[layer, head]
    return replace(item, values=values if drop else values[None, None], top=None if top is None else float(top))


def render_row(names: list[str], effect: MaskEffect) -> None:
    """Show the numbers of one query from score to weight; the browser has those of all queries."""
    score, weight = say("masks.row.score", "score"), say("masks.row.weight", "weight")
    columns = (
        BarColumn(score, "score", "decoder", bar=False),
        BarColumn(say("masks.row.masked", "with the mask"), "masked", "decoder", bar=False, nothing="\u2212\u221e"),
        BarColumn(weight, "weight", "decoder", top=1.0),
    )
    view = StepView(
        axes=(
            Axis(
                "query",
                say("masks.row", "One row in numbers: query"),
                names,
                data_kind="token",
                language="fr",
                first=len(names) - 1,
            ),
            Axis("key", terms.KEY(), names, slider=False, data_kind="token", language="fr"),
        ),
        numbers={
            "score": Numbers(effect.scores, ("query", "key")),
            "masked": Numbers(np.where(effect.allowed, effect.scores, np.nan), ("query", "key")),
            "weight": Numbers(effect.weights, ("query", "key")),
        },
        panels=(BarsPanel(say("masks.row.table", "Row of the query"), "key", columns),),
    )
    stepper.render(view, "row")
