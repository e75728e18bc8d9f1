"""`show`: the interactive view of the app in a notebook, of a trace, a causal result or arrays of weights."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal

from .model.runtime.checkpoint import write_atomically
from .shown_maps import ShowError, read_trace, read_weights
from .views.components import notebook_page
from .views.viewer.attention_maps import AttentionMaps
from .views.viewer.notebook_sections import download_files, line_sections, map_sections
from .views.viewer.result_sections import result_files, result_sections, result_title

MAX_BYTES = 48_000_000  # of weights in a page, encoded: what a browser opens without delay
VIEWS = ("maps", "lines")


class Shown:
    """A view that a notebook displays as the value of a cell; `display(shown)` displays it elsewhere.

    Attributes:
        title: the title of the view.
        html: the whole page, which needs no network and no other file.
    """

    def __init__(self, title: str, html: str, description: str) -> None:
        self.title, self.html, self._description = title, html, description

    def save(self, path: str | PathLike) -> None:
        """Write the page to a file that any browser opens, offline too.

        It contains the weights with shape `(layers, heads, queries, keys)`, unchanged.

        Raises:
            CheckpointError: the folder cannot be written to, or the disk is full; an older file is still there.
        """
        write_atomically(path, self.html.encode())

    def _repr_html_(self) -> str:
        return notebook_page.to_iframe(self.html, self.title)

    def __repr__(self) -> str:
        return f"<Shown: {self._description}>"


def show(
    given: object,
    *tokens: Sequence[str],
    kind: str | None = None,
    view: Literal["maps", "lines"] = "maps",
    layers: Sequence[int] | None = None,
    words: bool = False,
) -> Shown:
    """Return an interactive view of the app: maps of every head, lines between tokens, or a causal result as maps.

        show(trace, kind="cross")                      # of any network's `trace`
        show(attention, tokens)                        # `(layers, heads, N, N)`
        show(attention, query_tokens, key_tokens)      # `(layers, heads, Q, K)`
        show(translator.patch(clean, corrupt))         # any causal result; kind= names one of its tables

    Args:
        given: a trace; a causal result, see `frame`; or weights of NumPy or torch `(layers, heads, queries, keys)`,
            `(heads, queries, keys)` or `(queries, keys)`, or the tuple of `output_attentions=True`:
            `(1, heads, queries, keys)` a layer. Layers may differ in their number of heads.
        tokens: of both axes, or of the queries and of the keys; a trace has its own.
        kind: "encoder", "decoder", "cross" or "vision"; by default all kinds of a trace, as a choice above the maps or
            one below the other as lines. For arrays of weights it selects their wording and colours.
        view: "maps" or "lines".
        layers: neighbouring layers to show, counted from 0, such as `range(4, 8)`; all by default.
        words: whether whole words are shown at first; maps offer both, lines show only what is set here.

    Returns:
        A `Shown`: a notebook displays it, `show(...).save("view.html")` writes it to a file.

    Raises:
        ShowError: shapes, tokens or options that do not fit; states in one sentence what to pass. A subclass of
            ValueError.
    """
    if hasattr(given, "tables") and hasattr(given, "columns"):
        if tokens or view != "maps" or layers is not None or words:
            raise ShowError(
                "A result has its own axes; give it alone, or name one of its tables: show(result, kind=...)."
            )
        return _show_result(given, dict(given.tables), kind)
    if view not in VIEWS:
        raise ShowError(f"There is no view {view!r}; choose {' or '.join(VIEWS)}.")
    if hasattr(given, "records") and hasattr(given, "axes"):
        if tokens:
            raise ShowError("A trace brings its own tokens; give it alone: show(trace).")
        maps = read_trace(given, kind)
    else:
        maps = read_weights(given, tokens, kind)
    if layers is not None:
        maps = _select_layers(maps, layers)
    if (size := 2 * maps.weight_count) > MAX_BYTES:
        raise ShowError(
            f"These maps would make a page of {size / 1e6:,.0f} MB; show some of them, by kind= or "
            f"layers=range(0, 2), or fewer tokens."
        )
    sections = (map_sections if view == "maps" else line_sections)(maps, words)
    title = next(iter(maps.values())).kind.headline
    shapes = ", ".join(f"{name} {' x '.join(map(str, each.weights.shape))}" for name, each in maps.items())
    page = notebook_page.to_html(title, sections, download_files(maps, pictures=view == "maps"))
    return Shown(title, page, f"{view} of {shapes}")


def _show_result(result: object, tables: dict, kind: str | None) -> Shown:
    if kind not in (None, *tables):
        raise ShowError(f"There is no table {kind!r} here; choose one of {', '.join(tables)}.")
    tables = tables if kind is None else {kind: tables[kind]}
    if (size := 4 * sum(table.values.size for table in tables.values())) > MAX_BYTES:
        raise ShowError(f"These tables would make a page of {size / 1e6:,.0f} MB; show one of them by kind=.")
    title, sections = result_title(result), result_sections(result, tables)
    return Shown(title, notebook_page.to_html(title, sections, result_files(tables)), f"{title} of {', '.join(tables)}")


def _select_layers(maps: AttentionMaps, layers: Sequence[int]) -> AttentionMaps:
    selected, numbers = list(layers), sorted({number for each in maps.values() for number in each.layer_numbers})
    if not selected or selected != list(range(selected[0], selected[0] + len(selected))):
        raise ShowError("Give neighbouring layers in order, counted from 0, such as layers=range(4, 8).")
    first, last, count = selected[0], selected[-1], numbers[-1] + 1
    if last >= count or first < 0:
        which = f"{first} is" if first == last else f"{first} to {last} are"
        raise ShowError(f"There are {count} layers, counted from 0; {which} not among them.")
    result = maps.layers(selected)
    if not result:
        having = ", ".join(map(str, numbers))
        raise ShowError(f"No layer from {first} to {last} has attention; counted from 0, these have: {having}.")
    return result
