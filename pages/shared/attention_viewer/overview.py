"""All maps of one kind, and the chosen one in detail."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from pages.shared import files
from pages.shared.attention_viewer import downsampled
from pages.shared.attention_viewer.export import SavedView, render_export, view_link
from pages.shared.attention_viewer.provenance import ViewedAttention, WordGrouping, prepare
from pages.shared.texts import paragraph
from views import attention_maps
from views.components.attention_grid import Detail, Sheet, snapshot
from views.components.attention_kinds import SheetsOfKinds, SheetWords, attention_kinds
from views.controls import sentence_input
from views.controls.widgets import Choice
from views.export import downloads, drawing
from views.export.matrices import HeadMap, map_drawing
from views.text.catalogue import say


def render(
    subjects: Mapping[str, ViewedAttention], words: Mapping[str, WordGrouping], choices: Sequence[Choice]
) -> ViewedAttention:
    """Overview left, detail right, drawn by the browser as it is chosen; below, the files of what is chosen.

    Args:
        subjects: of tokens, by kind.
        words: what the tokens of each kind are joined to, where they can be.
        choices: among kinds, units and special tokens.

    Returns:
        What is chosen, as it was wanted.
    """
    if downsampled.is_large(subjects):
        subject, layer, head, scale = downsampled.render(subjects, words, choices)
        _render_files(subject, layer, head, scale)
        return subject
    shown = initial_kinds(subjects, words, choices, Choice.inside)
    attention_kinds(shown, key="grid", on_choose=sentence_input.store_selection)
    paragraph("attention_viewer", "overview")
    chosen = shown.chosen
    subject = subjects[chosen.get("kind", next(iter(subjects)))]
    subject = prepare(subject, words.get(subject.kind.name), chosen)
    _render_files(subject, chosen["layer"], chosen["head"], chosen["scale"])
    return subject


def initial_kinds(
    subjects: Mapping[str, ViewedAttention],
    words: Mapping[str, WordGrouping],
    choices: Sequence[Choice],
    taken: Callable[[Choice], str],
) -> SheetsOfKinds:
    """What the browser is given; see `show`. `taken` says what is chosen of a choice."""
    chosen = {choice.key: taken(choice) for choice in choices}
    subject = subjects[chosen.get("kind", next(iter(subjects)))]
    scales = sentence_input.scale_choice("own" if subject.kind.places else "shared")
    heads = sentence_input.head_choices(subject.layers, subject.heads)
    chosen |= {choice.key: taken(choice) for choice in (*heads, scales)}
    most = max(subjects.values(), key=lambda each: each.attention.shape[:2])  # kinds may differ in layers and heads
    offered = [*choices, *sentence_input.head_choices(most.layers, most.heads), scales]
    sheets = {name: _sheet(each, "shared", (0, 0)) for name, each in subjects.items()}
    whole = {name: SheetWords(*each.axes, _detail(each.kind)) for name, each in words.items()}
    special = frozenset().union(*(each.special for each in subjects.values()))
    return SheetsOfKinds(sheets, whole, special, offered, chosen)


def _sheet(subject: ViewedAttention, scale: attention_maps.Scale, selected: tuple[int, int]) -> Sheet:
    kind = subject.kind
    return Sheet(
        attention_maps.with_means(subject.attention),  # (layers + 1, heads + 1, query, key)
        subject.layers,
        subject.heads,
        subject.queries,
        subject.keys,
        kind.name,
        kind.title,
        kind.causal,
        scale != "own",
        selected,
        log_scale=scale == "log",
        places=kind.places,
        detail=_detail(kind),
    )


def _detail(kind: attention_maps.Kind) -> Detail:
    return Detail(kind.heading("{map}"), kind.query_axis, kind.key_axis)


def _render_files(subject: ViewedAttention, layer: str, head: str, scale: attention_maps.Scale) -> None:
    """What is chosen, to be saved."""
    kind, attention = subject.kind, subject.attention
    selected = subject.layers.index(layer), subject.heads.index(head)
    weights = attention_maps.single_map(attention, *selected)  # (query, key)
    shown = HeadMap(
        weights,
        subject.queries,
        subject.keys,
        kind,
        attention_maps.describe(layer, head),
        top=1.0 if scale == "log" else float((weights if scale == "own" else attention).max()),
        log=scale == "log",
    )
    everything = lambda: downloads.attention_npz(kind.name, attention, subject.queries, subject.keys)  # noqa: E731
    files.map_files(shown, name=f"{kind.name}-layer-{layer}-head-{head}")
    files.download(say("viewer.npz", "All heads as NPZ"), everything, f"{kind.name}.npz")
    sheet = partial(
        downsampled.block_sheet if downsampled.is_large({"": subject}) else _sheet, subject, scale, selected
    )
    _render_export(subject, sheet, shown, {"look": "maps", "layer": layer, "head": head, "scale": scale}, scale)


def _render_export(
    subject: ViewedAttention,
    sheet: Callable[[], Sheet],
    shown: HeadMap,
    chosen: dict[str, object],
    scale: attention_maps.Scale,
) -> None:
    drawn = {
        "map.csv": lambda: downloads.matrix_csv(shown.weights, shown.queries, shown.keys, shown.kind),
        "map.svg": lambda: drawing.to_svg(map_drawing(shown)),
    }
    table = say("viewer.map.csv.about", "the open map, {place}: a row a query, a column a key.", place=shown.place)
    said = {"map.csv": table, "map.svg": say("viewer.map.svg.about", "the same as a picture.")}
    render_export(
        SavedView(subject, chosen, view_link(subject), scale, "file-of-maps", lambda: snapshot(sheet()), drawn, said)
    )
