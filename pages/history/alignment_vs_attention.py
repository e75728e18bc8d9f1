"""The alignment of a recurrent network compared with the Transformer's cross-attention on the same two sentences."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from model.attribution.alignment_error import LinkCounts, count_links
from model.lessons.network_comparison import TRANSFORMER, BootstrapInterval, NetworkComparison
from model.networks.recurrent_trace import RecurrentTrace
from model.text.word_alignment import find_links
from model.tracing.trace import Trace
from pages.history import networks, networks_compared
from pages.shared import checks, files
from pages.shared.models import load_alignment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views import map_labels
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.export import downloads
from views.html import bars
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits

ONE_HEAD = f"{TRANSFORMER}-head"


@dataclass(frozen=True, eq=False)
class AlignmentSource:
    """One way of attending to the source."""

    label: str  # its name on the page
    weights: np.ndarray  # `(T, S)`
    counts: LinkCounts | None  # how many of its links are statistical links; None without statistical links
    # its alignment error rate over held-out sentences; None where it was not measured
    heldout_error: BootstrapInterval | None


def render_comparison(request: Request, name: str) -> None:
    """Show the maps, the statistical links, and the error rates for this sentence pair and for many."""
    trace = networks.trace_sentence(request, name)
    forced = request.service.trace_of_ids(request.text, trace.next_ids)  # the same tokens on both sides
    measurements = networks_compared.comparison_or_warning()
    comparison = measurements[1] if measurements else None
    sources, reference = compare_maps(request, name, trace, forced, comparison)
    st.markdown(prose.block("history", "beside"))
    words = (say("history.links.none", "no link"), say("history.links.one", "linked"))
    matrix = partial(
        RowMatrix,
        kind="cross",
        rows=map_labels.row_names(trace.target_tokens, trace.chosen),
        read=trace.next_tokens,
        attends=True,
        columns=trace.source_tokens,
        row_title=say("history.generated", "generated token"),
        column_title=say("history.read", "source token"),
        signed=False,
    )
    matrices = [matrix(source.label, source.weights, top=1.0) for source in sources]
    if reference is not None:
        title = say("history.links", "statistical links")
        matrices.append(matrix(title, reference.astype(np.float32), words=words))
    attention_map(matrices, "beside", per_row=2)
    header, rows = error_table(sources)
    st.html(bars.table(header, rows, say("history.aer.table", "Alignment error rates"), whole=True, stacked=True))
    verifications = [compared.verification["cross"] for compared in (trace, forced)]
    fold_check(
        "history",
        "beside-check",
        difference=checks.format_difference("attention", max(check.max_difference for check in verifications)),
        rows=checks.format_difference("row sums", max(check.row_sum_error for check in verifications)),
    )
    st.markdown(prose.block("history", "beside-read"))
    if comparison:
        st.markdown(prose.block("history", "beside-held-out", pairs=grouped(comparison.alignment_sentences)))
    _render_comparison_files(trace, sources, reference, name, header, rows)


def compare_maps(
    request: Request, name: str, trace: RecurrentTrace, forced: Trace, comparison: NetworkComparison | None
) -> tuple[list[AlignmentSource], np.ndarray | None]:
    """Return the network's alignment, the Transformer's last layer and its best head, and the statistical links."""
    table = load_alignment(request.service.model.folder, request.service.model.card.get("tokenizer_sha256", ""))
    reference = None if table is None else find_links(table, trace.source_ids, trace.next_ids)
    rates, head = (comparison.alignment, comparison.head) if comparison else ({}, None)
    cross = forced.attention("cross")  # (layer, head, T, S)
    maps = {name: (networks_compared.network_label(name), trace.alignment)}
    layer = say("history.beside.layer", "Transformer, last layer, mean of heads")
    maps[TRANSFORMER] = (layer, cross[-1].mean(axis=0))
    if head:
        one = say("history.beside.head", "Transformer, layer {layer}, head {head}", layer=head[0] + 1, head=head[1] + 1)
        maps[ONE_HEAD] = (one, cross[head])
    return [
        AlignmentSource(
            label,
            weights,
            None if reference is None else count_links(weights, reference),
            rates[id].generated if id in rates else None,
        )
        for id, (label, weights) in maps.items()
    ], reference


def error_table(sources: list[AlignmentSource]) -> tuple[list[str], list[list]]:
    """Return header and rows: for each map its links, those in common, and the error rates."""
    header = [
        say("history.aer.attention", "attention of"),
        say("history.aer.found", "links it makes"),
        say("history.aer.reference", "statistical links"),
        say("history.aer.shared", "in both"),
        say("history.aer.here", "AER here"),
        say("history.aer.held-out", "AER, held out"),
    ]
    return header, [
        [source.label, *_link_cells(source.counts), networks_compared.band_cell(source.heldout_error)]
        for source in sources
    ]


def _link_cells(counts: LinkCounts | None) -> list:
    if counts is None:
        return ["\u2014"] * 4
    error = "\u2014" if counts.error is None else three_digits(counts.error)
    return [counts.attention, counts.reference, counts.shared, error]


def _render_comparison_files(
    trace: RecurrentTrace,
    sources: list[AlignmentSource],
    reference: np.ndarray | None,
    name: str,
    header: list,
    rows: list,
) -> None:
    arrays: dict[str, ArrayLike] = {f"weights_{index + 1}": source.weights for index, source in enumerate(sources)}
    arrays |= {"names": [source.label for source in sources]}
    arrays |= {"generated": list(trace.next_tokens), "source": list(trace.source_tokens)}
    arrays |= {} if reference is None else {"links": reference}
    plain = [
        [*row[:-1], source.heldout_error.value if source.heldout_error else ""]
        for source, row in zip(sources, rows, strict=True)
    ]
    with st.container(horizontal=True):
        files.download(files.CSV(), lambda: downloads.table_csv(header, plain), f"alignment-errors-{name}.csv")
        files.download(files.NPZ(), lambda: downloads.arrays_npz(arrays), f"maps-beside-{name}.npz")
