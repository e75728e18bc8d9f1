"""What is generated on both sides, what each token of the target costs, and how every head's attention moved."""

from model.attribution.trace_comparison import merged
from pages.shared import differences, files, tables
from pages.shared.charts import metrics
from pages.shared.comparison import TraceComparison
from pages.shared.page_header import render_translation
from pages.shared.service import kinds_by_name
from pages.shared.texts import warn_if_cut_off
from views import attention_maps
from views.export.difference import MapPair
from views.text import terms
from views.text.catalogue import say


def render_translations(sides: TraceComparison) -> None:
    """Both translations, one below the other, and the losses of both targets."""
    cut = ("before", "after") if sides.check else ("of", "of")
    for name, text, finished, which in zip(sides.names, sides.translations, sides.finished, cut, strict=True):
        label = say("compare.translation", "Translation, {side}", side=name)
        if sides.check:
            label = say("compare.translation.greedy", "Greedy translation, {side}", side=name)
        render_translation(text or "\u2014", label)
        warn_if_cut_off(finished, which, side=name)
    first, second = (float(losses.sum()) for losses in sides.losses)
    names = (
        *(say("compare.loss", "Loss, {side} (nats)", side=name) for name in sides.names),
        say("compare.change", "Change (nats)"),
    )
    help = say("compare.loss.help", "Sum of \u2212ln p over the target, in nats.")
    metrics(*zip(names, (first, second, second - first), strict=True), help=help)


def render_token_losses(sides: TraceComparison) -> None:
    """A row for each token of the target; tokens of only one side leave the other empty."""
    losses = sides.losses
    counts = [len(side) for side in losses]
    labels = [attention_maps.numbered(trace.next_tokens) for trace in (sides.first, sides.second)]
    named, rows = [], []  # a token's name, and its losses on both sides with the change
    for one, two in merged(sides.shared_targets(), *counts):
        name = labels[0][one] if one is not None else labels[1][two]
        if one is None or two is None:
            name = say("compare.only", "{token} (only {side})", token=name, side=sides.names[one is None])
        values = [None if place is None else float(side[place]) for side, place in zip(losses, (one, two), strict=True)]
        named.append(name)
        rows.append([*values, None if None in values else values[1] - values[0]])
    top, (first, second, change) = max(float(side.max()) for side in losses), zip(*rows, strict=True)
    columns = [
        tables.name_column(terms.TOKEN(), named),
        *(
            tables.bar_column(say("compare.column.loss", "\u2212ln p, {side}, nats", side=side), values, top)
            for side, values in zip(sides.names, (first, second), strict=True)
        ),
        tables.bar_column(say("compare.column.change", "change, nats"), change, top, "difference"),
    ]
    label = say("compare.losses", "Loss of each token, in nats")
    tables.render_table(columns, say("compare.losses.table", "Loss of each token"), label=label)
    files.csv(*tables.header_and_rows(columns), "compare-losses", say("compare.losses.csv", "Losses as CSV"))


def render_one_head(sides: TraceComparison) -> None:
    """Choose kind, layer and head; both maps and the difference. At first what the last layer hands on is open."""
    kind, layer, head = differences.most_moved_head(sides.moved)
    most = {"kind": kind, "layer": str(layer + 1), "head": str(head + 1)}

    def pair_of(kind: str, layer: int, head: int) -> MapPair:
        return sides.pair(kind, layer, head, attention_maps.describe(*_place_names(sides, kind, layer, head)))

    differences.render(
        kinds_by_name(sides.kinds.values()),
        {kind: sides.shape(kind) for kind in sides.kinds},
        pair_of,
        "pair",
        "compare",
        list(sides.kinds)[-1],
        [(say("compare.open", "Open the head that moved most"), most)],
    )


def _place_names(sides: TraceComparison, kind: attention_maps.Kind, layer: int, head: int) -> tuple[str, str]:
    layers, heads = (attention_maps.ids_with_mean(count) for count in sides.shape(kind.name)[:2])
    return layers[layer], heads[head]
