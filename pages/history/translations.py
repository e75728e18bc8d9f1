"""One sentence, translated by all five networks."""

import streamlit as st

from model.lessons.network_comparison import NETWORKS, ONE_VECTOR, TRANSFORMER
from pages.history import networks_compared
from pages.shared import files
from pages.shared.doubt import doubt_of_steps, render_note
from pages.shared.page_header import Request
from pages.shared.texts import warn_if_cut_off
from views.html import bars, generated_tokens
from views.text.catalogue import say, say_count


def render_translations(request: Request, text: str, name: str) -> None:
    """Show the translation of `text` by each of the five, decoded as chosen; `name` is that of the file."""
    header = [
        say("history.column.network", "network"),
        say("history.column.handed", "the decoder gets"),
        say("history.column.translation", "translation"),
        say("column.tokens", "tokens"),
    ]
    source_tokens = len(request.service.model.check(text)) + 1
    cells: list[list[bars.Value]] = []
    rows: list[list[str | int]] = []
    doubts = []
    for network in NETWORKS:
        service = networks_compared.service_of(request, network)
        steps = service.steps(text, request.options)
        ids, doubt = steps[-1].ids, doubt_of_steps(service, text, steps)
        warn_if_cut_off(service.has_ended(ids), "of", side=networks_compared.network_label(network))
        french = doubt.text
        doubts.append(doubt)
        front = [networks_compared.network_label(network), _decoder_input(service.model.config, network, source_tokens)]
        cells.append([*front, generated_tokens.sentence_cell(french or "\u2014", doubt.spans), len(ids)])
        rows.append([*front, french, len(ids)])
    st.html(bars.table(header, cells, say("history.translations.table", "Translations by all five"), whole=True))
    render_note(request.service, doubts)
    label = say("history.translations.csv", "Translations as CSV")
    files.csv(header, rows, name, label)


def _decoder_input(config, network: str, tokens: int) -> str:
    """Describe the decoder's input from a source of `tokens` tokens."""
    if network == "rnn-vector":
        return say("history.handed.one", "1 vector of {width} numbers", width=config.decoder_width)
    if network == ONE_VECTOR:
        return say("history.handed.two", "h and c, {width} numbers each", width=config.decoder_width)
    width = config.d_model if network == TRANSFORMER else config.state_width
    return say_count("history.handed.all", "{count} state of {width}", "{count} states of {width}", tokens, width=width)
