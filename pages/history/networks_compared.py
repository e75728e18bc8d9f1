"""All networks compared: their services, and what was measured of them."""

from dataclasses import dataclass

import streamlit as st

from model import CheckpointError
from model.lessons.network_comparison import (
    NETWORKS,
    TRANSFORMER,
    BootstrapInterval,
    NetworkComparison,
    load_comparison,
    shipped_cards,
)
from model.lessons.one_stack_heldout import DECODER_ONLY, OneStackStudy, load_one_stack, shipped_card
from pages.history import networks
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from pages.shared.service import Service
from server.singleton import singleton
from views.html import bars
from views.text import literal
from views.text.catalogue import say_error
from views.text.numbers import with_interval


@dataclass(frozen=True, eq=False)
class SingleStack:
    """The decoder-only network: its card, and what was measured of it beside the translator."""

    card: dict
    study: OneStackStudy


def network_label(name: str) -> str:
    """Name one of the networks in the user's language."""
    if name == DECODER_ONLY:
        return networks.DECODER_ONLY()
    return (networks.TRANSFORMER if name == TRANSFORMER else networks.NAMES[name])()


def service_of(request: Request, name: str) -> Service:
    """Return the service of one of the five; a recurrent network is loaded on first use."""
    return request.service if name == TRANSFORMER else open_recurrent(name)


@singleton
def cards_and_comparison() -> tuple[dict[str, dict], NetworkComparison]:
    """Load the cards of the five, and the comparison that belongs to their weights.

    Raises:
        CheckpointError: something is missing, damaged, or of other weights.
    """
    cards = shipped_cards()
    return cards, load_comparison({name: cards[name]["weights_sha256"] for name in NETWORKS})


def comparison_or_warning() -> tuple[dict[str, dict], NetworkComparison] | None:
    """Return `cards_and_comparison`, or warn on the page and return None where it cannot be read."""
    try:
        return cards_and_comparison()
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return None


@singleton
def single_stack() -> SingleStack:
    """Load the card of the decoder-only network, and the figures that belong to its weights and the translator's.

    Raises:
        CheckpointError: something is missing, damaged, or of other weights.
    """
    card, cards = shipped_card(), shipped_cards()
    hashes = {TRANSFORMER: cards[TRANSFORMER]["weights_sha256"], DECODER_ONLY: card["weights_sha256"]}
    return SingleStack(card, load_one_stack(hashes))


def single_stack_or_warning() -> SingleStack | None:
    """Return `single_stack`, or warn on the page and return None where it cannot be read."""
    try:
        return single_stack()
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return None


def band_cell(band: BootstrapInterval | None) -> bars.Cell | str:
    """A figure with its interval, for a table; a dash for None."""
    return "\u2014" if band is None else bars.data_cell(band_text(band), "number")


def band_text(band: BootstrapInterval) -> str:
    """A figure with its interval, as text."""
    return with_interval(band.value, band.low, band.high)
