"""The section *Logit attribution*: a logit as a sum over heads, feed-forward layers, embedding and biases."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from model import Trace
from model.causal.logit_attribution import LogitAttribution
from pages.circuits.compared_sentences import quoted
from pages.shared import checks, files, tables
from pages.shared.code import render_program
from pages.shared.code_values import sentence
from pages.shared.page_header import Request, traced_translation_html
from pages.shared.texts import block, fold_check
from views import map_labels
from views.controls import sentence_input, widgets
from views.html import bars
from views.text import literal
from views.text.catalogue import Message, Untranslated, say, say_count
from views.text.numbers import three_digits

SHOWN = 20  # the strongest parts that have a row of their own
SUBLAYERS, STRONGEST = "sublayers", "strongest"
BIASES = {
    "attention": Message("circuits.bias.attention", "biases of attention"),
    "feed_forward": Message("circuits.bias.feed-forward", "biases of feed-forward"),
    "norms": Message("circuits.bias.norms", "biases of norms"),
    "output": Message("circuits.bias.output", "biases of the output"),
}


@dataclass(frozen=True)
class LogitPart:
    """One part of the sum; `kind` decides the hue of its bar."""

    name: str
    value: float
    kind: str


def single_parts(attribution: LogitAttribution, names: dict[str, str]) -> Iterator[LogitPart]:
    """Every part of the sum, in the order in which the network computes; `names`: of its kinds of attention."""
    yield LogitPart(say("circuits.part-of.embedding", "embedding"), attribution.embedding, "decoder")
    yield LogitPart(say("circuits.part-of.position", "position"), attribution.positional, "decoder")
    for layer, feed_forward in enumerate(attribution.feed_forward):
        for kind, heads in attribution.heads.items():
            for head, value in enumerate(heads[layer]):
                values = {"kind": names[kind], "layer": layer + 1, "head": head + 1}
                name = say("circuits.part-of.head", "{kind}, layer {layer}, head {head}", **values)
                yield LogitPart(name, float(value), kind)
        name = say("circuits.part-of.feed-forward", "feed-forward, layer {layer}", layer=layer + 1)
        yield LogitPart(name, float(feed_forward), "encoder")
    yield from _biases(attribution)


def summed_parts(attribution: LogitAttribution, names: dict[str, str]) -> Iterator[LogitPart]:
    """The parts of the sum with the heads of a sub-layer as one."""
    yield LogitPart(say("circuits.part-of.embedding", "embedding"), attribution.embedding, "decoder")
    yield LogitPart(say("circuits.part-of.position", "position"), attribution.positional, "decoder")
    for layer, feed_forward in enumerate(attribution.feed_forward):
        for kind, heads in attribution.heads.items():
            values = {"kind": names[kind], "layer": layer + 1}
            name = say("circuits.part-of.heads", "{kind}, layer {layer}, all heads", **values)
            yield LogitPart(name, float(heads[layer].sum()), kind)
        name = say("circuits.part-of.feed-forward", "feed-forward, layer {layer}", layer=layer + 1)
        yield LogitPart(name, float(feed_forward), "encoder")
    yield from _biases(attribution)


def _biases(attribution: LogitAttribution) -> Iterator[LogitPart]:
    for name, value in attribution.biases.items():
        yield LogitPart(BIASES[name](), value, "encoder")


def strongest_first(parts: Sequence[LogitPart]) -> list[LogitPart]:
    """The strongest parts, strongest first, and the sum of the others as one."""
    ordered = sorted(parts, key=lambda part: -abs(part.value))
    others = ordered[SHOWN:]
    if not others:
        return ordered
    name = say_count("circuits.part-of.others", "{count} other part", "{count} other parts", len(others))
    return [*ordered[:SHOWN], LogitPart(name, sum(part.value for part in others), "encoder")]


def render(request: Request) -> None:
    """Render the section."""
    trace = request.trace()
    st.html(traced_translation_html(request.service, trace))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        label, options = say("circuits.lens.position", "Next token"), map_labels.token_options(trace.next_tokens)
        place = int(widgets.select(label, options, "position", width=220)) - 1
        other = choose_other(trace, place)
        views = {
            STRONGEST: say("circuits.parts.strongest", "Strongest parts"),
            SUBLAYERS: say("circuits.parts.sublayers", "By sub-layer"),
        }
        view = widgets.pick(say("circuits.parts", "Parts"), views, "parts")
    attribution = attribute(request, trace, place, other)
    names = sentence_input.kind_names(request.service.kinds)
    render_logit_parts(attribution, names, view, _describe(trace, place, other))
    values = sentence(request) | {"position": place, "other": other}
    render_program("circuits", "logit", **values)


def choose_other(trace: Trace, place: int) -> int | None:
    """Render the choice of a token whose logit is subtracted; None for none."""
    following = trace.next_ids[place]
    rivals = [candidate for candidate in trace.predictions()[place].top if candidate.id != following]
    options: dict[str, str | Untranslated] = {"none": say("circuits.minus.nothing", "Nothing")}
    options |= {str(each.id): Untranslated(literal.visible(literal.token(each.token))) for each in rivals}
    chosen = widgets.select(say("circuits.minus", "Minus the logit of"), options, "minus", width=180)
    return None if chosen == "none" else int(chosen)


def attribute(request: Request, trace: Trace, place: int, other: int | None) -> LogitAttribution:
    """Split a logit of a trace; cached."""
    key = ("logit parts", trace.source_ids, trace.next_ids, place, other)
    return request.service.analysis(
        key, lambda model: model.logit_attribution(trace, trace.next_ids[place], other, place)
    )


def _describe(trace: Trace, place: int, other: int | None) -> str:
    token = quoted(trace.next_tokens[place])
    if other is None:
        return block("circuits", "logit-of", token=token)
    return block("circuits", "measured-difference", token=token, other=quoted(trace.tokenizer.labels([other])[0]))


def render_logit_parts(attribution: LogitAttribution, names: dict[str, str], view: str, measured: str) -> None:
    """Render the parts of a logit as bars, their sum and the remainder, with files and check.

    Args:
        names: of the kinds of attention.
        view: `STRONGEST` or `SUBLAYERS`.
        measured: the logit in words, as Markdown.
    """
    every = list(single_parts(attribution, names))
    parts = strongest_first(every) if view == STRONGEST else list(summed_parts(attribution, names))
    st.markdown(block("circuits", "logit-sum", measured=measured, logit=attribution.logit, count=len(every)))
    largest = max(abs(attribution.logit), *(abs(part.value) for part in parts))
    rest = [
        LogitPart(say("circuits.part-of.remainder", "remainder (rounding)"), attribution.remainder, "encoder"),
        LogitPart(say("circuits.part-of.sum", "sum: the logit"), attribution.logit, "decoder"),
    ]
    cells = [bars.bar_cell(part.value, largest, part.kind) for part in (*parts, *rest)]
    shown = [part.name for part in (*parts, *rest)]
    columns = [
        tables.TableColumn(say("circuits.part-of", "part"), shown),
        tables.TableColumn(say("circuits.part-of.logits", "logits"), [p.value for p in (*parts, *rest)], cells),
    ]
    tables.render_table(columns, say("circuits.parts.table", "Parts of the logit"), marked=len(shown) - 1)
    with st.container(horizontal=True):
        header = [say("circuits.part-of", "part"), say("circuits.part-of.logits", "logits")]
        rows = [[part.name, part.value] for part in (*every, *rest)]
        files.csv(header, rows, "logit-parts", say("circuits.csv.parts", "All parts as CSV"))
        arrays = {name: table.values for name, table in attribution.tables.items()}
        files.npz("logit-parts", arrays, say("circuits.npz.parts", "All parts as NPZ"))
    difference = checks.format_difference("logit parts", abs(attribution.remainder))
    fold_check("circuits", "logit-check", total=three_digits(attribution.total), difference=difference)
