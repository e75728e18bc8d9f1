"""Attention over states: a decoder state is the query, the encoder's states are the keys."""

from collections.abc import Callable

import streamlit as st
from numpy.typing import ArrayLike

from model.lessons.first_attention import FirstAttention, recompute_first_attention
from model.lessons.network_comparison import ATTENDING
from model.networks.recurrent_trace import RecurrentTrace
from pages.history import alignment_vs_attention, networks
from pages.shared import checks, files, stepper
from pages.shared.attention_viewer.explore import explore_text
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views import map_labels
from views.components.alignment_stage import AlignmentStage, alignment_stage
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
from views.text import prose
from views.text.catalogue import say

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
        "beside": alignment_vs_attention.render_comparison,
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
