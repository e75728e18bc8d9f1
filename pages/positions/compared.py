"""Small translators that differ in their positions alone: one sentence through all that ship, and what was measured."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st
from numpy.typing import ArrayLike

from model import InputError
from model.lessons.network_comparison import BootstrapInterval
from model.lessons.position_effects import STACKS, PositionLosses, position_losses_in_steps
from model.lessons.positions_compared import Extremes, PositionComparison, PositionLengths, shipped_kinds
from model.networks.config import POSITION_KINDS, PositionKind
from pages.positions.compared_networks import (
    LABELS,
    NO_NUMBER,
    POSITIONS,
    SEEDS,
    ComparedNetworks,
    extremes_text,
    interval_cell,
    interval_text,
    interval_values,
    labels,
    open_networks,
    render_absent,
    seed_count,
    with_values,
)
from pages.positions.effects import STACK_LABELS
from pages.shared import checks, files
from pages.shared.charts import chart
from pages.shared.experiment import render_experiment
from pages.shared.page_header import Request
from pages.shared.texts import block, caption, column_with_text, fold_check, paragraph, warn_if_cut_off
from views.components.controls import fits
from views.components.linked_heatmaps import LinkedHeatmaps, MapSet, linked_heatmaps
from views.components.matrix_row import RowMatrix
from views.controls import sentence_input, widgets
from views.figures.intervals import IntervalSeries, intervals
from views.html import bars, generated_tokens
from views.html.generated_tokens import chart_title, label
from views.map_labels import describe
from views.text import literal
from views.text.catalogue import Message, say, say_error
from views.text.numbers import grouped, hardware, three_digits
from views.viewer.attention_maps import KindMaps, from_trace

# What networks that differ in their positions lose when tokens exchange them, on held-out sentences and on the user's.
#
# Tokens stay in their places, and so does the decoder's mask.


def render_shuffled(networks: ComparedNetworks) -> None:
    """Show the increase of the loss over held-out sentences, then that on the user's sentence."""
    paragraph("positions", "compared-shuffled")
    study = networks.study()
    if study is not None:
        render_absent("compared-unmeasured", study.kinds, tuple(networks.services))
        _render_heldout(study)
    _render_own(networks)


def _render_heldout(study: PositionComparison) -> None:
    """Show a table with bars: a row for each network, a column for each stack."""
    st.html(chart_title(_finding(study.shuffled_extremes("both"))))
    header = [POSITIONS(), SEEDS(), *(STACK_LABELS[where]() for where in STACKS)]
    largest = max(abs(interval.value) for of in study.shuffled.values() for interval in of.values())
    cells: list[list[bars.Value]] = []
    for kind in study.kinds:
        figures = [study.shuffled[kind][where] for where in STACKS]
        cells.append(
            [
                *(LABELS[kind](), seed_count(study, kind)),
                *(bars.bar_cell(each.value, largest, "decoder", interval_text(each)) for each in figures),
            ]
        )
    name = say("positions-compared.shuffled.table", "Increase of the loss with shuffled positions, held out")
    st.html(bars.table(header, cells, name, whole=True))
    counts = {"sentences": grouped(study.shuffled_sentences), "resamples": grouped(study.resamples)}
    caption("positions", "compared-shuffled-read", **counts, hardware=hardware(study.hardware))
    if study.trained_once:
        caption("positions", "compared-one-seed", names=labels(study.trained_once))
    low, high = say("positions-compared.low", "2.5th percentile"), say("positions-compared.high", "97.5th percentile")
    titles = [
        POSITIONS(),
        *(f"{title}{part}" for title in header[2:] for part in ("", f", {low}", f", {high}")),
    ]
    rows = [
        [LABELS[kind](), *(value for where in STACKS for value in interval_values(study.shuffled[kind][where]))]
        for kind in study.kinds
    ]
    files.csv(titles, rows, "positions-shuffled", say("positions-compared.shuffled.csv", "Held out as CSV"))


