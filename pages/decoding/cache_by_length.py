"""Costs of the next token by the length of the sequence: multiply-adds, bytes, and milliseconds, measured."""

import streamlit as st

from model import CheckpointError, LanguageModel
from model.lessons.cache_costs import cached_bytes, multiply_adds
from model.lessons.cache_times import LENGTHS, CacheTimes, cache_times_in_steps
from pages.shared import files
from pages.shared.charts import chart
from pages.shared.fragments import fragment
from pages.shared.own_times import measure_times, own_times
from pages.shared.page_header import Request
from pages.shared.service import Service
from pages.shared.texts import paragraph
from views.controls import sentence_input
from views.figures.line_chart import ChartLine, lines
from views.html import bars
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import hardware

MILLION, KILOBYTE = 1e6, 1e3


@fragment
def render_cost_curves(request: Request, language: Service[LanguageModel]) -> None:
    """Show a table by length and a chart of times, and a button that measures."""
    st.header(say("kv-cache.by-length", "The next token, by length"), anchor=False)
    measured = own_times(CacheTimes)
    if measured is None and st.button(say("history.times.measure", "Measure on this server"), key="measure_cache"):
        measured = _measure(language)
    times, shipped = measured, None
    if times is None:
        try:
            times = shipped = CacheTimes.read(language.model.folder, language.model.weights_sha256)
        except CheckpointError as error:
            st.warning(literal.with_code(say_error(error)))
    if times is not None:
        machine = {"hardware": literal.markdown(hardware(times.hardware)), "threads": times.threads}
        id = "cache-times-measured" if shipped is None else "cache-times-shipped"
        paragraph("decoding", id, **machine, torch=times.torch, rounds=times.rounds)
    _render_cost_table(language.model, times)


def _measure(language: Service[LanguageModel]) -> CacheTimes | None:
    """Measure, unless other visitors are waiting for this server; None then."""
    model = language.model
    return measure_times(CacheTimes, model, lambda: cache_times_in_steps(model))


def _render_cost_table(model: LanguageModel, times: CacheTimes | None) -> None:
    with_cache, without = say("kv-cache.with", "with the cache"), say("kv-cache.without", "without")
    header = [
        say("kv-cache.column.tokens", "tokens so far"),
        say("kv-cache.column.millions", "million multiply-adds, with the cache"),
        say("kv-cache.column.millions.without", "million multiply-adds, without"),
        say("kv-cache.column.kilobytes", "cache, kB"),
    ]
    lengths = LENGTHS if times is None else times.lengths
    config = model.config
    rows: list[list] = [
        [
            length,
            multiply_adds(config, 1, length) / MILLION,
            multiply_adds(config, length, length) / MILLION,
            cached_bytes(config, length) / KILOBYTE,
        ]
        for length in lengths
    ]
    if times is not None:
        header += [
            say("kv-cache.column.ms", "milliseconds, with the cache"),
            say("kv-cache.column.ms.without", "milliseconds, without"),
        ]
        rows = [[*row, *both] for row, *both in zip(rows, times.cached, times.uncached, strict=True)]
    st.html(bars.table(header, rows, say("kv-cache.by-length", "The next token, by length"), whole=True, stacked=True))
    if times is not None:
        curves = [
            ChartLine(name, times.lengths, values, index, marks=True)
            for index, (name, values) in enumerate(((with_cache, times.cached), (without, times.uncached)))
        ]
        titles = header[0], say("history.times.ms", "milliseconds")
        figure = lines(curves, sentence_input.theme(), *titles, log_y=True).update_xaxes(
            type="log", tickvals=list(times.lengths), ticktext=list(map(str, times.lengths))
        )
        alt = say(
            "kv-cache.alt", "Milliseconds until the next token by the number of tokens so far; both axes logarithmic."
        )
        chart(figure, "cache_times", alt)
        header += [
            say("kv-cache.column.median", "median milliseconds, with the cache"),
            say("kv-cache.column.median.without", "median milliseconds, without"),
        ]
        rows = [[*row, *both] for row, *both in zip(rows, times.cached_median, times.uncached_median, strict=True)]
    files.csv_and_table(header, rows, "kv-cache-by-length", say("kv-cache.csv", "By length as CSV"), "by_length_table")
