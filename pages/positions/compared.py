"""Small translators that differ in their positions alone: one sentence through all that ship, and what was measured."""

from collections.abc import Callable

import streamlit as st

from model import InputError
from model.lessons.positions_compared import shipped_kinds
from model.networks.config import POSITION_KINDS
from pages.positions import compared_attention, compared_lengths, compared_shuffled
from pages.positions.compared_networks import (
    LABELS,
    NO_NUMBER,
    POSITIONS,
    ComparedNetworks,
    open_networks,
    render_absent,
)
from pages.shared import checks, files
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, column_with_text, fold_check, warn_if_cut_off
from views.controls import widgets
from views.html import bars, generated_tokens
from views.text import literal
from views.text.catalogue import Message, say, say_error
from views.text.numbers import grouped

FEWEST = 2  # networks that can be compared
VIEWS = {
    "maps": Message("positions-compared.view.maps", "Attention"),
    "lengths": Message("positions-compared.view.lengths", "By length"),
    "shuffled": Message("positions-compared.view.shuffled", "Shuffled"),
}
RENDERERS: dict[str, Callable[[ComparedNetworks], dict[str, object] | None]] = {
    "maps": compared_attention.render_attention,
    "lengths": compared_lengths.render_lengths,
    "shuffled": compared_shuffled.render_shuffled,
}


def render(request: Request) -> None:
    """Show the translations by all networks that ship, and one of three views of them."""
    kinds = shipped_kinds()
    if len(kinds) < FEWEST:
        st.info(block("positions", "compared-missing", count=len(kinds), all=len(POSITION_KINDS)))
        return
    networks = open_networks(request, kinds)
    model = networks.services[kinds[0]].model
    sizes = {
        "layers": model.config.n_encoder_layers,
        "width": model.config.d_model,
        "parameters": _parameters(networks),
        "longest": model.card.get("data", {}).get("longest_tokens", NO_NUMBER),
    }
    with column_with_text("positions", "compared", **sizes):
        _render_translations(networks)
        render_absent("compared-untrained", kinds)
    view = widgets.pick(say("positions-compared.view", "What is shown"), VIEWS, "rivals")
    result = RENDERERS[view](networks)
    _render_check(networks)
    render_experiment("positions-compared", {"rivals": "lengths"}, result)


def _parameters(networks: ComparedNetworks) -> str:
    """Their number of parameters; where some have more, the least, and the number of each of the others."""
    counts = {kind: service.model.parameters for kind, service in networks.services.items()}
    least = min(counts.values())
    others = [
        say("positions-compared.parameters-of", "{name}: {count}", name=LABELS[kind](), count=grouped(count))
        for kind, count in counts.items()
        if count != least
    ]
    if not others:
        return grouped(least)
    return say("positions-compared.parameters", "{least} ({others})", least=grouped(least), others=", ".join(others))


def _render_translations(networks: ComparedNetworks) -> None:
    """Show every network's own translation, decoded as chosen, and its loss of the page's translation."""
    header = [
        POSITIONS(),
        say("column.translation", "translation"),
        say("column.tokens", "tokens"),
        say("positions-compared.column.loss", "\u2212ln p per token of the reference"),
    ]
    request = networks.request
    cells: list[list[bars.Value]] = []
    rows: list[list] = []
    for kind, service in networks.services.items():
        label, text, count, loss = LABELS[kind](), "", None, None
        try:
            service.tokens(request.text)
            ids = service.steps(request.text, request.options)[-1].ids
        except InputError:
            pass  # stated below the table, as why there is no trace
        else:
            warn_if_cut_off(service.has_ended(ids), "of", side=label)
            text, count = service.model.tokenizer.decode(ids), len(ids)
        if kind in networks.traces:
            loss = float(service.model.score(networks.traces[kind]).mean())
        shown = generated_tokens.sentence_cell(text or NO_NUMBER)
        cells.append([label, shown, NO_NUMBER if count is None else count, NO_NUMBER if loss is None else loss])
        rows.append([label, text, "" if count is None else count, "" if loss is None else loss])
    st.html(bars.table(header, cells, say("positions-compared.translations", "Translations by positions"), whole=True))
    for kind, error in networks.refusals.items():
        st.info(block("notices", "refused-in-a-box", name=LABELS[kind](), reason=literal.markdown(say_error(error))))
    files.csv(header, rows, "positions-translations", say("positions-compared.translations.csv", "Translations as CSV"))


def _render_check(networks: ComparedNetworks) -> None:
    """State the largest difference of the traces' attention from its recomputation."""
    verifications = [trace.verify() for trace in networks.traces.values()]
    if not verifications:
        return
    fold_check(
        "positions",
        "compared-check",
        difference=checks.format_difference("attention", max(each.max_difference for each in verifications)),
        rows=checks.format_difference("row sums", max(each.row_sum_error for each in verifications)),
        masked_weight=checks.format_difference("mask leak", max(each.masked_weight for each in verifications)),
    )
