"""The section *Lens*: what the network would say if it stopped after each layer (nostalgebraist 2020)."""

import streamlit as st

from model import Trace
from model.causal.logit_lens import LogitLens
from pages.shared import checks, files, tables
from pages.shared.code import render_program
from pages.shared.code_values import sentence
from pages.shared.page_header import Request, traced_translation_html
from pages.shared.texts import fold_check, paragraph
from views import map_labels
from views.controls import widgets
from views.html import answer_cell
from views.text import literal, terms
from views.text.catalogue import say


def read_lens(request: Request, trace: Trace) -> LogitLens:
    """Read out all layers of a trace; cached."""
    key = ("logit lens", trace.source_ids, trace.next_ids)
    return request.service.analysis(key, lambda model: model.logit_lens(trace))


def layer_name(layer: int) -> str:
    """Name of a row of the residual stream."""
    return say("circuits.lens.layer", "layer {layer}", layer=layer) if layer else say("circuits.lens.input", "input")


def render(request: Request) -> None:
    """Render the section."""
    trace = request.trace()
    st.html(traced_translation_html(request.service, trace))
    lens, label = read_lens(request, trace), request.service.model.tokenizer.labels
    said = [label(row.tolist()) for row in lens.top_ids[:, :, 0]]  # (layer, position)
    layers = range(len(said))
    paragraph("circuits", "lens-table")
    columns = [
        tables.token_column(say("circuits.lens.after", "read so far"), trace.target_tokens),
        tables.token_column(say("circuits.lens.next", "next token"), trace.next_tokens),
    ]
    for layer in layers:
        answers = zip(
            said[layer], lens.top_probabilities[layer, :, 0], lens.top_ids[layer, :, 0], trace.next_ids, strict=True
        )
        cells = [answer_cell.answer_cell(token, float(p), id == right) for token, p, id, right in answers]
        columns.append(tables.TableColumn(layer_name(layer), list(map(literal.token, said[layer])), cells))
    name = say("circuits.lens.table", "What each layer would say after each token")
    tables.render_table(columns, name)
    render_position(request, trace, lens)
    with st.container(horizontal=True):
        header, rows = all_rows(trace, lens, said)
        files.csv(header, rows, "lens", say("circuits.csv.lens", "All layers as CSV"))
        files.npz("lens", lambda: lens_arrays(lens), say("circuits.npz.lens", "All layers as NPZ"))
    fold_check("circuits", "lens-check", difference=checks.format_difference("logit lens", lens.difference))
    render_program("circuits", "lens", **sentence(request))


def render_position(request: Request, trace: Trace, lens: LogitLens) -> None:
    """Render one position in full: the most probable tokens of every layer, and the rank of the right one."""
    options = map_labels.token_options(trace.next_tokens)
    with st.container(width=300):
        place = int(widgets.select(say("circuits.lens.position", "Next token"), options, "position")) - 1
    label = request.service.model.tokenizer.labels
    top = [label(row.tolist()) for row in lens.top_ids[:, place]]
    probabilities = lens.probabilities[:, place]
    columns = [
        tables.TableColumn(say("column.layer", "layer"), [layer_name(layer) for layer in range(len(top))]),
        tables.bar_column(say("circuits.lens.right", "its probability"), probabilities, 1.0),
        tables.TableColumn(say("circuits.lens.rank", "its rank"), lens.ranks[:, place].tolist()),
        tables.bar_column(
            say("circuits.lens.divergence", "distance from the last layer, nats"),
            lens.divergence[:, place],
            float(lens.divergence[:, place].max()),
            "encoder",
        ),
    ]
    for rank in range(min(3, lens.top_ids.shape[2])):
        answers = [row[rank] for row in top]
        values = zip(answers, lens.top_probabilities[:, place, rank], lens.top_ids[:, place, rank], strict=True)
        cells = [answer_cell.answer_cell(token, float(p), id == trace.next_ids[place]) for token, p, id in values]
        title = say("circuits.lens.best", "{rank}. most probable", rank=rank + 1)
        columns.append(tables.TableColumn(title, list(map(literal.token, answers)), cells))
    name = say("circuits.lens.one", "All layers at one position")
    tables.render_table(columns, name, label=name)


def all_rows(trace: Trace, lens: LogitLens, said: list[list[str]]) -> tuple[list[str], list[list[object]]]:
    """All layers and positions as rows of a table, below a header."""
    header = [
        say("circuits.position", "position"),
        terms.TOKEN(),
        say("circuits.lens.next", "next token"),
        say("column.layer", "layer"),
        say("circuits.lens.says", "most probable"),
        terms.PROBABILITY(),
        say("circuits.lens.right.next", "probability of the next token"),
        say("circuits.lens.rank.next", "rank of the next token"),
        say("circuits.lens.divergence", "distance from the last layer, nats"),
    ]
    rows: list[list[object]] = []
    for place, (read, following) in enumerate(zip(trace.target_tokens, trace.next_tokens, strict=True)):
        for layer, answers in enumerate(said):
            numbers = (
                float(lens.top_probabilities[layer, place, 0]),
                float(lens.probabilities[layer, place]),
                int(lens.ranks[layer, place]),
                float(lens.divergence[layer, place]),
            )
            tokens = literal.token(read), literal.token(following), layer, literal.token(answers[place])
            rows.append([place + 1, *tokens, *numbers])
    return header, rows


def lens_arrays(lens: LogitLens) -> dict:
    """All tables of the result for `numpy.load`."""
    return {name: table.values for name, table in lens.tables.items()}
