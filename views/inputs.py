"""The sentence box and the settings beside it, the same on every page and kept in the address bar.

Nothing a browser sends is trusted: the address bar can hold anything, and so can a widget's value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import streamlit as st

from views import controls, literal, maps, palette

DEFAULT = "The animal didn't cross the street because it was too tired."
EXAMPLES = (
    "I am a student.",
    "I want to buy a car.",
    DEFAULT,
    "Where did you learn to cook?",
    "She gave him the book that he had lost.",
    "We would rather stay at home tonight.",
)
METHODS = ("Greedy", "Beam", "Sampling")


@dataclass(frozen=True)
class Decoding:
    """How the next piece is chosen, as a person set it."""

    method: str = "greedy"
    beam: int = 4
    length_penalty: float = 0.6
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0


def sentence() -> str:
    """The sentence box. Returns what was typed, without characters that UTF-8 cannot carry."""
    if "text" not in st.query_params:
        # Said again on the next page, or the box would be empty there if the sentence came by a link.
        st.session_state["text"] = st.session_state.get("text", DEFAULT)
    typed = st.session_state.get("text")
    if isinstance(typed, str) and typed != literal.without_surrogates(typed):
        st.session_state["text"] = literal.without_surrogates(typed)
    # No limit here: a box that ignores what is pasted explains nothing, while the model's answer states the count.
    return (
        st.text_input("English sentence", key="text", bind="query-params", placeholder="Type an English sentence") or ""
    )


def examples(text: str) -> None:
    """Sentences to begin with; the one in the box is marked."""
    # On a phone a long example takes two lines instead of losing its end.
    st.html("<style>.st-key-example button, .st-key-example button * {white-space: normal; height: auto}</style>")
    st.session_state["example"] = text if text in EXAMPLES else None
    st.pills("Examples", EXAMPLES, key="example", label_visibility="collapsed", on_change=_take_example)


def _take_example() -> None:
    if st.session_state.get("example") in EXAMPLES:
        st.session_state["text"] = st.session_state["example"]


def decoding() -> Decoding:
    """Method and its settings. A value outside its range counts as the default."""
    method = st.segmented_control(
        "How the next piece is chosen",
        METHODS,
        default=METHODS[0],
        required=True,
        key="method",
        bind="query-params",
        help=(
            "Greedy takes the most probable piece each time. Beam keeps several beginnings and ends with the most "
            "probable whole. Sampling draws by probability."
        ),
    )
    if method == "Beam":
        with st.container(horizontal=True):
            beam = controls.number("Beginnings kept", "beam", 4, 1, 8, 1)
            penalty = controls.number("Length penalty", "penalty", 0.6, 0.0, 2.0, 0.1)
        return Decoding("beam", beam=beam, length_penalty=penalty)
    if method == "Sampling":
        with st.container(horizontal=True):
            temperature = controls.number("Temperature", "temperature", 1.0, 0.1, 3.0, 0.1)
            top_k = controls.number("Top k, 0 keeps all", "top_k", 0, 0, 1000, 1)
            top_p = controls.number("Top p", "top_p", 1.0, 0.05, 1.0, 0.05)
            seed = controls.number("Seed", "seed", 0, 0, 999_999, 1)
        return Decoding("sampling", temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
    return Decoding()


def kept() -> dict[str, str]:
    """The sentence and the settings beside it as the address bar has them, for links to other pages."""
    names = ("text", "method", "beam", "penalty", "temperature", "top_k", "top_p", "seed")
    found = {name: st.query_params[name] for name in names if name in st.query_params}
    text = st.session_state.get("text")
    return found | {"text": literal.without_surrogates(text)} if isinstance(text, str) and text else found


def choice(value: object, options: tuple[str, ...], default: str) -> str:
    """`value` if it is one of `options`, else the default."""
    return value if value in options else default


def kind(first: str = "encoder") -> maps.Kind:
    """Which attention to look at; `first` is the name of the kind that is shown until a person chooses."""
    names = {kind.name.capitalize(): kind for kind in maps.KINDS.values()}
    default = first.capitalize()
    chosen = st.segmented_control(
        "Attention", tuple(names), default=default, required=True, key="kind", bind="query-params"
    )
    return names[choice(chosen, tuple(names), default)]


def shared_scale(*, of: str = "head", first: Literal["shared", "own"] = "shared") -> bool:
    """True for one colour scale over all heads, False for one of its own for each.

    Args:
        of: what has a scale of its own.
        first: which of the two holds until a person chooses.
    """
    options = ("Shared", f"Per {of}")
    default = options[first == "own"]
    chosen = st.segmented_control(
        "Colour scale",
        options,
        default=default,
        required=True,
        key="scale",
        bind="query-params",
        help=f"Shared lets {of}s be compared; per {of} shows the pattern of weak ones.",
    )
    return choice(chosen, options, default) == options[0]


def scale(first: maps.Scale = "shared") -> maps.Scale:
    """How weights become shades on maps that are compared; `first` until a person chooses."""
    names: dict[str, maps.Scale] = {"Shared": "shared", "Per head": "own", "Logarithmic": "log"}
    chosen = controls.pick(
        "Colour scale",
        tuple(names),
        "scale",
        default=next(name for name, scale in names.items() if scale == first),
        help=(
            "Shared lets heads be compared; per head shows the pattern of weak ones; logarithmic is shared and shows "
            "weights down to a ten-thousandth of the largest."
        ),
    )
    return names[chosen]


def head(layers: list[str], heads: list[str], default: tuple[int, int] = (0, 0)) -> tuple[str, str]:
    """Layer and head of the map shown in detail; "mean" averages over all of them.

    Args:
        default: places in `layers` and `heads` that are shown first.
    """
    layer = st.selectbox("Layer", layers, default[0], key="layer", bind="query-params", width=110)
    chosen = st.selectbox("Head", heads, default[1], key="head", bind="query-params", width=110)
    return choice(layer, tuple(layers), layers[default[0]]), choice(chosen, tuple(heads), heads[default[1]])


def choose_head(layer: str, head: str) -> None:
    """Select a map from a callback, before the boxes of `head` are drawn."""
    st.session_state["layer"], st.session_state["head"] = layer, head


def patch(grid: tuple[int, int]) -> tuple[int, int]:
    """Row and column of a patch, from 0; the boxes count from 1 and begin in the middle of the picture."""
    places = [
        controls.number(f"Patch {name}", name, count // 2, 1, count, 1)
        for name, count in zip(("row", "column"), grid, strict=True)
    ]
    return places[0] - 1, places[1] - 1


def choose_patch(row: int, column: int) -> None:
    """Select a patch, counted from 0, from a callback, before the boxes of `patch` are drawn."""
    st.session_state["row"], st.session_state["column"] = row + 1, column + 1


def over_picture() -> tuple[float, float]:
    """How strongly maps cover the picture, and the share of a map that is outlined; both from 0 to 1."""
    opacity = _percent("Map over picture", "opacity", 60, "0 shows the picture alone, 100 the map alone.")
    kept = _percent(
        "Outline the strongest", "kept", 60, "Around the fewest patches that hold this share of the map; 0 draws none."
    )
    return opacity, kept


def _percent(label: str, key: str, default: int, help_text: str) -> float:
    value = st.slider(
        label, 0, 100, default, 5, format="%d %%", key=key, help=help_text, bind="query-params", width=150
    )
    return (value if isinstance(value, int) and 0 <= value <= 100 else default) / 100


def theme() -> palette.Theme:
    """Light or dark; what the browser answered counts more than what it announced when the session began."""
    return st.session_state.get("seen_theme") or ("dark" if st.context.theme.type == "dark" else "light")


def remember_theme(seen: palette.Theme) -> None:
    """Keep what the browser answered."""
    st.session_state["seen_theme"] = seen
