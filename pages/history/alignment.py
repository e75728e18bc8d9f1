"""Attention over states: a decoder state is the query, the encoder's states are the keys."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import ArrayLike

from model.attribution.alignment_error import LinkCounts, count_links
from model.lessons.first_attention import FirstAttention, recompute_first_attention
from model.lessons.network_comparison import ATTENDING, TRANSFORMER, BootstrapInterval, NetworkComparison
from model.networks.recurrent_trace import RecurrentTrace
from model.text.word_alignment import find_links
from model.tracing.trace import Trace
from pages.history import networks, networks_compared
from pages.shared import checks, files, stepper
from pages.shared.attention_viewer.explore import explore_text
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.models import load_alignment, open_recurrent
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views import map_labels
from views.components.alignment_stage import AlignmentStage, alignment_stage
from views.components.linked_heatmaps import attention_map
from views.components.matrix_row import RowMatrix
from views.components.step_view import (
    Axis,
    BarColumn,
    BarsPanel,
    Curve,
    CurvesPanel,
    FormulaPanel,
    HeatmapPanel,
    Numbers,
    StepView,
)
from views.controls import widgets
from views.export import downloads
from views.html import bars
from views.text import prose
from views.text.catalogue import say
from views.text.numbers import grouped, three_digits

MOST_TOKENS = 24  # source tokens; a wider map gets a row of its own


@fragment
def render(request: Request) -> None:
    """Choose the score and the view of its alignment."""
    scores = {
        "lstm-additive": say("history.score.additive", "Additive"),
        "lstm-dot": say("history.score.dot", "Multiplicative"),
    }
    views = {
        "steps": say("history.attending.steps", "Step by step"),
        "ribbons": say("history.attending.ribbons", "Ribbons"),
        "beside": say("history.attending.beside", "Next to the Transformer"),
        "viewer": say("history.attending.viewer", "Maps and lines"),
    }
    renderers: dict[str, Callable[[Request, str], None]] = {
        "steps": render_steps,
        "ribbons": render_ribbons,
        "beside": render_comparison,
        "viewer": render_viewer,
    }
    with st.container(horizontal=True, gap="medium"):
        score = widgets.pick(say("history.score", "Score"), {id: scores[id] for id in ATTENDING}, "score")
        view = widgets.pick(say("history.attending", "Attention as"), views, "attending")
    renderers[view](request, score)


def render_viewer(request: Request, name: str) -> None:
    """Show the alignment in the attention viewer."""
    trace = networks.trace_sentence(request, name)
    explore_text(open_recurrent(name), request.text, trace)


def render_ribbons(request: Request, name: str) -> None:
    """Show the alignment as ribbons between the two sentences, as the home page shows the Transformer's."""
    trace = networks.trace_sentence(request, name)
    title = open_recurrent(name).kinds["cross"].headline
    content = AlignmentStage(title, trace.source_tokens, trace.next_tokens, trace.target_tokens[0], trace.alignment)
    alignment_stage(content, f"alignment_stage_{name}")
    steps = _recompute(trace, name)
    _render_check(steps)
    _render_files(trace, steps, name)


def _recompute(trace: RecurrentTrace, name: str) -> FirstAttention:
    """Return the numbers of each decoder step, computed once."""
    key = ("first attention", trace.source_ids, trace.next_ids)
    return open_recurrent(name).analysis(key, lambda _: recompute_first_attention(trace))


def _render_check(steps: FirstAttention) -> None:
    fold_check(
        "history",
        "attending-check",
        difference=checks.format_difference("attention", steps.difference),
        rows=checks.format_difference("row sums", steps.row_sum_error),
    )


def render_steps(request: Request, name: str) -> None:
    """Show the numbers of each decoder step."""
    trace = networks.trace_sentence(request, name)
    steps = _recompute(trace, name)
    st.markdown(prose.block("history", "attending"))
    st.markdown(prose.block("history", f"attending-{name}"))
    stepper.render(step_view(trace, steps, name), f"attending_{name}")
    _render_check(steps)
    mean_largest = {}
    if name == "lstm-dot":
        traces = {"additive": networks.trace_sentence(request, "lstm-additive"), "dot": trace}
        mean_largest = {form: float(attending.alignment.max(axis=-1).mean()) for form, attending in traces.items()}
    render_experiment("history-attention-over-states", {"score": "lstm-dot"}, mean_largest or None)
    _render_files(trace, steps, name)
    st.markdown(prose.block("history", "query-key-value"))


