"""How long one forward pass takes: figures that ship, and this server's own once somebody has asked for them."""

from collections.abc import Sequence

import streamlit as st

from model import CheckpointError
from model.lessons.forward_times import ForwardTimes, forward_times_in_steps
from model.recurrent_translator import SHIPPED
from model.runtime.progress import steps_with_fallback
from pages.history import networks
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.fragments import fragment
from pages.shared.models import open_recurrent
from pages.shared.page_header import Request
from server import run_context
from server.result_cache import ResultCache, compute_lock
from server.shared_streams import FinalValue, SharedStreams
from server.singleton import singleton
from views.controls import sentence_input
from views.figures.line_chart import ChartLine, lines
from views.html import bars
from views.text import literal, prose, waiting
from views.text.catalogue import say, say_error
from views.text.numbers import three_digits

KEY = "forward times"
TRANSFORMER = "transformer"


@singleton
def _own_times_cache() -> ResultCache:
    """This server's figures: measured once a process."""
    return ResultCache(1)


@singleton
def _streams() -> SharedStreams:
    return SharedStreams(_own_times_cache(), compute_lock())


@singleton
def _shipped_times() -> ForwardTimes:
    return ForwardTimes.read(SHIPPED)


def own_times() -> ForwardTimes | None:
    """What was measured on this server, if anybody asked."""
    found = _own_times_cache().get(KEY)
    return found[-1].value if found and isinstance(found[-1], FinalValue) else None


@fragment
def render(request: Request) -> None:
    """A curve for each network, and a button that measures."""
    st.header(say("history.times", "Time of one forward pass"), anchor=False)
    found = own_times()
    if found is None:
        label = say("history.times.measure", "Measure on this server")
        if st.button(label, key="measure_times"):
            found = _measure(request)
    try:
        shown = found or _shipped_times()
    except CheckpointError as error:
        st.warning(literal.with_code(say_error(error)))
        return
    block = "times-shipped" if found is None else "times-measured"
    about = {"hardware": literal.markdown(shown.hardware), "threads": shown.threads, "torch": shown.torch}
    st.markdown(prose.block("history_recurrence", block, **about, rounds=shown.rounds))
    _render_times(shown)


def _measure(request: Request) -> ForwardTimes | None:
    """Measure, unless others are waiting for this server."""
    if run_context.run_queue().waiting:
        st.info(prose.block("history_recurrence", "others-wait"))
        return None
    models = {TRANSFORMER: request.service.model}
    models |= {name: open_recurrent(name).model for name in networks.NAMES}
    return _streams().result(
        KEY,
        lambda: steps_with_fallback(request.service.model, lambda: forward_times_in_steps(models)),
        waiting.progress,
    )


def _render_times(found: ForwardTimes) -> None:
    """Curves, what they say, table and files."""
    called = {TRANSFORMER: networks.TRANSFORMER()} | networks.options()
    curves = [
        ChartLine(called[name], found.lengths, each.lowest, place, marks=True)
        for place, (name, each) in enumerate(found.networks.items())
    ]
    titles = say("history.times.tokens", "tokens of source and of target"), say("history.times.ms", "milliseconds")
    figure = lines(curves, sentence_input.theme(), *titles, log_y=True).update_xaxes(
        type="log", tickvals=list(found.lengths), ticktext=list(map(str, found.lengths))
    )
    alt = say(
        "history.times.alt", "Time of one forward pass of each network by the number of tokens; both axes logarithmic."
    )
    chart(figure, "times", alt)
    st.markdown(prose.block("history_recurrence", "times", **_finding_values(found)))
    difference = max(each.difference for each in found.networks.values())
    st.caption(
        prose.block(
            "history_recurrence", "times-check", difference=checks.format_difference("timed logits", difference)
        )
    )
    lowest = [
        [length, *times]
        for length, *times in zip(found.lengths, *(each.lowest for each in found.networks.values()), strict=True)
    ]
    names = [say("history.times.tokens", "tokens of source and of target"), *(called[name] for name in found.networks)]
    st.html(bars.table(names, lowest, say("history.times.table", "Lowest times in milliseconds")))
    header, rows = _times_table(found, called)
    with st.container(horizontal=True):
        files.csv(header, rows, "forward-times", say("history.times.csv", "Times as CSV"))
    files.folded_table(lambda: files.data_frame(rows, header), "table_times", hide_index=True)


def _finding_values(found: ForwardTimes) -> dict[str, object]:
    """What the curves say, as the numbers in a sentence."""
    last = {name: three_digits(each.lowest[-1]) for name, each in found.networks.items()}
    growth = {name: three_digits(found.growth(name)) for name in found.networks}
    return {
        "shortest": found.lengths[0],
        "longest": found.lengths[-1],
        "transformer": last[TRANSFORMER],
        "lstm": last["lstm-vector"],
        "additive": last["lstm-additive"],
        "transformer_growth": growth[TRANSFORMER],
        "lstm_growth": growth["lstm-vector"],
        "additive_growth": growth["lstm-additive"],
    }


def _times_table(found: ForwardTimes, called: dict[str, str]) -> tuple[list[str], list[Sequence[object]]]:
    header = [say("history.network", "Network")]
    for length in found.lengths:
        header += [
            say("history.times.lowest", "{count} tokens, lowest", count=length),
            say("history.times.median", "{count} tokens, median", count=length),
        ]
    rows = [
        [called[name], *(time for pair in zip(each.lowest, each.median, strict=True) for time in pair)]
        for name, each in found.networks.items()
    ]
    return header, rows
