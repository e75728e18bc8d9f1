"""`show`: the interactive view of the app in a notebook, of a trace, a causal result or arrays of weights."""

from collections.abc import Sequence
from os import PathLike
from typing import Literal

from .model.runtime.checkpoint import write_atomically
from .model.runtime.messages import UserError
from .model.text.words import read_tokens
from .views.components import notebook_page
from .views.map_weights import Scale
from .views.text import catalogue
from .views.viewer.notebook_sections import (
    FirstChoices,
    download_files,
    line_sections,
    map_sections,
    picture_sections,
    pictured_text_sections,
    text_sections,
)
from .views.viewer.pictured_maps import pictures_in_text, with_part_names, with_pictures_as_one
from .views.viewer.result_sections import result_files, result_sections, result_title
from .views.viewer.shown_maps import (
    GivenWeightsError,
    check_options,
    check_size,
    check_table_size,
    page_language,
    read_picture,
    read_trace,
    read_weights,
    select_layers,
    tower_of,
)


class ShowError(UserError, GivenWeightsError):
    """The arguments of `show` cannot be shown; the message states in one sentence why and what to pass."""


class Shown:
    """A view that a notebook displays as the value of a cell; `display(shown)` displays it elsewhere.

    Attributes:
        title: the title of the view.
        html: the whole page, which needs no network and no other file.
    """

    def __init__(self, title: str, html: str, description: str, height: int | None = None) -> None:
        self.title, self.html, self._description, self._height = title, html, description, height

    def save(self, path: str | PathLike) -> None:
        """Write the page to a file that any browser opens, offline too.

        It contains the weights with shape `(layers, heads, queries, keys)`, unchanged.

        Raises:
            CheckpointError: the folder cannot be written to, or the disk is full; an older file is still there.
        """
        write_atomically(path, self.html.encode())

    def _repr_html_(self) -> str:
        return notebook_page.to_iframe(self.html, self.title, self._height)

    def __repr__(self) -> str:
        return f"<Shown: {self._description}>"


def show(
    given: object,
    *tokens: Sequence[str],
    kind: str | None = None,
    view: Literal["maps", "lines", "text", "picture"] | None = None,
    layers: Sequence[int] | None = None,
    words: bool = False,
    pair: str = "all",
    second_at: int | None = None,
    scale: Scale | None = None,
    height: int | None = None,
    lang: str | None = None,
    chosen: Sequence[str] | None = None,
) -> Shown:
    """Return an interactive view of the app: maps of every head, lines, running text, a picture, or a causal result.

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
        view: "maps"; "lines"; "text", running text coloured by what the token under the pointer attends to; or
            "picture", attention over the picture of a trace, or the running text with its pictures in it. By default
            "picture" where there is one, else "maps". Other views show a picture in a text as one token.
        layers: those to show, counted from 0, such as `range(4, 8)` or `[0, 5, 11]`; all by default.
        words: whether whole words are shown at first; maps and text offer both, lines of one text what is set here.
        pair: of two texts, which attends to which at first: "all", "aa", "ab", "ba" or "bb".
        second_at: for arrays, the position at which the second of two texts begins; a trace contains it.
        scale: the colour scale of maps at first: "shared" by all maps, "own" for each, or "log"; by default shared,
            and logarithmic from 64 tokens on, where a shared scale leaves most maps blank.
        height: of the frame in pixels, in which the page then scrolls, for notebooks that limit the height of an
            output; by default that of the content.
        lang: the language of the page, "en" or "ko"; by default that of the environment variable ATLAS_LANGUAGE, else
            English.
        chosen: for arrays of a decoder, the token that it chose at each query, "" where none; a row is then named by
            both, such as "chat \u2192 noir". A trace contains them.

    Returns:
        A `Shown`: a notebook displays it, `show(...).save("view.html")` writes it to a file.

    Raises:
        ShowError: shapes, tokens or options that do not fit; states in one sentence what to pass. A subclass of
            ValueError.
    """
    try:
        with catalogue.using_language(page_language(lang)):
            return _show(given, tokens, kind, view, layers, words, pair, second_at, scale, height, chosen)
    except GivenWeightsError as error:
        raise ShowError(str(error)) from None


def _show(
    given: object,
    tokens: tuple[Sequence[str], ...],
    kind: str | None,
    view: str | None,
    layers: Sequence[int] | None,
    words: bool,
    pair: str,
    second_at: int | None,
    scale: Scale | None,
    height: int | None,
    chosen: Sequence[str] | None,
) -> Shown:
    if hasattr(given, "tables") and hasattr(given, "columns"):
        others = (layers, scale, chosen)
        if tokens or view not in (None, "maps") or words or pair != "all" or any(each is not None for each in others):
            raise GivenWeightsError(
                "A result has its own axes; give it alone, or one of its tables: show(result, kind=...)."
            )
        return _show_result(given, dict(given.tables), kind, height)
    check_options(view, pair, scale, height)
    if is_trace := hasattr(given, "records") and hasattr(given, "axes"):
        if tokens or second_at is not None or chosen is not None:
            raise GivenWeightsError("A trace brings its own tokens and knows where a second text begins: show(trace).")
        given = tower_of(given, kind)
        maps = read_trace(given, kind)
    else:
        maps = read_weights(given, tokens, kind, second_at, read_tokens, chosen)
    maps = maps if layers is None else select_layers(maps, layers)
    pictures = pictures_in_text(given) if is_trace else []
    picture = read_picture(given, maps) if is_trace and not pictures and view in (None, "picture") else None
    if view == "picture" and picture is None and not pictures:
        raise GivenWeightsError('Only a trace of a picture is drawn over it; choose view="maps", "lines" or "text".')
    if pair != "all" and not maps.has_pair:
        raise GivenWeightsError("There is one text only, so there is no pair of texts to choose; leave pair out.")
    check_size(maps)
    view = view or ("picture" if picture is not None or pictures else "maps")
    if picture is not None:
        sections = picture_sections(*picture)
    elif view == "picture":
        sections = pictured_text_sections(maps := with_part_names(maps, pictures), pictures)
    else:
        maps = with_pictures_as_one(maps, pictures) if pictures else maps
        render = {"maps": map_sections, "lines": line_sections, "text": text_sections}[view]
        sections = render(maps, FirstChoices(words, pair, scale))
    title = next(iter(maps.values())).kind.headline
    shapes = ", ".join(f"{name} {' x '.join(map(str, each.weights.shape))}" for name, each in maps.items())
    page = notebook_page.to_html(title, sections, download_files(maps, pictures=view == "maps"))
    return Shown(title, page, f"{view} of {shapes}", height)


def _show_result(result: object, tables: dict, kind: str | None, height: int | None) -> Shown:
    if kind not in (None, *tables):
        raise GivenWeightsError(f"There is no table {kind!r} here; choose one of {', '.join(tables)}.")
    tables = tables if kind is None else {kind: tables[kind]}
    check_table_size(tables)
    title, sections = result_title(result), result_sections(result, tables)
    page = notebook_page.to_html(title, sections, result_files(tables))
    return Shown(title, page, f"{title} of {', '.join(tables)}", height)
