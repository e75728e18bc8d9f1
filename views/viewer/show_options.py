"""The options of `show`, checked: what each may be, and how large a page may become."""

import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, get_args

from ..map_weights import Scale
from ..text import catalogue
from .attention_maps import AttentionMaps
from .given_weights import GivenWeightsError
from .viewer_controls import PAIRS

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