def _finding(extremes: Extremes) -> str:
    """State which kinds lose most and least, or that no order is known, and why."""
    values = {kind: three_digits(value) for kind, value in extremes.values.items()}
    if extremes.lowest:
        return say(
            "positions-compared.shuffled.order",
            "With shuffled positions in both stacks the loss, in nats per token, rises most with {most} and least with "
            "{least}",
            most=with_values(extremes.highest, values),
            least=with_values(extremes.lowest, values),
        )
    ordered = sorted(extremes.values, key=extremes.values.__getitem__)
    return say(
        "positions-compared.shuffled.no-order",
        "With shuffled positions in both stacks the loss rises by {low} to {high} nats per token; seeds of one kind "
        "are missing or differ as much, so no order is stated",
        low=values[ordered[0]],
        high=values[ordered[-1]],
    )


def _render_own(networks: ComparedNetworks) -> None:
    """Show the same for the user's sentence, in an order that the user chooses."""
    st.header(say("positions-compared.own", "Your sentence"), anchor=False)
    seed = widgets.number(say("positions.shuffle", "Shuffle number"), "shuffle", 0, 0, 9999)
    losses = {kind: _own_losses(networks, kind, seed) for kind in networks.traces}
    if not losses:
        return
    increases = {
        kind: [each.mean(where, "shuffled") - each.mean(where, "kept") for where in STACKS]
        for kind, each in losses.items()
    }
    largest = max(abs(increase) for row in increases.values() for increase in row)
    header = [
        POSITIONS(),
        say("positions-compared.column.kept", "\u2212ln p per token, as trained"),
        *(STACK_LABELS[where]() for where in STACKS),
    ]
    cells: list[list[bars.Value]] = []
    rows: list[list] = []
    for kind in networks.services:
        if kind not in losses:
            cells.append([LABELS[kind](), *[NO_NUMBER] * (1 + len(STACKS))])
            rows.append([LABELS[kind](), *[""] * (1 + len(STACKS))])
            continue
        kept = losses[kind].mean("both", "kept")
        rows.append([LABELS[kind](), kept, *increases[kind]])
        cells.append(
            [LABELS[kind](), kept, *(bars.bar_cell(increase, largest, "decoder") for increase in increases[kind])]
        )
    name = say("positions-compared.own.table", "Increase of the loss with shuffled positions, your sentence")
    st.html(bars.table(header, cells, name, whole=True))
    difference = max(each.difference for each in losses.values())
    put_back = checks.format_difference("positions put back", difference)
    fold_check("positions", "compared-shuffled-check", difference=put_back)
    files.csv(header, rows, "positions-shuffled-own", say("positions-compared.own.csv", "Your sentence as CSV"))


def _own_losses(networks: ComparedNetworks, kind: PositionKind, seed: int) -> PositionLosses:
    """Losses of the reference under changed positions, computed once for each order."""
    trace, service = networks.traces[kind], networks.services[kind]
    source, following = list(trace.source_ids), list(trace.next_ids)
    key = ("position losses", tuple(source), tuple(following), seed, 0)
    return service.lesson_in_steps(key, position_losses_in_steps, source, following, seed, 0)


# Held-out loss and BLEU by length of networks that differ in their positions, also beyond the lengths of training.

LOSS = Message("positions-compared.loss", "\u2212ln p per token, nats")
BLEU = Message("column.bleu", "BLEU")
Figures = Mapping[str, BootstrapInterval | None]  # by kind of positions


def render_lengths(networks: ComparedNetworks) -> dict[str, object] | None:
    """Show both figures by length as charts and tables; return the values of the experiment's result."""
    study = networks.study()
    if study is None:
        return None
    render_absent("compared-unmeasured", study.kinds, tuple(networks.services))
    result = summary(study)
    st.html(chart_title(result["finding"]))
    loss_alt = say(
        "positions-compared.loss.alt",
        "Loss of every network by the number of English tokens; the table below has the same numbers.",
    )
    bleu_alt = say(
        "positions-compared.bleu.alt",
        "BLEU of every network by the number of English tokens; the table below has the same numbers.",
    )
    everywhere = [True] * len(study.lengths)
    _render_chart(study, LOSS(), [group.loss for group in study.lengths], everywhere, "positions_loss", loss_alt)
    claimed = [group.pairs >= study.fewest_pairs for group in study.lengths]
    _render_chart(study, BLEU(), [group.bleu for group in study.lengths], claimed, "positions_bleu", bleu_alt)
    counts = {"resamples": grouped(study.resamples), "fewest": grouped(study.fewest_pairs)}
    paragraph("positions", "compared-lengths", longest=study.longest_tokens, **counts)
    _render_table(
        study, [group.loss for group in study.lengths], say("positions-compared.loss.table", "Loss by length")
    )
    _render_table(
        study, [group.bleu for group in study.lengths], say("positions-compared.bleu.table", "BLEU by length")
    )
    _render_seeds(study)
    caption("positions", "compared-measured", hardware=hardware(study.hardware))
    rows = csv_rows(study)
    files.csv(csv_header(), rows, "positions-by-length", say("positions-compared.lengths.csv", "By length as CSV"))
    return {**result}


