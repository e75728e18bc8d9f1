"""From the decoder's last vector to a probability for every token; and three rows to try the idea on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st

from model.lessons.output_layer import Row, output_step, read_row
from pages.shared import checks, files
from pages.shared.opening import Request
from pages.shared.sliders import stepper
from views.controls import widgets
from views.export import downloads
from views.html import bars, steps, tokens
from views.text import literal, prose
from views.text.numbers import grouped, three_digits

EXAMPLE = "0.2 0.1 0.1; 0.4 0.5 0.1; 0.9 0.05 0.05"
MOST = 8  # rows, and numbers in a row
COUNT = 10  # tokens shown
HEADER = ["rank", "piece", "id", "logit", "e^(logit - largest)", "probability"]


def show(request: Request) -> None:
    """The output layer at a step, then the worked example."""
    trace = request.trace()
    step = stepper(len(trace.next_ids), f"Step, 1 to {len(trace.next_ids)}")
    st.html(
        tokens.label("What the decoder has read, the piece it writes in this step, and what is still to come")
        + steps.written(trace.target_tokens[:step], trace.next_tokens[step - 1], trace.next_tokens[step:])
    )
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
        st.html(bars.table(HEADER, shown, f"The largest logits of step {step}"))
        network = request.service.model.config
        st.caption(
            prose.block("decoding", "Proof of the output layer").format(
                vocabulary=grouped(network.vocabulary_size),
                total=three_digits(float(found.probabilities.sum())),
                difference=checks.said("output layer", found.difference),
            )
        )
        labelled = [[rank, literal.token(token), *rest] for rank, token, *rest in rows]
        files.download("CSV", lambda: downloads.table_csv(HEADER, labelled), f"output-step-{step}.csv")
        files.numbers(lambda: pd.DataFrame(labelled, columns=HEADER), "output_table", hide_index=True)
    with right:
        st.markdown(
            prose.block("decoding", "Linear and softmax").format(
                d_model=network.d_model, vocabulary=grouped(network.vocabulary_size)
            )
        )
    example()


def example() -> None:
    """Rows of numbers that the reader may change: argmax, sum, and whether each is a distribution."""
    st.subheader("Three rows by hand", anchor=False)
    left, right = st.columns([3, 2], gap="large")
    with right:
        st.markdown(prose.block("decoding", "Three rows by hand"))
    with left:
        typed = widgets.text("Rows of numbers, a semicolon between rows", "rows", EXAMPLE)
        try:
            rows = read_rows(typed)
        except ValueError as error:
            st.warning(literal.markdown(str(error)))
            return
        header = ["row", "argmax, from 0", "sum", "a distribution?", "softmax of the row"]
        shown = [
            [" ".join(f"{value:g}" for value in row.values), row.argmax, row.total, verdict(row), softmax(row)]
            for row in rows
        ]
        st.html(bars.table(header, shown, "Rows as scores"))


def verdict(row: Row) -> str:
    """Whether a row is a distribution, and why not."""
    if row.is_distribution:
        return "yes"
    return "no: a number below 0" if min(row.values) < 0 else f"no: the sum is {three_digits(row.total)}"


def softmax(row: Row) -> str:
    """What the softmax makes of a row."""
    return " ".join(three_digits(value) for value in row.softmax)


def read_rows(text: str) -> list[Row]:
    """Rows from text.

    Raises:
        ValueError: it does not hold such rows; the message is one sentence for the reader.
    """
    parts = [part.replace(",", " ").split() for part in text.split(";") if part.strip()]
    if not parts or len(parts) > MOST or any(len(part) > MOST for part in parts):
        raise ValueError(f"Type one to {MOST} rows of one to {MOST} numbers, such as {EXAMPLE}.")
    try:
        return [read_row([float(number) for number in part]) for part in parts]
    except ValueError:
        raise ValueError(f"Every entry must be a finite number with a decimal point, such as {EXAMPLE}.") from None
