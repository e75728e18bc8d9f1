"""One sentence, translated by all five networks."""

import streamlit as st

from model.lessons.network_comparison import NETWORKS, ONE_VECTOR, TRANSFORMER
from pages.history import networks_compared
from pages.shared import files
from pages.shared.page_header import Request
from pages.shared.texts import warn_if_cut_off
from views.html import bars
from views.text.catalogue import say, say_count


def render_translations(request: Request, text: str, name: str) -> None:
    """What each of the five makes of `text`, decoded as the reader chose; `name` of the file to download."""
    header = [
        say("history.column.network", "network"),
        say("history.column.handed", "the decoder gets"),
        say("history.column.translation", "translation"),
        say("column.tokens", "tokens"),
    ]
    read, lines, plain = len(request.service.model.check(text)) + 1, [], []
    for network in NETWORKS:
        service = networks_compared.service_of(request, network)
        ids = service.steps(text, request.options)[-1].ids
        warn_if_cut_off(service.ended(ids), "of", side=networks_compared.network_label(network))
        french, handed = service.model.tokenizer.decode(ids), _decoder_input(service.model.config, network, read)
        lines.append(
            [networks_compared.network_label(network), handed, bars.data_cell(french or "\u2014", "token"), len(ids)]
        )
        plain.append([networks_compared.network_label(network), handed, french, len(ids)])
    st.html(bars.table(header, lines, say("history.translations.table", "Translations by all five"), whole=True))
    label = say("history.translations.csv", "Translations as CSV")
    files.csv(header, plain, name, label)


def _decoder_input(config, network: str, tokens: int) -> str:
    """What the decoder of a network gets of a source of so many tokens."""
    if network == "rnn-vector":
        return say("history.handed.one", "1 vector of {width} numbers", width=config.decoder_width)
    if network == ONE_VECTOR:
        return say("history.handed.two", "h and c, {width} numbers each", width=config.decoder_width)
    width = config.d_model if network == TRANSFORMER else config.state_width
    return say_count("history.handed.all", "{count} state of {width}", "{count} states of {width}", tokens, width=width)
