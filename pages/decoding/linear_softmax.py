"""From the decoder's last vector to a probability for every token; and three rows to try the idea on."""

import numpy as np
import streamlit as st

from model.lessons.output_layer import Row, output_step, read_row
from model.runtime.messages import ReaderError
from pages.decoding.step import choose_step
from pages.shared import checks, files, tables
from pages.shared.code import same_in_pytorch
from pages.shared.experiment import experiment
from pages.shared.page_header import Request
from pages.shared.tables import Column
from pages.shared.texts import beside, caption
from views.controls import widgets
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import grouped, three_digits

EXAMPLE = "0.2 0.1 0.1; 0.4 0.5 0.1; 0.9 0.05 0.05"
RAISED = "0.2 0.1 0.1; 1.2 1.1 1.1"  # a row, and the same with 1 added
MOST = 8  # rows, and numbers in a row
COUNT = 10  # tokens shown


def show(request: Request) -> None:
    """The output layer at a step, then the worked example."""
    trace = request.trace()
    step = choose_step(trace)
    found = request.service.lesson(("output layer", request.text, trace.next_ids, step), output_step, trace, step - 1)
    best = np.argsort(-found.logits, kind="stable")[:COUNT]
    powers = np.exp(found.logits - found.logits[best[0]])
    tokens, ranks = trace.tokenizer.labels(best.tolist()), list(range(1, COUNT + 1))
    columns = [
        Column(say("column.rank", "rank"), ranks, list(map(str, ranks))),
        tables.token(say("column.token", "token"), tokens),
        Column(say("column.id", "id"), best),
        Column(say("column.logit", "logit"), found.logits[best]),
        Column(say("column.power", "e^(logit - largest)"), powers[best]),
        tables.bar(say("column.probability", "probability"), found.probabilities[best], 1),
    ]
    sizes = request.service.model.config
    vocabulary = grouped(sizes.vocabulary_size)
    with beside("decoding", "linear-softmax", d_model=sizes.d_model, vocabulary=vocabulary):
        tables.show(columns, say("decoding.logits", "The largest logits of step {step}", step=step))
        total, difference = found.probabilities.sum(), checks.said("output layer", found.difference)
        caption("decoding", "check-output-layer", vocabulary=vocabulary, total=total, difference=difference)
        files.sheet(*tables.content(columns), f"output-step-{step}", key="output_table")
    example()


def example() -> None:
    """Rows of numbers that the reader may change: argmax, sum, and whether each is a distribution."""
    st.header(say("decoding.rows", "Three rows by hand"), anchor=False)
    with beside("decoding", "rows"):
        typed = widgets.text(say("decoding.rows.label", "Rows of numbers, a semicolon between rows"), "rows", EXAMPLE)
        try:
            rows = read_rows(typed)
        except ReaderError as error:
            st.warning(literal.markdown(say_error(error)))
            return
        numbers = [" ".join(f"{value:g}" for value in row.values) for row in rows]
        softmax = [" ".join(map(three_digits, row.softmax)) for row in rows]
        columns = [
            tables.name(say("column.row", "row"), numbers, "number"),
            Column(say("decoding.column.argmax", "argmax, from 0"), [row.argmax for row in rows]),
            Column(say("column.sum", "sum"), [row.total for row in rows]),
            Column(say("decoding.column.distribution", "a distribution?"), list(map(verdict, rows))),
            tables.name(say("decoding.column.softmax", "softmax of the row"), softmax, "number"),
        ]
        tables.show(columns, say("decoding.rows.table", "Rows as scores"))
        caption("decoding", "check-rows", difference=checks.said("typed rows", max(row.difference for row in rows)))
        files.csv(*tables.content(columns), "rows", say("decoding.rows.csv", "Rows as CSV"))
        title = say("decoding.rows.code", "These rows in PyTorch")
        same_in_pytorch("decoding", "rows", title, rows=tuple(row.values for row in rows))
        found = None
        if typed == RAISED:
            one, other = (np.array(row.softmax) for row in rows)
            found = {"difference": float(np.abs(one - other).max())}
        experiment("decoding-linear-softmax", {"rows": RAISED}, found)


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