def summary(study: PositionComparison) -> dict[str, str]:
    """What is known of the order on the longest sentences with enough pairs, and on the longest ones in training."""
    groups = {"finding": study.longest_claimed, "before": study.longest_trained}
    orders = {name: (study.loss_extremes(group), _span(group)) for name, group in groups.items()}
    return {name: extremes_text(extremes, span) for name, (extremes, span) in orders.items() if extremes is not None}


def _span(group: PositionLengths) -> str:
    return say("history.lengths.span", "{shortest} to {longest}", shortest=group.shortest, longest=group.longest)


def group_label(group: PositionLengths) -> str:
    """Name a group by its lengths and its number of pairs."""
    return say(
        "positions-compared.group",
        "{lengths} (n\u00a0=\u00a0{count})",
        lengths=_span(group),
        count=grouped(group.pairs),
    )


def _render_chart(
    study: PositionComparison, title: str, figures: Sequence[Figures], firm: Sequence[bool], key: str, alt: str
) -> None:
    """Draw a figure of every network by length, with a line where the lengths of training end."""
    series = [_series(kind, [group[kind] for group in figures]) for kind in study.kinds]
    beyond = [place for place, group in enumerate(study.lengths) if group.shortest > study.longest_tokens]
    side = say("positions-compared.beyond", "longer than in training")
    figure = intervals(
        series,
        list(map(group_label, study.lengths)),
        firm,
        sentence_input.theme(),
        say("positions-compared.tokens", "English tokens"),
        title,
        (beyond[0], side) if beyond else None,
    )
    chart(figure, key, alt)


def _series(kind: PositionKind, bands: Sequence[BootstrapInterval | None]) -> IntervalSeries:
    values, lows, highs = (
        [None if band is None else getattr(band, part) for band in bands] for part in ("value", "low", "high")
    )
    return IntervalSeries(LABELS[kind](), values, lows, highs)


def _render_table(study: PositionComparison, figures: Sequence[Figures], name: str) -> None:
    """Show a figure of every network by length with its intervals, below its name."""
    header = [POSITIONS(), SEEDS(), *map(group_label, study.lengths)]
    rows = [
        [LABELS[kind](), seed_count(study, kind), *(interval_cell(group[kind]) for group in figures)]
        for kind in study.kinds
    ]
    st.html(label(name) + bars.table(header, rows, name, whole=True, stacked=True))


def _render_seeds(study: PositionComparison) -> None:
    """Name the kinds that were trained once, and show means over seeds of the others."""
    rows = [
        [_span(group), LABELS[kind](), mean.seeds, interval_cell(mean.mean), interval_cell(bleu.mean if bleu else None)]
        for group in study.lengths
        for kind in study.kinds
        if (mean := group.loss_over_seeds.get(kind))
        for bleu in [group.bleu_over_seeds.get(kind)]
    ]
    if study.trained_once:
        paragraph("positions", "compared-one-seed", names=labels(study.trained_once))
    if not rows:
        return
    paragraph("positions", "compared-seeds")
    header = [
        say("positions-compared.tokens", "English tokens"),
        POSITIONS(),
        SEEDS(),
        LOSS(),
        BLEU(),
    ]
    st.html(bars.table(header, rows, say("positions-compared.seeds", "Means over seeds"), whole=True, stacked=True))


