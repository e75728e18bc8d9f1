"""Why recurrence was dropped: sequential operations, path lengths between tokens, and times of a forward pass."""

from functools import lru_cache
from typing import Literal

import streamlit as st

from model import CheckpointError, Trace
from model.lessons.forward_times import ForwardTimes, forward_times_in_steps
from model.lessons.sequential_operations import StateGraph, Vertex, build_state_graph, count_recorded_steps
from model.networks.config import TransformerConfig
from model.networks.recurrent_config import RecurrentConfig
from model.recurrent_translator import SHIPPED
from pages.history import networks, networks_compared
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.models import open_recurrent
from pages.shared.own_times import measure_times, own_times
from pages.shared.page_header import Request
from pages.shared.service import Service
from pages.shared.texts import fold_check
from server.singleton import singleton
from views.components.inline_svg import inline_svg
from views.controls import sentence_input, widgets
from views.figures.line_chart import ChartLine, lines
from views.html import bars
from views.svg.unrolled import SublayerRow, unrolled
from views.text import literal, prose
from views.text.catalogue import Message, say, say_count, say_error
from views.text.numbers import hardware, three_digits
from views.url_state import bound_settings

# How long one forward pass takes: shipped figures, and this server's own once a user has measured them.


@singleton
def _shipped_times() -> ForwardTimes:
    return ForwardTimes.read(SHIPPED)


@fragment
def render_forward_times(request: Request) -> None:
    """Show a curve for each network, and a button that measures."""
    st.header(say("history.times", "Time of one forward pass"), anchor=False)
    measured = own_times(ForwardTimes)
    if measured is None:
        label = say("history.times.measure", "Measure on this server")
        if st.button(label, key="measure_times"):
            measured = _measure(request)
    try:
        times = measured or _shipped_times()
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return
    block = "times-shipped" if measured is None else "times-measured"
    machine = {"hardware": literal.markdown(hardware(times.hardware)), "threads": times.threads, "torch": times.torch}
    st.markdown(prose.block("history_recurrence", block, **machine, rounds=times.rounds))
    _render_times(times)


def _measure(request: Request) -> ForwardTimes | None:
    """Measure, unless other visitors are waiting for this server; None then."""
    names = (TRANSFORMER, *networks.NAMES)
    models = {name: networks_compared.service_of(request, name).model for name in names}
    return measure_times(ForwardTimes, request.service.model, lambda: forward_times_in_steps(models))


def _render_times(measured: ForwardTimes) -> None:
    """Show curves, findings, table and files."""
    labels = {TRANSFORMER: networks.TRANSFORMER()} | networks.options()
    curves = [
        ChartLine(labels[name], measured.lengths, network.lowest, index, marks=True)
        for index, (name, network) in enumerate(measured.networks.items())
    ]
    titles = say("history.times.tokens", "tokens of source and of target"), say("history.times.ms", "milliseconds")
    figure = lines(curves, sentence_input.theme(), *titles, log_y=True).update_xaxes(
        type="log", tickvals=list(measured.lengths), ticktext=list(map(str, measured.lengths))
    )
    alt = say(
        "history.times.alt", "Time of one forward pass of each network by the number of tokens; both axes logarithmic."
    )
    chart(figure, "times", alt)
    st.markdown(prose.block("history_recurrence", "times", **_finding_values(measured)))
    difference = max(network.difference for network in measured.networks.values())
    fold_check("history_recurrence", "times-check", difference=checks.format_difference("timed logits", difference))
    lowest = [
        [length, *times]
        for length, *times in zip(
            measured.lengths, *(network.lowest for network in measured.networks.values()), strict=True
        )
    ]
    names = [
        say("history.times.tokens", "tokens of source and of target"),
        *(labels[name] for name in measured.networks),
    ]
    st.html(bars.table(names, lowest, say("history.times.table", "Lowest times in milliseconds")))
    header, rows = _times_table(measured, labels)
    with st.container(horizontal=True):
        files.csv(header, rows, "forward-times", say("history.times.csv", "Times as CSV"))
    files.folded_table(lambda: files.data_frame(rows, header), "table_times", hide_index=True)


