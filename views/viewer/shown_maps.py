"""The maps that `show` displays, from a trace or from arrays of weights."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from operator import index
from typing import Any, get_args

import numpy as np

from ..kind_labels import ANY_ATTENTION, ANY_TOKENS, KINDS, any_model_kind
from ..map_weights import Scale
from ..text import catalogue
from ..text.catalogue import Message
from .attention_maps import AttentionMaps, KindMaps, MapAxis, from_trace
from .given_weights import GivenWeightsError, check_tokens, group_by_heads, is_causal, to_layers
from .viewer_controls import PAIRS

LAYERS = Message("show.layers", "Layers {first} to {last}")
LAYER = Message("show.layer", "Layer {first}")


def read_trace(trace: Any, kind: str | None) -> AttentionMaps:
    """All kinds of attention of a trace, or the one named `kind`.

    Raises:
        GivenWeightsError: the trace has no attention, or not this kind.
    """
    if not trace.records:
        raise GivenWeightsError(f"This {type(trace).__name__} holds no attention: its network has none.")
    listed = [name for name in trace.records if not getattr(trace, "pictures", ()) or name != "vision"]
    names = [name for name in listed if kind in (None, name, name.partition("-")[0])]  # or its parts
    if not names:
        raise GivenWeightsError(f"This trace has no attention {kind!r}; choose one of {', '.join(trace.records)}.")
    ours = KINDS if hasattr(trace, "tokenizer") else {}  # of English and French
    return from_trace(trace, {name: ours.get(name) or any_model_kind(name) for name in names})


def tower_of(trace: Any, kind: str | None) -> Any:
    """The trace itself; of a text with a picture, for the kind "vision", the trace of attention within the picture.

    Raises:
        GivenWeightsError: there are several pictures, or none of them has such attention.
    """
    pictures = getattr(trace, "pictures", ())
    if kind != "vision" or not pictures:
        return trace
    if len(pictures) > 1:
        raise GivenWeightsError("There are several pictures; show one of them, such as show(trace.pictures[0].tower).")
    if pictures[0].tower is None:
        raise GivenWeightsError("This trace has no attention within its picture; leave kind out.")
    return pictures[0].tower


def read_weights(
    attention: object,
    tokens: Sequence[object],
    kind: str | None,
    second_at: int | None,
    read_tokens: Callable[[Sequence[str]], Any],
    chosen: object = None,
) -> AttentionMaps:
    """The attention in arrays of weights; a kind for each run of layers with equally many heads.

    Args:
        attention: see `views.viewer.given_weights.to_layers`.
        tokens: the tokens of both axes, or those of the queries and those of the keys.
        kind: "encoder", "decoder" or "cross" for their wording and colours; None for neutral ones.
        second_at: the position at which the second of two texts begins, on both axes.
        read_tokens: returns labels, special marks and words of tokens; see `model.text.words.read_tokens`.
        chosen: the token that a decoder chose at each query, "" where none; None where it chose none.

    Raises:
        GivenWeightsError: see `to_layers` and `check_tokens`.
    """
    if kind is not None and kind not in KINDS:
        raise GivenWeightsError(
            f"There is no kind {kind!r} for given weights; choose one of {', '.join(KINDS)}, or none."
        )
    layers = to_layers(attention)
    queries, keys = layers[0].shape[1:]
    if not 1 <= len(tokens) <= 2:
        raise GivenWeightsError(
            "Give the tokens beside the attention: show(attention, tokens), or show(attention, query_tokens, "
            "key_tokens)."
        )
    if len(tokens) == 1 and queries != keys:
        raise GivenWeightsError(
            f"The maps have {queries:,} rows and {keys:,} columns; give two lists: show(attention, query_tokens, "
            f"key_tokens)."
        )
    sides = check_tokens(tokens[0], queries, "query"), check_tokens(tokens[-1], keys, "key")
    is_place = isinstance(second_at, int | np.integer) and 0 < second_at < queries
    if second_at is not None and (len(tokens) == 2 or not is_place):
        raise GivenWeightsError(
            f"second_at={second_at!r} is no place in one list of tokens; give that of the second text's first token."
        )
    segments = () if second_at is None else tuple(int(place >= second_at) for place in range(queries))
    read, other = map(read_tokens, sides)
    keys_axis = MapAxis(other.labels, other.special, other.words, segments)
    if chosen is not None:
        names = check_tokens(chosen, queries, "chosen")
        picked = read_tokens(names)
        labels = [label if name else "" for label, name in zip(picked.labels, names, strict=True)]
        read = read.choosing(labels, picked.special)
    queries_axis = MapAxis(read.labels, read.special, read.words, segments, read.chosen, read.kept)
    base = ANY_ATTENTION if kind is None else KINDS[kind]
    base = replace(base, queries=ANY_TOKENS[0], keys=ANY_TOKENS[1], causal=is_causal(layers))
    runs = group_by_heads(layers)
    maps = {}
    for first, weights in runs:
        last = first + len(weights)
        label = partial(LAYERS if len(weights) > 1 else LAYER, first=first + 1, last=last)
        of_run = base if len(runs) == 1 else replace(base, short=label, brief=label)
        maps[f"layers-{first + 1}"] = KindMaps(of_run, weights, queries_axis, keys_axis, tuple(range(first, last)))
    return AttentionMaps(maps)


def select_layers(maps: AttentionMaps, layers: Sequence[int]) -> AttentionMaps:
    """Only some layers, by their numbers in the network, from 0.

    Raises:
        GivenWeightsError: they are no numbers, or there are no such layers.
    """
    numbers = sorted({number for each in maps.values() for number in each.layer_numbers})
    try:
        selected = sorted({index(layer) for layer in layers})
    except TypeError:  # no list, or something else than whole numbers in it
        selected = []
    if not selected:
        raise GivenWeightsError(
            "Give the numbers of layers, counted from 0, such as layers=range(4, 8) or layers=[0, 11]."
        )
    count = numbers[-1] + 1
    if unknown := [layer for layer in selected if not 0 <= layer < count]:
        raise GivenWeightsError(f"There are {count:,} layers, counted from 0; {unknown[0]} is not among them.")
    result = maps.layers(selected)
    if not result:
        having = ", ".join(map(str, numbers))
        raise GivenWeightsError(f"None of these layers has attention; counted from 0, these have: {having}.")
    return result


def read_picture(
    trace: Any, maps: AttentionMaps
) -> tuple[np.ndarray, np.ndarray, tuple[int, int], tuple[int, ...], bool] | None:
    """Pixels, attention between CLS and the patches, grid and layers of a trace of a picture; None without one.

    Registers, and what follows the patches, are left out. Weights are `(layer, head, 1 + patch, 1 + patch)`.
    """
    pixels, grid = getattr(trace, "pixels", None), getattr(trace, "grid", None)
    if pixels is None or grid is None or len(maps) != 1:
        return None
    (shown,) = maps.values()
    leading, count = getattr(trace, "leading", 1), grid[0] * grid[1]
    places = range(leading, leading + count)
    chosen = [0, *places] if leading else list(places)
    weights = shown.weights[:, :, chosen][:, :, :, chosen].astype(np.float32)
    if not leading:
        weights = np.pad(weights, ((0, 0), (0, 0), (1, 0), (1, 0)))
    return pixels, weights, grid, shown.layer_numbers, leading > 0


# The options of `show`, checked: what each may be, and how large a page may become.

MAX_BYTES = 80_000_000  # of a page: what a browser opens without much delay
PER_WEIGHT = 8 / 3  # bytes that a weight takes in a page, in half precision and as text
VIEWS = ("maps", "lines", "text", "picture")
LANGUAGE = "ATLAS_LANGUAGE"  # the environment variable that has the language of `show`
HEIGHTS = range(120, 5001)  # pixels


def check_options(view: str | None, pair: str, scale: str | None, height: int | None) -> None:
    """Raise a GivenWeightsError for an option that there is not, with a sentence that names those there are."""
    _check_option("view", view, (None, *VIEWS))
    _check_option("pair", pair, tuple(PAIRS))
    _check_option("scale", scale, (None, *get_args(Scale)))
    if height is not None and height not in HEIGHTS:
        raise GivenWeightsError(f"A frame is from {HEIGHTS[0]} to {HEIGHTS[-1]} pixels high; height={height!r} is not.")


def page_language(lang: str | None) -> str:
    """The code of the language that is asked for, by the argument or the environment."""
    code = lang or os.environ.get(LANGUAGE) or catalogue.ENGLISH
    _check_option("language", code, tuple(catalogue.language_codes()))
    if code != catalogue.ENGLISH and find_spec("babel") is None:
        raise GivenWeightsError("Languages other than English need the package babel: pip install babel.")
    return code


def _check_option(name: str, value: object, known: tuple[object, ...]) -> None:
    if value not in known:
        names = ", ".join(str(each) for each in known if each is not None)
        raise GivenWeightsError(f"There is no {name} {value!r}; choose one of {names}.")


def check_size(maps: AttentionMaps) -> None:
    """Refuse maps whose page would be too large; of a causal kind, half of them is sent."""
    sent = sum(each.weights.size * (0.5 if each.kind.causal else 1) for each in maps.values())
    if (size := PER_WEIGHT * sent) > MAX_BYTES:
        raise GivenWeightsError(
            f"These maps would make a page of {size / 1e6:,.0f} MB, and {MAX_BYTES / 1e6:.0f} are the most; show some "
            "of them, such as layers=range(0, 2), one kind=, or fewer tokens."
        )


def check_table_size(tables: Mapping[str, Any]) -> None:
    """Refuse tables of a causal result whose page would be too large."""
    if (size := 2 * PER_WEIGHT * sum(table.values.size for table in tables.values())) > MAX_BYTES:
        raise GivenWeightsError(f"These tables would make a page of {size / 1e6:,.0f} MB; show one of them by kind=.")
