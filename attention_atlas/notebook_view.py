"""`show`: the interactive view of the app in a notebook, of a trace or of weights that somebody has."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal

from .attention_maps import Look, of_trace, of_weights
from .from_arrays import ShowError
from .model.runtime.checkpoint import write_atomically
from .notebook_sections import as_lines, as_maps, files_of
from .views.components import notebook_page

MOST_BYTES = 48_000_000  # of weights in a page, as they travel: what a browser opens without a wait
VIEWS = ("maps", "lines")


class Shown:
    """A view, drawn where a notebook shows the last value of a cell; `display(shown)` draws it anywhere else.

    Attributes:
        title: what the view is of.
        html: the whole page, which needs nothing else: no network, no other file.
    """

    def __init__(self, title: str, html: str, told: str) -> None:
        self.title, self.html, self._told = title, html, told

    def save(self, path: str | PathLike) -> None:
        """Write the page to a file that any browser opens, offline too.

        The weights are in it with shape `(layers, heads, queries, keys)`, each layer and head as it was given.

        Raises:
            CheckpointError: the folder cannot be written to, or the disk is full; an older file is still there.
        """
        write_atomically(path, self.html.encode())

    def _repr_html_(self) -> str:
        return notebook_page.to_iframe(self.html, self.title)

    def __repr__(self) -> str:
        return f"<Shown: {self._told}>"


def show(
    given: object,
    *tokens: Sequence[str],
    kind: str | None = None,
    view: Literal["maps", "lines"] = "maps",
    layers: Sequence[int] | None = None,
    words: bool = False,
) -> Shown:
    """The interactive view of attention, as the app draws it: maps of every head, or lines between tokens.

        show(trace, kind="cross")                      # of any network's `trace`
        show(attention, tokens)                        # `(layers, heads, N, N)`
        show(attention, query_tokens, key_tokens)      # `(layers, heads, Q, K)`

    Args:
        given: a trace; or weights of NumPy or torch `(layers, heads, queries, keys)`, `(heads, queries, keys)` or
            `(queries, keys)`, or the tuple that `output_attentions=True` gives: `(1, heads, queries, keys)` a layer.
            Layers may differ in their number of heads.
        tokens: of both axes, or of the queries and of the keys; a trace brings its own.
        kind: "encoder", "decoder", "cross" or "vision"; all that a trace has where nothing is given, to choose among in
            the maps, one below the other as lines. For given weights it says which words and colours they take.
        view: "maps" or "lines".
        layers: neighbouring layers to show, counted from 0, where not all are wanted: `range(4, 8)`.
        words: whether whole words are drawn at first; maps offer both, lines draw what is asked for here.

    Returns:
        A `Shown`: a notebook draws it, `show(...).save("view.html")` writes it to a file.

    Raises:
        ShowError: shapes, tokens or options that do not fit; one sentence says what to give. A subclass of ValueError.
    """
    if view not in VIEWS:
        raise ShowError(f"There is no view {view!r}; choose {' or '.join(VIEWS)}.")
    if hasattr(given, "records") and hasattr(given, "axes"):
        if tokens:
            raise ShowError("A trace brings its own tokens; give it alone: show(trace).")
        looks = of_trace(given, kind)
    else:
        looks = of_weights(given, tokens, kind)
    if layers is not None:
        looks = _of_layers(looks, layers)
    _check_size(looks)
    sections = (as_maps if view == "maps" else as_lines)(looks, words)
    title = looks[0].kind.headline
    shapes = ", ".join(f"{look.name} {' x '.join(map(str, look.attention.shape))}" for look in looks)
    page = notebook_page.to_html(title, sections, files_of(looks, pictures=view == "maps"))
    return Shown(title, page, f"{view} of {shapes}")


def _of_layers(looks: list[Look], layers: Sequence[int]) -> list[Look]:
    wanted = list(layers)
    if not wanted or wanted != list(range(wanted[0], wanted[0] + len(wanted))):
        raise ShowError("Give neighbouring layers in order, counted from 0, such as layers=range(4, 8).")
    found = []
    for look in looks:
        there = [layer - look.first for layer in wanted if 0 <= layer - look.first < len(look.attention)]
        found += [look.of_layers(there)] if there else []
    count = max(look.first + len(look.attention) for look in looks)
    if not found or wanted[-1] >= count or wanted[0] < 0:
        raise ShowError(f"There are {count} layers, counted from 0; {wanted[0]} to {wanted[-1]} are not among them.")
    return found


def _check_size(looks: Sequence[Look]) -> None:
    sizes = [look.attention.shape for look in looks]
    size = sum(2 * (layers + 1) * (heads + 1) * queries * keys for layers, heads, queries, keys in sizes)
    if size > MOST_BYTES:
        raise ShowError(
            f"These maps would make a page of {size / 1e6:,.0f} MB; show some of them, by kind= or "
            f"layers=range(0, 2), or fewer tokens."
        )