def _finding_values(times: ForwardTimes) -> dict[str, object]:
    """The findings as values of a text block."""
    last = {name: three_digits(network.lowest[-1]) for name, network in times.networks.items()}
    growth = {name: three_digits(times.growth(name)) for name in times.networks}
    return {
        "shortest": times.lengths[0],
        "longest": times.lengths[-1],
        "transformer": last[TRANSFORMER],
        "lstm": last["lstm-vector"],
        "additive": last["lstm-additive"],
        "transformer_growth": growth[TRANSFORMER],
        "lstm_growth": growth["lstm-vector"],
        "additive_growth": growth["lstm-additive"],
    }


def _times_table(times: ForwardTimes, labels: dict[str, str]) -> tuple[list[str], list[list[str | float]]]:
    header = [say("history.network", "Network")]
    for length in times.lengths:
        header += [
            say("history.times.lowest", "{count} tokens, lowest", count=length),
            say("history.times.median", "{count} tokens, median", count=length),
        ]
    rows: list[list[str | float]] = [
        [labels[name], *(time for pair in zip(network.lowest, network.median, strict=True) for time in pair)]
        for name, network in times.networks.items()
    ]
    return header, rows


TRANSFORMER = "transformer"
NO_PATH = "\u2013"


def render(request: Request) -> None:
    """Show the drawing, the numbers and the times."""
    trace = request.trace()
    labels = {TRANSFORMER: networks.TRANSFORMER()} | networks.options()
    name = widgets.pick(say("history.network", "Network"), labels, "network", default="lstm-vector")
    service = request.service if name == TRANSFORMER else open_recurrent(name)
    sizes = len(trace.source_ids), len(trace.target_ids)
    graph = build_state_graph(service.model.config, *sizes)
    path = _choose_path(graph, trace)
    inline_svg(draw_unrolled(graph, path, trace, labels[name]), key="unrolled")
    st.markdown(prose.block("history_recurrence", "how-to-read"))
    waits = {"steps": graph.steps, "source": sizes[0], "target": sizes[1]}
    waits["recurrent"] = build_state_graph(RecurrentConfig.preset("lstm-vector"), *sizes).steps
    render_experiment("history-recurrence", {"network": TRANSFORMER}, waits if name == TRANSFORMER else None)
    _render_check(service, name, graph, trace)
    _render_counts(request, labels, trace)
    render_forward_times(request)
    title = say("history.path.code", "Path lengths in Python")
    start, end = int(bound_settings.current_value("from")[1:]), bound_settings.current_value("to")  # "s1" or "t9"
    render_program("history", "path-lengths", title, source=sizes[0], target=sizes[1], start=start, end=end)


def _choose_path(graph: StateGraph, trace: Trace) -> list[Vertex]:
    """Choose two tokens; return the shortest path between them, empty where there is none."""
    source = {
        f"s{place}": say("history.source-token", "source {place}: {token}", place=place, token=literal.token(token))
        for place, token in enumerate(trace.source_tokens, 1)
    }
    target = {
        f"t{place}": say("history.output-token", "output {place}: {token}", place=place, token=literal.token(token))
        for place, token in enumerate(trace.next_tokens, 1)
    }
    with st.container(horizontal=True, gap="medium"):
        start = widgets.select(say("history.path.from", "From"), source, "from", width=220)
        end = widgets.select(say("history.path.to", "To"), source | target, "to", default=f"t{len(target)}", width=220)
    find_path = graph.within_source if end.startswith("s") else graph.to_output
    path = find_path(int(start[1:]) - 1, int(end[1:]) - 1)
    ends = {"start": literal.markdown(source[start]), "end": literal.markdown((source | target)[end])}
    if path:
        st.markdown(
            say_count(
                "history.path.length",
                "From {start} to {end}: the shortest path passes **{count} sub-layer**.",
                "From {start} to {end}: the shortest path passes **{count} sub-layers**.",
                len(path) - 1,
                **ends,
            )
        )
    else:
        st.markdown(prose.block("history_recurrence", "no-path", **ends))
    return path


def _render_check(service: Service, name: str, graph: StateGraph, trace: Trace) -> None:
    """Check the longest chain against the graph that PyTorch records."""
    ids = trace.source_ids, trace.target_ids
    recorded = service.lesson(("recorded steps", name, *ids), count_recorded_steps, *ids)
    agrees = "check" if recorded == graph.steps else "check-wrong"
    fold_check("history_recurrence", agrees, steps=graph.steps, recorded=recorded)


