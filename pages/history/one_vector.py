"""One context vector for a whole sentence: its numbers, the translations from it, and the effect of long sentences."""

import numpy as np
import streamlit as st

from model.lessons.network_comparison import ONE_VECTOR
from model.networks.recurrent_trace import RecurrentTrace
from pages.history import by_length, growing_sentence, networks, networks_compared
from pages.history.translations import render_translations
from pages.shared import checks, files
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.texts import fold_check
from views.controls import sentence_input, widgets
from views.html import bars
from views.html.bars import strip_cell
from views.text import prose
from views.text.catalogue import say

ONE_VECTOR_NETWORKS = ("rnn-vector", ONE_VECTOR)


@fragment
def render(request: Request) -> None:
    """Show the vector of the user's sentence, held-out sentences by length, or the sentence made longer."""
    views = {
        "vector": say("history.bottleneck.vector", "The vector"),
        "lengths": say("history.bottleneck.lengths", "By length"),
        "clauses": say("history.bottleneck.clauses", "Clause by clause"),
    }
    renderers = {
        "vector": render_vector,
        "lengths": by_length.render,
        "clauses": growing_sentence.render_growing_sentence,
    }
    view = widgets.pick(say("history.bottleneck", "What to see"), views, "bottleneck")
    renderers[view](request)
    if view != "lengths":  # that view states the result
        render_experiment("history-one-vector", {"bottleneck": "lengths"}, None)


def render_vector(request: Request) -> None:
    """Show the context vectors, and the translation by each of the five networks."""
    traces = {name: networks.trace_sentence(request, name) for name in ONE_VECTOR_NETWORKS}
    rows = {label: values for name in ONE_VECTOR_NETWORKS for label, values in _context_vectors(name, traces[name])}
    words = say("history.vector.table", "Context vectors of your sentence")
    theme = sentence_input.theme()
    tops = [float(np.abs(values).max()) for values in rows.values()]
    header = [
        say("history.vector.which", "context vector"),
        say("column.numbers", "numbers"),
        say("column.length", "length"),
        say("column.largest-size", "largest size"),
        say("column.values", "values"),
    ]
    lines: list[list[bars.Value]] = [
        [label, len(values), float(np.linalg.norm(values)), top, strip_cell(values, top, "encoder", theme, label)]
        for (label, values), top in zip(rows.items(), tops, strict=True)
    ]
    tokens = len(traces[ONE_VECTOR].source_tokens)
    width = len(traces[ONE_VECTOR].start_hidden)
    st.markdown(prose.block("history", "one-vector", tokens=tokens, width=width))
    st.html(bars.table(header, lines, words, whole=True))
    difference = max(_state_difference(trace) for trace in traces.values())
    fold_check("history", "one-vector-check", difference=checks.format_difference("recurrent states", difference))
    arrays = {part: array for name, trace in traces.items() for part, array in _arrays(name, trace).items()}
    files.npz("context-vectors", arrays, say("history.vector.npz", "Context vectors as NPZ"))
    files.folded_table(lambda: _data_frame(rows), key="vector_table")
    st.header(say("history.translations", "The same sentence, five networks"), anchor=False)
    render_translations(request, request.text, "translations")


def _context_vectors(name: str, trace: RecurrentTrace) -> list[tuple[str, np.ndarray]]:
    """Return the vectors between encoder and decoder, each with its label."""
    label = networks_compared.network_label(name)
    state = say("history.vector.hidden", "{network}: state h", network=label)
    vectors = [(state, trace.start_hidden)]
    if trace.start_cell is not None:
        vectors.append((say("history.vector.cell", "{network}: cell state c", network=label), trace.start_cell))
    return vectors


def _arrays(name: str, trace: RecurrentTrace) -> dict[str, np.ndarray]:
    arrays = {f"{name}.hidden": trace.start_hidden}
    return arrays if trace.start_cell is None else arrays | {f"{name}.cell": trace.start_cell}


def _state_difference(trace: RecurrentTrace) -> float:
    """Compare the decoder's initial state with the encoder's last state, and the states with PyTorch's fused layer."""
    (cells,) = trace.encoder.values()
    differences = [np.abs(trace.start_hidden - cells.hidden[0]).max()]
    if trace.start_cell is not None:
        assert cells.cell is not None  # the encoder of an LSTM
        differences.append(np.abs(trace.start_cell - cells.cell[0]).max())
    return max(float(max(differences)), trace.state_differences["encoder"])


def _data_frame(rows: dict[str, np.ndarray]):
    units = [str(place) for place in range(1, max(map(len, rows.values())) + 1)]
    return files.data_frame(np.stack(list(rows.values())), units, list(rows), say("column.unit", "unit"))
