"""A logit as a sum over heads, feed-forward layers, embedding and biases: bars, files and the remainder."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from model.causal.logit_attribution import LogitAttribution
from pages.shared import checks, files, tables
from pages.shared.texts import block, fold_check
from views.controls import widgets
from views.html import bars
from views.text.catalogue import Message, say, say_count
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


def choose_view() -> str:
    """Render the choice between the strongest parts and the sub-layers."""
    views = {
        STRONGEST: say("circuits.parts.strongest", "Strongest parts"),
        SUBLAYERS: say("circuits.parts.sublayers", "By sub-layer"),
    }
    return widgets.pick(say("circuits.parts", "Parts"), views, "parts")


def render_logit_parts(
    attribution: LogitAttribution, names: dict[str, str], view: str, measured: str, opened: bool = False
) -> None:
    """Render the parts of a logit as bars, their sum and the remainder, with files and check.

    Args:
        names: of the kinds of attention.
        view: `STRONGEST` or `SUBLAYERS`.
        measured: the logit in words, as Markdown.
        opened: whether the model is no network of this project; its remainder is a share of the sum of all |parts|.
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
    total, remainder = three_digits(attribution.total), abs(attribution.remainder)
    if opened:
        share = remainder / (sum(abs(part.value) for part in every) or 1.0)
        difference = checks.format_difference("parts of an opened logit", share)
        fold_check("circuits", "logit-check-opened", total=total, remainder=remainder, difference=difference)
    else:
        difference = checks.format_difference("logit parts", remainder)
        fold_check("circuits", "logit-check", total=total, difference=difference)
