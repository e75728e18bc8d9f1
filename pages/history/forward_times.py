"""How long one forward pass takes: shipped figures, and this server's own once a user has measured them."""

import streamlit as st

from model import CheckpointError
from model.lessons.forward_times import ForwardTimes, forward_times_in_steps
from model.recurrent_translator import SHIPPED
from pages.history import networks, networks_compared
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.fragments import fragment
from pages.shared.own_times import measure_times, own_times
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from server.singleton import singleton
from views.controls import sentence_input
from views.figures.line_chart import ChartLine, lines
from views.html import bars
from views.text import literal, prose
from views.text.catalogue import say, say_error
from views.text.numbers import hardware, three_digits

TRANSFORMER = "transformer"


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
