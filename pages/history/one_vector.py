"""One context vector for a whole sentence: its numbers, the translations from it, and the effect of long sentences."""

import numpy as np
import streamlit as st

from model import InputError
from model.lessons.growing_sentence import (
    LengthenedPair,
    LengtheningLosses,
    NoSharedTokensError,
    add_clauses,
    lengthening_losses,
)
from model.lessons.network_comparison import NETWORKS, ONE_VECTOR, TRANSFORMER
from model.networks.recurrent_trace import RecurrentTrace
from pages.history import by_length, networks, networks_compared
from pages.history.translations import render_translations
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.experiment import render_experiment
from pages.shared.fragments import fragment
from pages.shared.page_header import Request
from pages.shared.target_input import REFERENCES
from pages.shared.texts import fold_check
from views.controls import sentence_input, widgets
from views.figures.line_chart import ChartLine, lines
from views.html import bars, generated_tokens
from views.html.bars import strip_cell
from views.text import literal, prose
from views.text.catalogue import Untranslated, say, say_error
from views.text.numbers import signed

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
        "clauses": render_growing_sentence,
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


# The user's sentence made longer clause by clause, and how the loss of each network over its first tokens grows.


def render_growing_sentence(request: Request) -> None:
    """Show a box for the French, the curves, their numbers, and the translations of one of the sentences."""
    st.markdown(prose.block("history", "clauses"))
    target = _choose_target(request)
    if target is None:
        return
    grown = add_clauses(request.service.model, request.text, target)
    if len(grown) < 2:
        st.warning(prose.block("history", "clauses-too-long"))
        return
    try:
        losses = {name: _losses(request, name, grown) for name in NETWORKS}
    except NoSharedTokensError as error:
        st.warning(literal.markdown(say_error(error)))
        return
    parts = {"own": say("history.clauses.own", "Your tokens"), "whole": say("history.clauses.whole", "Whole target")}
    part = widgets.pick(say("history.clauses.part", "Loss over"), parts, "counted")
    render_curves(grown, losses, part)
    place = widgets.slider(say("history.clauses.number", "Clauses added"), "clauses", 0, 0, len(grown) - 1)
    st.html(
        generated_tokens.label(say("history.clauses.source", "Source"))
        + generated_tokens.sentence(grown[place].source, "en")
    )
    st.html(
        generated_tokens.label(say("history.clauses.target", "Target"))
        + generated_tokens.sentence(grown[place].target, "fr")
    )
    render_translations(request, grown[place].source, "longer-translations")


def render_curves(grown: tuple[LengthenedPair, ...], losses: dict[str, LengtheningLosses], part: str) -> None:
    """Show a curve for each network over the number of clauses, and the same as a table."""
    x = np.array([pair.clauses for pair in grown])
    series = [
        ChartLine(
            networks_compared.network_label(name),
            x,
            getattr(losses[name], part),
            index,
            ("solid", "dash", "dot")[index % 3],
            marks=True,
        )
        for index, name in enumerate(NETWORKS)
    ]
    titles = say("history.clauses.number", "Clauses added"), say("training.nats", "nats per token")
    figure = lines(series, sentence_input.theme(), *titles)
    figure.update_xaxes(dtick=1)
    alt = say(
        "history.clauses.chart",
        "Loss of five networks by the number of clauses added; the table below has the same numbers.",
    )
    chart(figure, "clauses_chart", alt)
    shared = losses[TRANSFORMER].shared
    difference = checks.format_difference("two passes", max(one.difference for one in losses.values()))
    header = [say("history.clauses.number", "Clauses added"), say("history.clauses.words", "words")]
    header += [networks_compared.network_label(name) for name in NETWORKS]
    rows = [
        [pair.clauses, pair.words, *(float(getattr(losses[name], part)[number]) for name in NETWORKS)]
        for number, pair in enumerate(grown)
    ]
    st.html(bars.table(header, rows, say("history.clauses.table", "Loss by clauses"), whole=True))
    fold_check("history", "clauses-check", difference=difference)
    increase = {name: signed(one.own[-1] - one.own[0]) for name, one in losses.items()}
    networks = {"vector": ONE_VECTOR, "additive": "lstm-additive", "dot": "lstm-dot", "transformer": TRANSFORMER}
    values = {key: increase[name] for key, name in networks.items()}
    st.markdown(prose.block("history", "clauses-found", count=grown[-1].clauses, shared=shared, **values))
    st.markdown(prose.block("history", "clauses-read", shared=shared))
    label = say("history.clauses.csv", "Losses as CSV")
    files.csv(header, rows, f"losses-by-clauses-{part}", label)


def _choose_target(request: Request) -> str | None:
    """Return the French of the user's sentence: typed, a reference or the Transformer's own; None if it is unusable."""
    proposal = REFERENCES.get(request.text) or request.service.model.tokenizer.decode(request.translation())
    label = say("history.clauses.french", "French of your sentence")
    typed = widgets.text(label, "french", "", placeholder=Untranslated(literal.visible(proposal))())
    if not typed.strip():
        return proposal
    try:
        request.service.model.check(typed)
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        return None
    return typed


def _losses(request: Request, name: str, grown: tuple[LengthenedPair, ...]) -> LengtheningLosses:
    return networks_compared.service_of(request, name).analysis(("grown", grown), lengthening_losses, grown)