def csv_header() -> list[str]:
    """Return the header of the file by length."""
    low, high = say("positions-compared.low", "2.5th percentile"), say("positions-compared.high", "97.5th percentile")
    return [
        POSITIONS(),
        say("positions-compared.shortest", "shortest, English tokens"),
        say("positions-compared.longest", "longest, English tokens"),
        say("history.lengths.sentences", "sentences"),
        say("positions-compared.pairs", "pairs"),
        *(title for figure in (LOSS(), BLEU()) for title in (figure, f"{figure}, {low}", f"{figure}, {high}")),
        SEEDS(),
    ]


def csv_rows(study: PositionComparison) -> list[list]:
    """Return the rows of the file by length: both figures of every network and group, with all digits."""
    return [
        [LABELS[kind](), group.shortest, group.longest, group.sentences, group.pairs]
        + interval_values(group.loss[kind])
        + interval_values(group.bleu[kind])
        + [study.seeds[kind]]
        for kind in study.kinds
        for group in study.lengths
    ]


# Attention of networks that differ in their positions: the same kind, layer and head of each, side by side.

Maps = Mapping[PositionKind, KindMaps]
PER_ROW = 3


def render_attention(networks: ComparedNetworks) -> None:
    """Choose kind, layer and head; draw the map of every network that accepts the sentence."""
    paragraph("positions", "compared-maps")
    if not networks.traces:
        return
    labelled = networks.request.service.kinds
    of_networks = {kind: from_trace(trace, labelled) for kind, trace in networks.traces.items()}
    by_kind = {name: {kind: maps[name] for kind, maps in of_networks.items()} for name in labelled}
    kind_choice = sentence_input.kind_choice(labelled)
    chosen_kind = kind_choice.in_component()
    first = next(iter(by_kind[chosen_kind].values()))
    ids = first.layer_ids, first.head_ids
    choices = sentence_input.head_choices(*ids, (len(ids[0]) - 2, len(ids[1]) - 1))
    layer, head = (choice.in_component() for choice in choices)
    chosen = {kind_choice.key: chosen_kind, choices[0].key: layer, choices[1].key: head}
    whole = fits(sum(maps.weight_count for each in by_kind.values() for maps in each.values()))
    place = None if whole else (layer, head)
    sets = {
        name: MapSet(_matrices(maps, place), _heading(maps), ids)
        for name, maps in by_kind.items()
        if whole or name == chosen_kind
    }
    heatmaps = LinkedHeatmaps(
        sets, ("layer", "head"), [kind_choice, *choices], chosen, per_row=PER_ROW, selected_only=not whole
    )
    linked_heatmaps(heatmaps, "positions_maps", sentence_input.store_selection)
    _render_map_files(by_kind[chosen_kind], layer, head)


def _heading(maps: Maps) -> str:
    return next(iter(maps.values())).kind.heading("{map}")


def _matrices(maps: Maps, place: tuple[str, str] | None) -> list[RowMatrix]:
    """One matrix for each network: `(layer, head, query, key)` with the means, or only the map of `place`."""
    items = []
    for kind, each in maps.items():
        values = each.with_means() if place is None else each.mean(*each.place(*place))[None, None]
        items.append(_matrix(kind, each)(values=values))
    return items


def _matrix(kind: PositionKind, maps: KindMaps) -> partial[RowMatrix]:
    return partial(
        RowMatrix,
        LABELS[kind](),
        kind=maps.kind.name,
        rows=maps.queries.names,
        columns=maps.keys.names,
        read=maps.queries.labels,
        attends=True,
        row_title=maps.kind.queries(),
        column_title=maps.kind.keys(),
        signed=False,
        top=1.0,
        languages=maps.kind.languages,
    )


def _render_map_files(maps: Maps, layer: str, head: str) -> None:
    """Offer the chosen maps as a picture, and all maps of the chosen kind as numbers."""
    first = next(iter(maps.values()))
    name, title = f"positions-{first.kind.name}", first.kind.heading(describe(layer, head))
    items = [_matrix(kind, each)(values=each.mean(*each.place(layer, head))) for kind, each in maps.items()]
    arrays: dict[str, ArrayLike] = {kind: each.weights for kind, each in maps.items()}
    arrays |= {"queries": list(first.queries.labels), "keys": list(first.keys.labels)}
    arrays |= {"chosen": list(first.queries.chosen)} if first.queries.chosen else {}
    with st.container(horizontal=True):
        files.matrices(items, title, name, say("positions-compared.maps", "Maps"))
        files.npz(name, arrays, say("positions-compared.maps.npz", "All heads as NPZ"))


