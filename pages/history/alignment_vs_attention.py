"""The alignment of a recurrent network beside the Transformer's cross-attention on the same two sentences."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from model.attribution.alignment_error import LinkCounts, link_counts
from model.lessons.network_comparison import TRANSFORMER, BootstrapInterval, NetworkComparison
from model.networks.recurrent_trace import RecurrentTrace
from model.text.word_alignment import links_of
from model.tracing.trace import Trace
from pages.history import networks, networks_compared
from pages.shared import checks, files
from pages.shared.models import load_alignment
from pages.shared.page_header import Request
from views.components.attention_map import attention_map
from views.components.matrix_row import RowMatrix
from views.export import downloads
from views.html import bars
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits

ONE_HEAD = f"{TRANSFORMER}-head"


@dataclass(frozen=True, eq=False)
class ComparedMap:
    """One way of attending to the source.

    Attributes:
        called: what the page says for it.
        weights: `(T, S)`.
        counts: what it has in common with the statistical links; None where there are none.
        measured: its error over held-out sentences; None where it was not measured.
    """

    called: str
    weights: np.ndarray
    counts: LinkCounts | None
    measured: BootstrapInterval | None


def render(request: Request, name: str) -> None:
    """Maps, the links, and the error rates of this pair and of many."""
    trace = networks.trace_sentence(request, name)
    forced = request.service.fed(request.text, trace.next_ids)  # the same tokens on both sides
    found = networks_compared.comparison_or_warning()
    measured = found[1] if found else None
    compared, reference = compare_maps(request, name, trace, forced, measured)
    st.markdown(prose.block("history", "beside"))
    words = (say("history.links.none", "no link"), say("history.links.one", "linked"))
    named = {"rows": trace.next_tokens, "columns": trace.source_tokens}
    axes = {
        "row_title": say("history.generated", "generated token"),
        "column_title": say("history.read", "source token"),
    }
    items = [RowMatrix(each.called, each.weights, "cross", **named, **axes, signed=False, top=1.0) for each in compared]
    if reference is not None:
        called = say("history.links", "statistical links")
        items.append(
            RowMatrix(called, reference.astype(np.float32), "cross", **named, **axes, signed=False, words=words)
        )
    attention_map(items, "beside", beside=2)
    header, lines = error_table(compared)
    st.html(bars.table(header, lines, say("history.aer.table", "Alignment error rates"), whole=True))
    verified = [each.verification["cross"] for each in (trace, forced)]
    st.caption(
        prose.block(
            "history",
            "beside-check",
            difference=checks.format_difference("attention", max(check.max_difference for check in verified)),
            rows=checks.format_difference("row sums", max(check.row_sum_error for check in verified)),
        )
    )
    st.markdown(prose.block("history", "beside-read"))
    if measured:
        st.markdown(prose.block("history", "beside-held-out", pairs=grouped(measured.alignment_sentences)))
    _render_files(trace, compared, reference, name, header, lines)


def compare_maps(
    request: Request, name: str, trace: RecurrentTrace, forced: Trace, measured: NetworkComparison | None
) -> tuple[list[ComparedMap], np.ndarray | None]:
    """The network's alignment, the Transformer's last layer and its best head; and the links they are held against."""
    known = load_alignment(request.service.model.folder, request.service.model.card.get("tokenizer_sha256", ""))
    reference = None if known is None else links_of(known, trace.source_ids, trace.next_ids)
    rates, head = (measured.alignment, measured.head) if measured else ({}, None)
    cross = forced.attention("cross")  # (layer, head, T, S)
    drawn = {name: (networks_compared.network_label(name), trace.alignment)}
    layer = say("history.beside.layer", "Transformer, last layer, mean of heads")
    drawn[TRANSFORMER] = (layer, cross[-1].mean(axis=0))
    if head:
        one = say("history.beside.head", "Transformer, layer {layer}, head {head}", layer=head[0] + 1, head=head[1] + 1)
        drawn[ONE_HEAD] = (one, cross[head])
    return [
        ComparedMap(
            called,
            weights,
            None if reference is None else link_counts(weights, reference),
            rates[id].generated if id in rates else None,
        )
        for id, (called, weights) in drawn.items()
    ], reference


def error_table(compared: list[ComparedMap]) -> tuple[list[str], list[list]]:
    """A row a map: links, those in common, and the error rates."""
    header = [
        say("history.aer.attention", "attention of"),
        say("history.aer.found", "links it makes"),
        say("history.aer.reference", "statistical links"),
        say("history.aer.shared", "in both"),
        say("history.aer.here", "AER here"),
        say("history.aer.held-out", "AER, held out"),
    ]
    return header, [
        [one.called, *_link_cells(one.counts), networks_compared.band_cell(one.measured)] for one in compared
    ]


def _link_cells(counts: LinkCounts | None) -> list:
    if counts is None:
        return ["\u2014"] * 4
    error = "\u2014" if counts.error is None else three_digits(counts.error)
    return [counts.found, counts.reference, counts.shared, error]


def _render_files(
    trace: RecurrentTrace,
    compared: list[ComparedMap],
    reference: np.ndarray | None,
    name: str,
    header: list,
    lines: list,
) -> None:
    arrays = {f"weights_{place + 1}": one.weights for place, one in enumerate(compared)}
    arrays |= {"names": [one.called for one in compared]}
    arrays |= {"generated": list(trace.next_tokens), "source": list(trace.source_tokens)}
    arrays |= {} if reference is None else {"links": reference}
    plain = [
        [*line[:-1], one.measured.value if one.measured else ""] for one, line in zip(compared, lines, strict=True)
    ]
    with st.container(horizontal=True):
        files.download(files.CSV(), lambda: downloads.table_csv(header, plain), f"alignment-errors-{name}.csv")
        files.download(files.NPZ(), lambda: downloads.arrays_npz(arrays), f"maps-beside-{name}.npz")
