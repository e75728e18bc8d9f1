"""The view "Maps": all maps of one kind, and the chosen one in detail."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pages.shared import files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.export import SavedView, render_export, view_link
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, prepare
from pages.shared.texts import paragraph
from views import kind_labels, map_labels, map_weights
from views.components.attention_grid import Detail, Sheet, snapshot
from views.components.attention_kinds import SheetsOfKinds, SheetWords, attention_kinds
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.export import downloads, drawing
from views.export.matrices import HeadMap, map_drawing
from views.text.catalogue import say


def render(
    by_kind: Mapping[str, ViewedAttention], words: Mapping[str, WordGrouping], choices: Sequence[Choice]
) -> ViewedAttention:
    """Render the overview left and the detail right, which the browser draws; below, downloads of the chosen map.

    Args:
        by_kind: attention of tokens, by kind.
        words: the words of each kind's tokens, where they have some.
        choices: among kinds, units and special tokens.

    Returns:
        The chosen attention, prepared as chosen.
    """
    if downsampled.is_large(by_kind):
        viewed, layer, head, scale = downsampled.render(by_kind, words, choices)
        _render_files(viewed, layer, head, scale)
        return viewed
    content = initial_kinds(by_kind, words, choices, lambda choice: choice.in_component())
    attention_kinds(content, key="grid", on_choose=sentence_input.store_selection)
    paragraph("attention_viewer", "overview")
    chosen = content.chosen
    viewed = by_kind[chosen.get("kind", next(iter(by_kind)))]
    viewed = prepare(viewed, words.get(viewed.kind.name), chosen)
    _render_files(viewed, chosen["layer"], chosen["head"], _scale_choice(viewed).in_component())
    return viewed


def initial_kinds(
    by_kind: Mapping[str, ViewedAttention],
    words: Mapping[str, WordGrouping],
    choices: Sequence[Choice],
    selected: Callable[[Choice], str],
) -> SheetsOfKinds:
    """Return the component's content; see `render`. `selected` returns the chosen option of a choice."""
    chosen = {choice.key: selected(choice) for choice in choices}
    viewed = by_kind[chosen.get("kind", next(iter(by_kind)))]
    scales = _scale_choice(viewed)
    heads = sentence_input.head_choices(viewed.layers, viewed.heads)
    chosen |= {choice.key: selected(choice) for choice in (*heads, scales)}
    all_layers = map_labels.join_ids(each.layers for each in by_kind.values())
    all_heads = map_labels.join_ids(each.heads for each in by_kind.values())
    all_choices = [*choices, *sentence_input.head_choices(all_layers, all_heads), scales]
    sheets = {name: _sheet(each, "shared", (0, 0)) for name, each in by_kind.items()}
    whole = {name: SheetWords(*each.axes, _detail(each.kind)) for name, each in words.items()}
    special = frozenset(name for each in by_kind.values() for name in each.special)
    return SheetsOfKinds(sheets, whole, special, all_choices, chosen)


def _scale_choice(viewed: ViewedAttention) -> Choice[map_weights.Scale]:
    return sentence_input.scale_choice("own" if viewed.kind.places else "shared")


def _sheet(viewed: ViewedAttention, scale: map_weights.Scale, selected: tuple[int, int]) -> Sheet:
    kind = viewed.kind
    return Sheet(
        map_weights.with_means(viewed.attention),  # (layers + 1, heads + 1, query, key)
        viewed.layers,
        viewed.heads,
        viewed.queries,
        viewed.keys,
        kind.name,
        kind.title,
        kind.causal,
        scale != "own",
        selected,
        log_scale=scale == "log",
        places=kind.places,
        detail=_detail(kind),
    )


def _detail(kind: kind_labels.Kind) -> Detail:
    return Detail(kind.heading("{map}"), kind.query_axis, kind.key_axis)


def _render_files(viewed: ViewedAttention, layer: str, head: str, scale: map_weights.Scale) -> None:
    """Render downloads of the chosen map."""
    kind, attention = viewed.kind, viewed.attention
    selected = viewed.layers.index(layer), viewed.heads.index(head)
    weights = map_weights.single_map(attention, *selected)  # (query, key)
    head_map = HeadMap(
        weights,
        viewed.queries,
        viewed.keys,
        kind,
        map_labels.describe(layer, head),
        top=1.0 if scale == "log" else float((weights if scale == "own" else attention).max()),
        log=scale == "log",
    )
    everything = lambda: downloads.attention_npz(kind.name, attention, viewed.queries, viewed.keys)  # noqa: E731
    files.map_files(head_map, name=f"{kind.name}-layer-{layer}-head-{head}")
    files.download(say("viewer.npz", "All heads as NPZ"), everything, f"{kind.name}.npz")
    sheet = partial(downsampled.block_sheet if downsampled.is_large({"": viewed}) else _sheet, viewed, scale, selected)
    _render_export(viewed, sheet, head_map, {"look": "maps", "layer": layer, "head": head, "scale": scale}, scale)


def _render_export(
    viewed: ViewedAttention,
    sheet: Callable[[], Sheet],
    head_map: HeadMap,
    chosen: dict[str, object],
    scale: map_weights.Scale,
) -> None:
    content = head_map.weights, head_map.queries, head_map.keys, head_map.kind
    makers: dict[str, Callable[[], bytes | str]] = {
        "map.csv": lambda: downloads.matrix_csv(*content),
        "map.svg": lambda: drawing.to_svg(map_drawing(head_map)),
    }
    table = say("viewer.map.csv.about", "the open map, {place}: a row a query, a column a key.", place=head_map.place)
    lines = {"map.csv": table, "map.svg": say("viewer.map.svg.about", "the same as a picture.")}
    render_export(
        SavedView(viewed, chosen, view_link(viewed), scale, "file-of-maps", lambda: snapshot(sheet()), makers, lines)
    )
