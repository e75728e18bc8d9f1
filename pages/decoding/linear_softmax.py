"""From the decoder's last vector to a probability for every token; and three rows to try the idea on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.lessons.output_layer import Row, output_step, read_row
from model.runtime.messages import ReaderError
from pages.decoding.step import choose_step
from pages.shared import checks, files
from pages.shared.opening import Request
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps
from views.text import literal, prose
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
    labels = trace.tokenizer.labels(best.tolist())
    rows = [
        (
            rank,
            label,
            int(id_),
            float(found.logits[id_]),
            float(np.exp(found.logits[id_] - found.logits[best[0]])),
            float(found.probabilities[id_]),
        )
        for rank, (id_, label) in enumerate(zip(best, labels, strict=True), 1)
    ]
    left, right = st.columns([3, 2], gap="large")
    with left:
        shown = [
            [str(rank), steps.plain(token), id_, logit, power, bars.bar(probability, 1, "decoder")]
            for rank, token, id_, logit, power, probability in rows
        ]
        header = [column() for column in HEADER]
        st.html(bars.table(header, shown, say("decoding.logits", "The largest logits of step {step}", step=step)))
        network = request.service.model.config
        st.caption(
            prose.block(
                "decoding",
                "check-output-layer",
                vocabulary=grouped(network.vocabulary_size),
                total=three_digits(float(found.probabilities.sum())),
                difference=checks.said("output layer", found.difference),
            )
        )
        labelled = [[rank, literal.token(token), *rest] for rank, token, *rest in rows]
        files.download(files.CSV(), lambda: downloads.table_csv(header, labelled), f"output-step-{step}.csv")
        files.numbers(lambda: pd.DataFrame(labelled, columns=header), "output_table", hide_index=True)
    with right:
        st.markdown(
            prose.block(
                "decoding",
                "linear-softmax",
                d_model=network.d_model,
                vocabulary=grouped(network.vocabulary_size),
            )
        )
    example()


def example() -> None:
    """Rows of numbers that the reader may change: argmax, sum, and whether each is a distribution."""
    st.subheader(say("decoding.rows", "Three rows by hand"), anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("decoding", "rows"))
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
        text = "Every entry must be a finite number with a decimal point, such as {example}."
        raise ReaderError(text, example=EXAMPLE) from None
