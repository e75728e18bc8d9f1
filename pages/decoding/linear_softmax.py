"""From the decoder's last vector to a probability for every token, and softmax on typed rows."""

import numpy as np
import streamlit as st

from model.lessons.output_layer import ScoreRow, check_row, recompute_output
from model.runtime.messages import UserError
from pages.decoding.step import choose_step
from pages.shared import checks, files, tables
from pages.shared.code import render_program
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.tables import TableColumn
from pages.shared.texts import column_with_text, fold_check
from views.controls import widgets
from views.controls.typed_lists import read_decimals, split_rows
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import grouped, three_digits

EXAMPLE = "0.2 0.1 0.1; 0.4 0.5 0.1; 0.9 0.05 0.05"
RAISED = "0.2 0.1 0.1; 1.2 1.1 1.1"  # a row, and the same with 1 added
MOST = 8  # rows, and numbers in a row
COUNT = 10  # tokens shown


def render(request: Request) -> None:
    """Show the output layer at a step, then the worked example."""
    trace = request.trace()
    step = choose_step(trace)
    output = request.service.lesson(
        ("output layer", request.text, trace.next_ids, step), recompute_output, trace, step - 1
    )
    best = np.argsort(-output.logits, kind="stable")[:COUNT]
    powers = np.exp(output.logits - output.logits[best[0]])
    tokens, ranks = trace.tokenizer.labels(best.tolist()), list(range(1, COUNT + 1))
    columns = [
        TableColumn(say("column.rank", "rank"), ranks, list(map(str, ranks))),
        tables.token_column(say("column.token", "token"), tokens, "fr"),
        TableColumn(say("column.id", "id"), best, [str(id) for id in best.tolist()]),
        TableColumn(say("column.logit", "logit"), output.logits[best]),
        TableColumn(say("column.power", "e^(logit \u2212 largest)"), powers[best]),
        tables.bar_column(say("column.probability", "probability"), output.probabilities[best], 1),
    ]
    config = request.service.model.config
    vocabulary = grouped(config.vocabulary_size)
    with column_with_text("decoding", "linear-softmax", d_model=config.d_model, vocabulary=vocabulary):
        tables.render_table(columns, say("decoding.logits", "The largest logits of step {step}", step=step))
        total, difference = output.probabilities.sum(), checks.format_difference("output layer", output.difference)
        fold_check("decoding", "check-output-layer", vocabulary=vocabulary, total=total, difference=difference)
        files.csv_and_table(*tables.header_and_rows(columns), f"output-step-{step}", key="output_table")
    render_example()


def render_example() -> None:
    """Show argmax and sum of typed rows of numbers, and whether each is a distribution."""
    st.header(say("decoding.rows", "Three rows by hand"), anchor=False)
    with column_with_text("decoding", "rows"):
        label = say("decoding.rows.label", "Rows of numbers: a line, a list or a semicolon for each")
        typed = widgets.paragraphs(label, "rows", EXAMPLE, height=110)
        try:
            rows = parse_rows(typed)
        except UserError as error:
            st.warning(literal.markdown(say_error(error)))
            return
        texts = [" ".join(f"{value:g}" for value in row.values) for row in rows]
        softmax = [" ".join(map(three_digits, row.softmax)) for row in rows]
        columns = [
            tables.name_column(say("column.row", "row"), texts, "number"),
            TableColumn(say("decoding.column.argmax", "argmax, from 0"), [row.argmax for row in rows]),
            TableColumn(say("column.sum", "sum"), [row.total for row in rows]),
            TableColumn(say("decoding.column.distribution", "a distribution?"), list(map(verdict, rows))),
            tables.name_column(say("decoding.column.softmax", "softmax of the row"), softmax, "number"),
        ]
        tables.render_table(columns, say("decoding.rows.table", "Rows as scores"))
        fold_check(
            "decoding",
            "check-rows",
            difference=checks.format_difference("typed rows", max(row.difference for row in rows)),
        )
        files.csv(*tables.header_and_rows(columns), "rows", say("decoding.rows.csv", "Rows as CSV"))
        title = say("decoding.rows.code", "These rows in PyTorch")
        render_program("decoding", "rows", title, rows=tuple(row.values for row in rows))
        result = None
        if typed == RAISED:
            one, other = (np.array(row.softmax) for row in rows)
            result = {"difference": float(np.abs(one - other).max())}
        render_experiment("decoding-linear-softmax", {"rows": RAISED}, result)


def verdict(row: ScoreRow) -> str:
    """State whether a row is a distribution, or why not."""
    if row.is_distribution:
        return say("yes", "yes")
    if min(row.values) < 0:
        return say("decoding.verdict.negative", "no: a number is below 0")
    return say("decoding.verdict.sum", "no: the sum is {sum}", sum=three_digits(row.total))


def parse_rows(text: str) -> list[ScoreRow]:
    """Parse rows of numbers, in any form that `typed_lists.split_rows` reads.

    Raises:
        UserError: the text contains no such rows.
    """
    parts = split_rows(text)
    if not 1 <= len(parts) <= MOST or any(not 1 <= len(part) <= MOST for part in parts):
        raise UserError(
            "Type one to {most} rows of one to {most} numbers, such as {example}.", most=MOST, example=EXAMPLE
        )
    try:
        return [check_row(read_decimals(part)) for part in parts]
    except ValueError:
        raise UserError(
            "Every entry must be a finite number with a decimal point, such as {example}.", example=EXAMPLE
        ) from None
