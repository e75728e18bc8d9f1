"""The trained model with its positions removed or changed: what it generates, and its loss on the reference."""

import numpy as np
import streamlit as st

from model.decoding.tapped_decoding import GeneratedTokens, greedy_with_tap_in_steps
from model.lessons.position_effects import PositionChange, Where, position_losses_in_steps, positions_tap
from model.runtime.progress import InSteps
from pages.shared import checks, files, tables
from pages.shared.code import render_program
from pages.shared.doubt import doubt_of_generated, render_note
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request, is_usable, render_translation
from pages.shared.texts import block, fold_check, paragraph, warn_if_cut_off
from views.controls import widgets
from views.html import generated_tokens
from views.text.catalogue import Message, say

STACK_LABELS: dict[Where, Message] = {
    "encoder": Message("positions.where.encoder", "Encoder"),
    "decoder": Message("positions.where.decoder", "Decoder"),
    "both": Message("positions.where.both", "Both"),
}
CHANGE_LABELS: dict[PositionChange, Message] = {
    "kept": Message("positions.change.kept", "As trained"),
    "none": Message("positions.change.none", "Set to 0"),
    "shuffled": Message("positions.change.shuffled", "Shuffled"),
    "reversed": Message("positions.change.reversed", "Reversed"),
    "shifted": Message("positions.change.shifted", "Shifted"),
}
FARTHEST = 300  # of 512 positions, so that the longest sentence still fits after it


def render(request: Request) -> None:
    """Choose a change; show translation and loss."""
    left, right = st.columns([3, 2], gap="large")
    right.markdown(block("positions", "trained-model"))
    with left:
        with st.container(horizontal=True, gap="medium"):
            changes = {id: text for id, text in CHANGE_LABELS.items() if id != "kept"}
            change = widgets.pick(say("positions.change", "Positions are"), changes, "change")
            where = widgets.pick(say("positions.where", "Where"), STACK_LABELS, "where")
        with st.container(horizontal=True):
            seed = widgets.number(say("positions.shuffle", "Shuffle number"), "shuffle", 0, 0, 9999)
            shift = widgets.number(say("positions.by", "Shift by"), "by", 10, 0, FARTHEST)
        label = say("positions.reference", "Reference translation in French")
        hint = say("positions.reference.placeholder", "Empty: the model’s own translation, with its positions")
        reference = widgets.text(label, "reference", "", hint)
        box_name, has_reference = say("positions.reference.name", "Reference"), bool(reference.strip())
        if has_reference and not is_usable(request, reference, box_name, english=False):
            return
    tokenizer = request.service.model.tokenizer
    following = tokenizer.encode_source(reference) if has_reference else list(request.translation())
    source = tokenizer.encode_source(request.text)
    inputs = [tokenizer.bos_id, *following[:-1]]
    key = ("position losses", tuple(source), tuple(following), seed, shift)
    arguments = (source, following, seed, shift)
    losses = request.service.lesson_in_steps(key, position_losses_in_steps, *arguments)

    def generated(chosen: PositionChange) -> GeneratedTokens:
        limit = min(2 * len(source) + 10, 128)
        key = ("under positions", tuple(source), len(inputs), where, chosen, seed, shift)

        def compute(network) -> InSteps[GeneratedTokens]:
            tap = positions_tap(network, where, chosen, len(source), len(inputs), seed, shift)
            return greedy_with_tap_in_steps(network, source, tap, limit, following)

        return request.service.lesson_in_steps(key, compute)

    with left:
        labels: dict[PositionChange, str] = {
            "kept": say("positions.translation.kept", "Translation with positions as trained, greedy"),
            change: block(
                "positions", "translation-changed", where=STACK_LABELS[where](), change=CHANGE_LABELS[change]()
            ),
        }
        doubts = []
        for chosen, label in labels.items():
            tokens = generated(chosen)
            doubts.append(doubt_of_generated(request.service, tokens))
            render_translation(doubts[-1], label, say("positions.nothing", "(nothing)"))
            warn_if_cut_off(request.service.has_ended(tokens.ids), "this")
        render_note(request.service, doubts)
        target_tokens = tokenizer.display(following)
        compared: tuple[PositionChange, ...] = ("kept", change)
        for chosen in compared:
            probabilities = np.exp(-losses.per_token[where, chosen].astype(np.float64)).tolist()
            label = block("positions", "probabilities", change=CHANGE_LABELS[chosen]())
            st.html(generated_tokens.label(label) + generated_tokens.chips(target_tokens, "decoder", probabilities))
    highest = max(losses.mean(stack, id) for stack in STACK_LABELS for id in CHANGE_LABELS)
    columns = [
        tables.TableColumn(say("positions.column.positions", "positions"), [text() for text in CHANGE_LABELS.values()])
    ]
    for stack, text in STACK_LABELS.items():
        columns.append(tables.bar_column(text(), [losses.mean(stack, id) for id in CHANGE_LABELS], highest))
    with right:
        paragraph("positions", "loss")
        table_name = say(
            "positions.loss.table", "Loss of the reference under every change, in encoder, decoder or both"
        )
        tables.render_table(columns, table_name)
    result = {id: losses.mean(where, id) for id in ("reversed", "none", "kept")}
    render_experiment("positions-trained-model", {"change": "reversed"}, result if change == "reversed" else None)
    fold_check(
        "positions", "trained-model-check", difference=checks.format_difference("positions put back", losses.difference)
    )
    files.csv_and_table(*tables.header_and_rows(columns), "positions-loss", say("positions.loss.csv", "Losses as CSV"))
    settings = {"change": change, "where": where, "seed": seed, "shift": shift}
    render_program("positions", "trained-model", sentence=request.text, next_ids=tuple(following), **settings)
