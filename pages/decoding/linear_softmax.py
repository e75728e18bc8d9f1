"""From the decoder's last vector to a probability for every token; and three rows to try the idea on."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.lessons.output_layer import Row, output_step, read_row
from model.runtime.messages import ReaderError
from pages.decoding.step import choose_step
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.texts import caption, paragraph
from views.controls import widgets
from views.html import bars, steps
from views.text import literal
from views.text.catalogue import Message, say, say_error
from views.text.numbers import grouped, three_digits

EXAMPLE = "0.2 0.1 0.1; 0.4 0.5 0.1; 0.9 0.05 0.05"
MOST = 8  # rows, and numbers in a row
COUNT = 10  # tokens shown
HEADER = (
    Message("column.rank", "rank"),
    Message("column.token", "token"),
    Message("column.id", "id"),
    Message("column.logit", "logit"),
    Message("column.power", "e^(logit - largest)"),
    Message("column.probability", "probability"),
)


def show(request: Request) -> None:
    """The output layer at a step, then the worked example."""
    trace = request.trace()
    step = choose_step(trace)
    found = request.service.lesson(("output layer", request.text, trace.next_ids, step), output_step, trace, step - 1)
    best = np.argsort(-found.logits, kind="stable")[:COUNT]
    powers = np.exp(found.logits - found.logits[best[0]])
    columns = ([float(each[id_]) for id_ in best] for each in (found.logits, powers, found.probabilities))
    tokens = trace.tokenizer.labels(best.tolist())
    rows = list(zip(range(1, COUNT + 1), map(literal.token, tokens), best.tolist(), *columns, strict=True))
    left, right = st.columns([3, 2], gap="large")
    sizes = request.service.model.config
    vocabulary = grouped(sizes.vocabulary_size)
    with left:
        shown = [
            [str(rank), steps.plain(token), *numbers, bars.bar(probability, 1, "decoder")]
            for token, (rank, _, *numbers, probability) in zip(tokens, rows, strict=True)
        ]
        header = [column() for column in HEADER]
        st.html(bars.table(header, shown, say("decoding.logits", "The largest logits of step {step}", step=step)))
        caption(
            "decoding",
            "check-output-layer",
            vocabulary=vocabulary,
            total=found.probabilities.sum(),
            difference=checks.said("output layer", found.difference),
        )
        files.sheet(header, rows, f"output-step-{step}", key="output_table")
    with right:
        paragraph("decoding", "linear-softmax", d_model=sizes.d_model, vocabulary=vocabulary)
    example()


def example() -> None:
    """Rows of numbers that the reader may change: argmax, sum, and whether each is a distribution."""
    st.subheader(say("decoding.rows", "Three rows by hand"), anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with right:
        paragraph("decoding", "rows")
    with left:
        typed = widgets.text(say("decoding.rows.label", "Rows of numbers, a semicolon between rows"), "rows", EXAMPLE)
        try:
            rows = read_rows(typed)
        except ReaderError as error:
            st.warning(literal.markdown(say_error(error)))
            return
        header = [
            say("column.row", "row"),
            say("decoding.column.argmax", "argmax, from 0"),
            say("column.sum", "sum"),
            say("decoding.column.distribution", "a distribution?"),
            say("decoding.column.softmax", "softmax of the row"),
        ]
        shown = [
            [
                bars.data(" ".join(f"{value:g}" for value in row.values), "number"),
                row.argmax,
                row.total,
                verdict(row),
                bars.data(" ".join(map(three_digits, row.softmax)), "number"),
            ]
            for row in rows
        ]
        st.html(bars.table(header, shown, say("decoding.rows.table", "Rows as scores")))


def verdict(row: Row) -> str:
    """Whether a row is a distribution, and why not."""
    if row.is_distribution:
        return say("yes", "yes")
    if min(row.values) < 0:
        return say("decoding.verdict.negative", "no: a number is below 0")
    return say("decoding.verdict.sum", "no: the sum is {sum}", sum=three_digits(row.total))


def read_rows(text: str) -> list[Row]:
    """Rows from text.

    Raises:
        ReaderError: it does not hold such rows.
    """
    parts = [part.replace(",", " ").split() for part in text.split(";") if part.strip()]
    if not parts or len(parts) > MOST or any(len(part) > MOST for part in parts):
        raise ReaderError(
            "Type one to {most} rows of one to {most} numbers, such as {example}.", most=MOST, example=EXAMPLE
        )
    try:
        return [read_row([float(number) for number in part]) for part in parts]
    except ValueError:
        raise ReaderError(
            "Every entry must be a finite number with a decimal point, such as {example}.", example=EXAMPLE
        ) from None