FEWEST = 2  # networks that can be compared
VIEWS = {
    "maps": Message("positions-compared.view.maps", "Attention"),
    "lengths": Message("positions-compared.view.lengths", "By length"),
    "shuffled": Message("positions-compared.view.shuffled", "Shuffled"),
}
RENDERERS: dict[str, Callable[[ComparedNetworks], dict[str, object] | None]] = {
    "maps": render_attention,
    "lengths": render_lengths,
    "shuffled": render_shuffled,
}


def render(request: Request) -> None:
    """Show the translations by all networks that ship, and one of three views of them."""
    kinds = shipped_kinds()
    if len(kinds) < FEWEST:
        st.info(block("positions", "compared-missing", count=len(kinds), all=len(POSITION_KINDS)))
        return
    networks = open_networks(request, kinds)
    model = networks.services[kinds[0]].model
    sizes = {
        "layers": model.config.n_encoder_layers,
        "width": model.config.d_model,
        "parameters": _parameters(networks),
        "longest": model.card.get("data", {}).get("longest_tokens", NO_NUMBER),
    }
    with column_with_text("positions", "compared", **sizes):
        _render_translations(networks)
        render_absent("compared-untrained", kinds)
    view = widgets.pick(say("positions-compared.view", "What is shown"), VIEWS, "rivals")
    result = RENDERERS[view](networks)
    _render_check(networks)
    render_experiment("positions-compared", {"rivals": "lengths"}, result)


def _parameters(networks: ComparedNetworks) -> str:
    """Their number of parameters; where some have more, the least, and the number of each of the others."""
    counts = {kind: service.model.parameters for kind, service in networks.services.items()}
    least = min(counts.values())
    others = [
        say("positions-compared.parameters-of", "{name}: {count}", name=LABELS[kind](), count=grouped(count))
        for kind, count in counts.items()
        if count != least
    ]
    if not others:
        return grouped(least)
    return say("positions-compared.parameters", "{least} ({others})", least=grouped(least), others=", ".join(others))


def _render_translations(networks: ComparedNetworks) -> None:
    """Show every network's own translation, decoded as chosen, and its loss of the page's translation."""
    header = [
        POSITIONS(),
        say("column.translation", "translation"),
        say("column.tokens", "tokens"),
        say("positions-compared.column.loss", "\u2212ln p per token of the reference"),
    ]
    request = networks.request
    cells: list[list[bars.Value]] = []
    rows: list[list] = []
    for kind, service in networks.services.items():
        label, text, count, loss = LABELS[kind](), "", None, None
        try:
            service.tokens(request.text)
            ids = service.steps(request.text, request.options)[-1].ids
        except InputError:
            pass  # stated below the table, as why there is no trace
        else:
            warn_if_cut_off(service.has_ended(ids), "of", side=label)
            text, count = service.model.tokenizer.decode(ids), len(ids)
        if kind in networks.traces:
            loss = float(service.model.score(networks.traces[kind]).mean())
        shown = generated_tokens.sentence_cell(text or NO_NUMBER)
        cells.append([label, shown, NO_NUMBER if count is None else count, NO_NUMBER if loss is None else loss])
        rows.append([label, text, "" if count is None else count, "" if loss is None else loss])
    st.html(bars.table(header, cells, say("positions-compared.translations", "Translations by positions"), whole=True))
    for kind, error in networks.refusals.items():
        st.info(block("notices", "refused-in-a-box", name=LABELS[kind](), reason=literal.markdown(say_error(error))))
    files.csv(header, rows, "positions-translations", say("positions-compared.translations.csv", "Translations as CSV"))


def _render_check(networks: ComparedNetworks) -> None:
    """State the largest difference of the traces' attention from its recomputation."""
    verifications = [trace.verify() for trace in networks.traces.values()]
    if not verifications:
        return
    fold_check(
        "positions",
        "compared-check",
        difference=checks.format_difference("attention", max(each.max_difference for each in verifications)),
        rows=checks.format_difference("row sums", max(each.row_sum_error for each in verifications)),
        masked_weight=checks.format_difference("mask leak", max(each.masked_weight for each in verifications)),
    )