def _render_counts(request: Request, labels: dict[str, str], trace: Trace) -> None:
    """Show the numbers of steps and the path lengths of all five networks."""
    source, target = len(trace.source_ids), len(trace.target_ids)
    header = [
        say("history.network", "Network"),
        say("history.steps.given", "steps that wait, target given"),
        say("history.steps.generated", "steps that wait, decoding"),
        say("history.path.right", "path, first to last source token"),
        say("history.path.left", "path, last to first source token"),
        say("history.path.output", "path, first source token to last output"),
    ]
    transformer = request.service.model.config
    configs = {name: transformer if name == TRANSFORMER else RecurrentConfig.preset(name) for name in labels}
    rows = [[label, *_counts(configs[name], source, target)] for name, label in labels.items()]
    st.header(say("history.steps", "Steps and paths of all five"), anchor=False)
    st.markdown(prose.block("history_recurrence", "steps", source=source, target=target))
    st.html(bars.table(header, rows, say("history.steps.table", "Steps that wait and path lengths of the networks")))
    st.markdown(prose.block("history_recurrence", "table-1"))
    with st.container(horizontal=True):
        files.csv(header, rows, "waiting-steps", say("history.steps.csv", "Steps as CSV"))
    files.folded_table(lambda: files.data_frame(rows, header), hide_index=True)


@lru_cache(maxsize=256)
def _counts(config: TransformerConfig | RecurrentConfig, source: int, target: int) -> tuple[int | str, ...]:
    """Return the steps with a given target and in decoding, then three path lengths."""
    graph = build_state_graph(config, source, target)
    generated = build_state_graph(config, source, target, generated=True)
    paths = graph.within_source(0, source - 1), graph.within_source(source - 1, 0), graph.to_output(0, target - 1)
    return graph.steps, generated.steps, *(len(path) - 1 if path else NO_PATH for path in paths)


# The drawing of a network unrolled over the user's tokens, with one path.

MOST_EDGES = 3  # of a vertex that is drawn with all its edges
SUBLAYERS = {
    "self": Message("history.row.self", "self-attention {layer}"),
    "cross": Message("history.row.cross", "cross-attention {layer}"),
    "ffn": Message("history.row.ffn", "feed-forward {layer}"),
}


def draw_unrolled(graph: StateGraph, path: list[Vertex], trace: Trace, name: str) -> str:
    """Draw the rows from the bottom up; thin lines are the edges of recurrent cells and of the vertices on the path."""
    ids = dict.fromkeys(vertex.row for vertex in graph.reads if vertex.row not in ("source", "target"))
    if "context" in ids and graph.ready[Vertex("context", 0)] < graph.ready[Vertex("decoder", 0)]:
        ids = {row: None for row in ids if row not in ("context", "decoder")} | dict.fromkeys(("context", "decoder"))
    counts = {"source": len(trace.source_ids), "target": len(trace.target_ids)}
    rows = []
    for row in ids:
        side: Literal["source", "target"] = "source" if row.startswith("encoder") else "target"
        kind = "cross" if row == "context" or row.endswith(".cross") else row.partition(".")[0]
        ready = [graph.ready[Vertex(row, place)] for place in range(counts[side])]
        rows.append(SublayerRow(row, row_label(row), side, kind, ready))
    on_path = set(path)
    edges = [
        ((read.row, read.place), (vertex.row, vertex.place))
        for vertex, reads in graph.reads.items()
        for read in reads
        if len(reads) <= MOST_EDGES or vertex in on_path
    ]
    title = say(
        "history.unrolled.alt",
        "{network}, unrolled over {source} source and {target} target tokens: {steps} steps wait for each other, and "
        "the path that is drawn passes {length} sub-layers. The table below has the same numbers.",
        network=name,
        **counts,
        steps=graph.steps,
        length=max(len(path) - 1, 0),
    )
    tokens = {"source": trace.source_tokens, "target": trace.target_tokens}
    return unrolled(rows, tokens, edges, [(vertex.row, vertex.place) for vertex in path], title)


def row_label(row: str) -> str:
    """Return the label of a row of the graph."""
    labels = {
        "encoder.forwards": say("history.row.forwards", "read forwards"),
        "encoder.backwards": say("history.row.backwards", "read backwards"),
        "decoder": say("history.row.decoder", "decoder"),
        "context": say("history.row.context", "attention"),
    }
    if row in labels:
        return labels[row]
    _, layer, kind = row.split(".")
    return SUBLAYERS[kind](layer=int(layer) + 1)
