"""Attention over states: a decoder state asks, the encoder's states answer; its map beside the Transformer's."""

from collections.abc import Callable
from dataclasses import replace

import streamlit as st

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
from views import attention_maps
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

MOST_TOKENS = 24  # source tokens that the map shows beside the curves


@fragment
def render(request: Request) -> None:
    """Choose the score, and how to look at what it does."""
    scores = {
        "lstm-additive": say("history.score.additive", "Additive"),
        "lstm-dot": say("history.score.dot", "Multiplicative"),
    }
    views = {
        "steps": say("history.attending.steps", "Step by step"),
        "beside": say("history.attending.beside", "Beside the Transformer"),
        "viewer": say("history.attending.viewer", "Maps and lines"),
    }
    shows: dict[str, Callable[[Request, str], None]] = {
        "steps": render_steps,
        "beside": alignment_vs_attention.render,
        "viewer": render_viewer,
    }
    with st.container(horizontal=True, gap="medium"):
        name = widgets.pick(say("history.score", "Score"), {each: scores[each] for each in ATTENDING}, "score")
        view = widgets.pick(say("history.attending", "Attention as"), views, "attending")
    shows[view](request, name)


def render_viewer(request: Request, name: str) -> None:
    """The alignment in the attention viewer, as any other attention."""
    trace = networks.trace_sentence(request, name)
    explore_text(replace(request, service=open_recurrent(name)), trace)


def render_steps(request: Request, name: str) -> None:
    """The numbers of one step after the other."""
    trace = networks.trace_sentence(request, name)
    key = ("first attention", trace.source_ids, trace.next_ids)
    found = open_recurrent(name).analysis(key, lambda _: recompute_first_attention(trace))
    st.markdown(prose.block("history", "attending"))
    st.markdown(prose.block("history", f"attending-{name}"))
    stepper.render(step_view(trace, found, name), f"attending_{name}")
    st.caption(
        prose.block(
            "history",
            "attending-check",
            difference=checks.format_difference("attention", found.difference),
            rows=checks.format_difference("row sums", found.row_sum_error),
        )
    )
    sharp = {}
    if name == "lstm-dot":
        both = {"additive": networks.trace_sentence(request, "lstm-additive"), "dot": trace}
        sharp = {form: float(each.alignment.max(axis=-1).mean()) for form, each in both.items()}
    render_experiment("history-attention-over-states", {"score": "lstm-dot"}, sharp or None)
    _render_files(trace, found, name)
    st.markdown(prose.block("history", "query-key-value"))


def step_view(trace: RecurrentTrace, found: FirstAttention, name: str) -> StepView:
    """Step x token, and the chosen step as numbers; one unit of states and context vector is followed."""
    step = Axis("step", say("stepper.label", "Step"), trace.next_tokens, said="token")
    token = Axis(
        "token", say("history.state.axis", "Encoder state of"), trace.source_tokens, slider=False, said="token"
    )
    unit = Axis("unit", say("history.unit", "Unit"), size=found.states.shape[1])
    both = ("step", "token")
    summed, context = (
        say(
            "history.attending.softmax",
            "Step {step#} generates {step}. Its exponentials sum to {total}; each divided by this sum is a weight.",
        ),
        say("history.attending.context", "Unit {unit#} of the context vector c: the sum of weight × h_j is {context}."),
    )
    asks = {
        "lstm-additive": say("history.asks.additive", "the query s_t\u22121, unit by unit"),
        "lstm-dot": say("history.asks.dot", "the query s_t, unit by unit"),
    }
    long = len(trace.source_tokens) > MOST_TOKENS
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
            "scores": Numbers(found.scores, both),
            "exponentials": Numbers(found.exponentials, both),
            "weights": Numbers(found.weights, both),
            "total": Numbers(found.exponentials.sum(axis=1), ("step",)),
            "states": Numbers(found.states, ("token", "unit")),
            "context": Numbers(found.contexts, ("step", "unit")),
            "query": Numbers(found.queries, ("step", "unit")),
        },
        (
            FormulaPanel(summed),
            BarsPanel(table, "token", columns, wide=True),
            FormulaPanel(context),
            CurvesPanel(asks[name], "unit", (Curve("s", "query"),), -1.0, 1.0),
            CurvesPanel(say("history.context-vector", "the context vector c_t"), "unit", (Curve("c_t", "context"),)),
            HeatmapPanel(
                say("history.attending.map", "alignment: all steps"), "weights", *both, "cross", False, 1.0, long
            ),
        ),
    )


def _render_files(trace: RecurrentTrace, found: FirstAttention, name: str) -> None:
    """All numbers of all steps, and the alignment as a table."""
    kept = ("queries", "states", "scores", "exponentials", "weights", "contexts")
    arrays = {each: getattr(found, each) for each in kept} | {
        "generated": list(trace.next_tokens),
        "source": list(trace.source_tokens),
    }
    rows, columns = attention_maps.numbered(trace.next_tokens), attention_maps.numbered(trace.source_tokens)
    corner = say("column.generated", "generates")
    lines = [[name, *row] for name, row in zip(rows, found.weights.tolist(), strict=True)]
    with st.container(horizontal=True):
        files.csv([corner, *columns], lines, f"alignment-{name}")
        files.npz(f"attention-over-states-{name}", arrays)
    files.folded_table(lambda: files.data_frame(found.weights, columns, rows, corner))
