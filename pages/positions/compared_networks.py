"""Networks that differ in their positions alone, as the views of *Compared* have them: services, traces and figures."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from model import InputError, Trace
from model.lessons.network_comparison import BootstrapInterval
from model.lessons.positions_compared import Extremes, PositionComparison, load_position_comparison
from model.networks.config import POSITION_KINDS, PositionKind
from model.runtime.checkpoint import CheckpointError
from pages.shared.models import open_positions
from pages.shared.page_header import Request
from pages.shared.service import Service
from pages.shared.texts import caption
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, say, say_error
from views.text.numbers import grouped, three_digits, with_interval

LABELS: dict[PositionKind, Message] = {
    "sinusoidal": Message("positions-compared.kind.sinusoidal", "Sinusoids"),
    "learned": Message("positions-compared.kind.learned", "Learned table"),
    "rotary": Message("positions-compared.kind.rotary", "Rotary"),
    "alibi": Message("positions-compared.kind.alibi", "ALiBi"),
    "none": Message("positions-compared.kind.none", "No positions"),
}
SEEDS = Message("positions-compared.column.seeds", "seeds")
POSITIONS = Message("positions-compared.column.positions", "positions")  # header of the column of their labels
NO_NUMBER = "\u2014"


@dataclass(frozen=True, eq=False)
class ComparedNetworks:
    """The networks that ship, on the sentence of the page."""

    request: Request  # of the page
    services: Mapping[PositionKind, Service]  # kind -> its network
    reference: tuple[int, ...]  # ids of the page's own translation, the target of all traces
    traces: Mapping[PositionKind, Trace]  # of the networks that accept the sentence and the target
    refusals: Mapping[PositionKind, InputError]  # why the others do not

    def study(self) -> PositionComparison | None:
        """Return what was measured over held-out sentences, or warn on the page and return None."""
        hashes = {kind: service.model.weights_sha256 for kind, service in self.services.items()}
        first = next(iter(self.services.values()))
        try:
            key = ("position comparison", *hashes.values())
            return first.network_result(key, lambda _: load_position_comparison(hashes))
        except CheckpointError as error:
            st.warning(literal.with_code(say_error(error)))
            return None


def open_networks(request: Request, kinds: Sequence[PositionKind]) -> ComparedNetworks:
    """Load the networks, and trace the sentence with the page's own translation as the target."""
    services = {kind: open_positions(kind) for kind in kinds}
    reference = request.translation()
    traces, refusals = {}, {}
    for kind, service in services.items():
        try:
            traces[kind] = service.trace_of_ids(request.text, reference)
        except InputError as error:
            refusals[kind] = error
    return ComparedNetworks(request, services, reference, traces, refusals)


def labels(kinds: Iterable[PositionKind]) -> str:
    """Name some kinds, as a list in a sentence."""
    return ", ".join(LABELS[kind]() for kind in kinds)


def seed_count(study: PositionComparison, kind: PositionKind) -> str:
    """In how many trainings a kind was measured, for the row of its figures."""
    return grouped(study.seeds[kind])


def extremes_text(extremes: Extremes, span: str) -> str:
    """State which kinds have the lowest and the highest loss, or that no order is known, and why.

    Args:
        span: the lengths of the sentences, as text.
    """
    values = {kind: three_digits(value) for kind, value in extremes.values.items()}
    low, high = (
        min(extremes.values, key=extremes.values.__getitem__),
        max(extremes.values, key=extremes.values.__getitem__),
    )
    apart = "" if extremes.apart is None else three_digits(extremes.apart)
    if extremes.lowest:
        return say(
            "positions-compared.order",
            "On {length} tokens the loss, in nats per token, is lowest with {best} and highest with {worst}; the "
            "largest difference between seeds of one kind, over all lengths, is {apart}",
            length=span,
            best=with_values(extremes.lowest, values),
            worst=with_values(extremes.highest, values),
            apart=apart,
        )
    bounds = {"length": span, "low": values[low], "high": values[high]}
    if extremes.apart is None:
        return say(
            "positions-compared.no-order-once",
            "On {length} tokens losses go from {low} to {high} nats per token; each network was trained once, so no "
            "order is stated",
            **bounds,
        )
    return say(
        "positions-compared.no-order",
        "On {length} tokens losses go from {low} to {high} nats per token; the largest difference between seeds of one "
        "kind, over all lengths, is {apart}, so no order is stated",
        **bounds,
        apart=apart,
    )


def with_values(kinds: Iterable[str], values: Mapping[str, str]) -> str:
    """Name kinds with their figures."""
    return ", ".join(
        say("positions-compared.kind-value", "{kind} ({value})", kind=label(kind), value=values[kind]) for kind in kinds
    )


def label(kind: str) -> str:
    """Name a kind."""
    return next(message() for name, message in LABELS.items() if name == kind)


def render_absent(block: str, present: Sequence[PositionKind], kinds: Sequence[PositionKind] = POSITION_KINDS) -> None:
    """Render a block that names the kinds which are not `present`, if there are any."""
    absent = [kind for kind in kinds if kind not in present]
    if absent:
        caption("positions", block, names=labels(absent), count=len(present), all=len(kinds))


def interval_text(interval: BootstrapInterval) -> str:
    """A figure with its interval, as text."""
    return with_interval(interval.value, interval.low, interval.high)


def interval_cell(interval: BootstrapInterval | None) -> bars.Cell | str:
    """A figure with its interval, for a table; a dash for None."""
    return NO_NUMBER if interval is None else bars.data_cell(interval_text(interval), "number")


def interval_values(interval: BootstrapInterval | None) -> list[float | str]:
    """A figure and both ends of its interval, for a file; empty texts for None."""
    return ["", "", ""] if interval is None else [interval.value, interval.low, interval.high]
