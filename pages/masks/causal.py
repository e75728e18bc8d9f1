"""The check of causality: after a change of a later token, every earlier output is equal to the last bit."""

import streamlit as st

from model.lessons.masking import check_causality, mask_pattern
from pages.shared import files, tables
from pages.shared.charts import metrics
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, paragraph
from views import map_labels
from views.components.matrix_row import RowMatrix, matrix_row
from views.controls import widgets
from views.html import generated_tokens
from views.text import literal
from views.text.catalogue import Untranslated, say
from views.url_state import bound_settings

MOST_REPLACEMENTS = 5


@fragment
def render(request: Request) -> None:
    """Choose a token and its replacement; show whose outputs change. A choice reruns only this section."""
    trace = request.trace()
    if len(trace.target_ids) < 3:
        st.info(block("masks", "too-short"))
        return
    side = len(trace.target_ids)
    predictions = trace.predictions(MOST_REPLACEMENTS + 1)
    # initially the token of the second half with the smallest probability
    least_certain = min(range(side // 2, side - 1), key=lambda place: predictions[place].probability)
    with st.container(horizontal=True, gap="medium"):
        label = say("masks.change", "Change the token at place")
        place = int(widgets.number(label, "change", least_certain + 2, 2, side, varies=True, width=190))
        position = place - 1
        candidates = {
            str(candidate.id): literal.token(candidate.token)
            for candidate in predictions[position - 1].top
            if candidate.id != trace.target_ids[position]
        }
        chosen = choose_replacement(candidates, map_labels.numbered(trace.target_tokens)[position])
    masks = [mask_pattern("causal", side), mask_pattern("none", side)]
    key = ("causality", trace.source_ids, trace.target_ids, position, int(chosen))
    with_mask, without = request.service.lesson(key, check_causality, trace, position, int(chosen), masks)
    before, after = (changes[:, :position].max() for changes in (with_mask, without))
    metrics(
        (say("masks.change.causal", "Largest change before that place, causal mask"), before),
        (say("masks.change.none", "The same without a mask"), after),
    )
    result = {"place": place, "masked": float(before), "unmasked": float(after)} if place == 2 else None
    render_experiment("masks-causality", {"change": 2}, result)
    tokens = [*trace.target_tokens[:position], candidates[chosen], *trace.target_tokens[place:]]
    replaced = literal.token(trace.target_tokens[position])
    description = block("masks", "replaced", new=candidates[chosen], place=place, old=replaced)
    st.html(generated_tokens.label(description) + generated_tokens.chips(tokens, "decoder"))
    paragraph("masks", "largest-change")
    levels = (
        say("level.embedding", "embedding"),
        *(say("level.after", "after layer {layer}", layer=number) for number in range(1, len(with_mask))),
    )
    top = float(max(with_mask.max(), without.max()))
    axes = say("axis.level", "level"), say("axis.position", "position")
    items = [
        RowMatrix(title, changes, "decoder", levels, tokens, *axes, signed=False, top=top, languages=("", "fr"))
        for title, changes in (
            (say("masks.with-causal", "With the causal mask"), with_mask),
            (say("masks.without", "Without a mask"), without),
        )
    ]
    matrix_row(items, "causality", per_row=2)
    columns = [
        tables.name_column(axes[1], map_labels.numbered(tokens), language="fr"),
        tables.bar_column(say("masks.changes.causal", "change with the causal mask"), with_mask[-1], top),
        tables.bar_column(say("masks.changes.none", "change without a mask"), without[-1], top),
    ]
    last_layer = say("masks.changes.last", "After the last layer")
    tables.render_table(columns, say("masks.changes.table", "Changes by position"), position, last_layer)
    caption("masks", "causality-check")
    title = say("masks.changes.title", "What changes with another token at place {place}", place=place)
    with st.container(horizontal=True):
        files.matrices(items, title, "causality", say("masks.changes", "Changes"))
        arrays = {"causal": with_mask, "none": without}
        files.npz("causality", arrays, say("masks.changes.npz", "Changes as NPZ"))


def choose_replacement(candidates: dict[str, str], replaced: str) -> str:
    """Choose the id of the token that replaces `replaced`, among the `candidates`: id -> label."""
    by_token = {token: id for id, token in candidates.items()}
    stored = bound_settings.stored_text("replacement")
    if stored not in candidates and stored in by_token:  # earlier versions stored the token itself in the address
        bound_settings.store_text("replacement", by_token[stored])
    label = say("masks.replacement", "Put in place of {token}", token=literal.markdown(replaced))
    help = say("masks.replacement.help", "The tokens that the model found most probable there.")
    return widgets.select(
        label, {id: Untranslated(token) for id, token in candidates.items()}, "replacement", width=240, help=help
    )