def step_view(trace: RecurrentTrace, steps: FirstAttention, name: str) -> StepView:
    """Build the view of step x token, the chosen step as numbers, and one unit of the states and context vectors."""
    step = Axis("step", say("stepper.label", "Step"), trace.next_tokens, data_kind="token", language="fr")
    token = Axis(
        "token",
        say("history.state.axis", "Encoder state of"),
        trace.source_tokens,
        slider=False,
        data_kind="token",
        language="en",
    )
    unit = Axis("unit", say("history.unit", "Unit"), size=steps.states.shape[1])
    both = ("step", "token")
    softmax_text, context_text = (
        say(
            "history.attending.softmax",
            "Step {step#} generates {step}. Its exponentials sum to {total}; each divided by this sum is a weight.",
        ),
        say("history.attending.context", "Unit {unit#} of the context vector c: the sum of weight × h_j is {context}."),
    )
    query_titles = {
        "lstm-additive": say("history.asks.additive", "the query s_t\u22121, unit by unit"),
        "lstm-dot": say("history.asks.dot", "the query s_t, unit by unit"),
    }
    is_long = len(trace.source_tokens) > MOST_TOKENS
    weight, table = say("column.weight", "weight"), say("history.attending.table", "the chosen step")
    columns = (
        BarColumn(say("column.score", "score"), "scores", "cross"),
        BarColumn(say("one-weight.exponential", "e^(score \u2212 largest)"), "exponentials", "cross", 1.0),
        BarColumn(weight, "weights", "cross", 1.0),
        BarColumn(say("history.attending.state", "unit of h_j"), "states", "encoder"),
    )
    return StepView(
        (step, token, unit),
        {
            "scores": Numbers(steps.scores, both),
            "exponentials": Numbers(steps.exponentials, both),
            "weights": Numbers(steps.weights, both),
            "total": Numbers(steps.exponentials.sum(axis=1), ("step",)),
            "states": Numbers(steps.states, ("token", "unit")),
            "context": Numbers(steps.contexts, ("step", "unit")),
            "query": Numbers(steps.queries, ("step", "unit")),
        },
        (
            FormulaPanel(softmax_text),
            BarsPanel(table, "token", columns, wide=True),
            FormulaPanel(context_text),
            CurvesPanel(query_titles[name], "unit", (Curve("s", "query"),), -1.0, 1.0),
            CurvesPanel(say("history.context-vector", "the context vector c_t"), "unit", (Curve("c_t", "context"),)),
            HeatmapPanel(
                say("history.attending.map", "alignment: all steps"), "weights", *both, "cross", False, 1.0, is_long
            ),
        ),
    )


def _render_files(trace: RecurrentTrace, steps: FirstAttention, name: str) -> None:
    """Offer the numbers of all steps as files, and the alignment as a table."""
    fields = ("queries", "states", "scores", "exponentials", "weights", "contexts")
    arrays: dict[str, ArrayLike] = {field: getattr(steps, field) for field in fields} | {
        "generated": list(trace.next_tokens),
        "source": list(trace.source_tokens),
    }
    rows, columns = map_labels.numbered(trace.next_tokens), map_labels.numbered(trace.source_tokens)
    corner = say("column.generated", "generates")
    table_rows = [[name, *row] for name, row in zip(rows, steps.weights.tolist(), strict=True)]
    with st.container(horizontal=True):
        files.csv([corner, *columns], table_rows, f"alignment-{name}")
        files.npz(f"attention-over-states-{name}", arrays)
    files.folded_table(lambda: files.data_frame(steps.weights, columns, rows, corner))


# The alignment of a recurrent network compared with the Transformer's cross-attention on the same two sentences.

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
        languages=("fr", "en"),
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
