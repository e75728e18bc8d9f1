"""The sentence box and the settings next to it: the same on every page, and in the URL."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from .. import kind_labels, map_labels, map_weights, palette
from ..streamlit_module import st
from ..text.catalogue import Message, Untranslated, say
from ..url_state import bound_settings
from ..url_state.codecs import OneOf
from . import widgets
from .widgets import Choice

DEFAULT = "The black cat is sleeping on the chair."  # which the model translates rightly
# What *it* refers to decides between *il* and *elle*; the model writes *elle* for both.
TIRED = "The animal didn't cross the street because it was too tired."
WIDE = "The animal didn't cross the street because it was too wide."
EXAMPLES = (
    DEFAULT,
    "I want to buy a car.",
    TIRED,
    "Where did you learn to cook?",
    "She gave him the book that he had lost.",
    "We would rather stay at home tonight.",
)
_OWN_SCALE = {"head": Message("scale.own.head", "Per head"), "map": Message("scale.own.map", "Per map")}
_SCALE_HELP = {
    "head": Message("scale.help.head", "Shared lets heads be compared; per head shows the pattern of weak ones."),
    "map": Message("scale.help.map", "Shared lets maps be compared; per map shows the pattern of weak ones."),
    "log": Message(
        "scale.help",
        "Shared lets heads be compared; per head shows the pattern of weak ones; logarithmic is shared and shows "
        "weights down to a ten-thousandth of the largest.",
    ),
}


WIDEST_BEAM = 8


@dataclass(frozen=True)
class Decoding:
    """How the next token is chosen, as the user set it; `method` is an id. Defaults are `model.DecodingOptions`'s."""

    method: str = "greedy"
    beam: int = 4
    length_penalty: float = 0.6
    temperature: float = 1.0
    top_k: int = 0
    top_p: float = 1.0
    seed: int = 0


def sentence() -> str:
    """Draw the sentence box. Returns what was typed, without characters that UTF-8 cannot carry."""
    # Always in the URL: another default of a later version must not change what a link shows.
    return widgets.text(
        say("sentence.label", "English sentence"),
        "text",
        DEFAULT,
        placeholder=say("sentence.placeholder", "Type an English sentence"),
        varies=True,
    )


def examples(text: str) -> None:
    """Draw example sentences; the one in the box is marked."""
    bound_settings.mark("example", text if text in EXAMPLES else None)
    st.pills(
        say("sentence.examples", "Examples"),
        EXAMPLES,
        format_func=lambda sentence: Untranslated(sentence)(),
        key="example",
        label_visibility="collapsed",
        on_change=_apply_example,
    )


def _apply_example() -> None:
    if (example := bound_settings.chosen_value("example")) in EXAMPLES:
        bound_settings.set_value("text", example)


def decoding(in_fold: bool = False) -> Decoding:
    """Draw the method and its settings. A value outside its range counts as the default.

    Args:
        in_fold: below "Options", closed at first, which names the method.
    """
    methods = {
        "greedy": say("decoding.greedy", "Greedy"),
        "beam": say("decoding.beam", "Beam"),
        "sampling": say("decoding.sampling", "Sampling"),
    }
    if not in_fold:
        return _decoding_controls(methods)
    chosen = bound_settings.pending_value("method", OneOf(tuple(methods)), "greedy")
    label = say("decoding.options", "Options: {method}", method=methods[chosen])
    with st.expander(label, key="decoding-options", type="compact"):
        return _decoding_controls(methods)


def _decoding_controls(methods: Mapping[str, str]) -> Decoding:
    method = widgets.pick(
        say("decoding.method", "How the next token is chosen"),
        methods,
        "method",
        help=say(
            "decoding.method.help",
            "Greedy takes the most probable token each time. Beam search keeps several hypotheses and returns the most "
            "probable whole. Sampling draws by probability.",
        ),
    )
    if method == "beam":
        with st.container(horizontal=True):
            beam = widgets.number(say("decoding.width", "Beam width"), "beam", Decoding.beam, 1, WIDEST_BEAM, 1)
            penalty = widgets.number(
                say("decoding.penalty", "Length penalty"), "penalty", Decoding.length_penalty, 0.0, 2.0, 0.1
            )
        return Decoding(method, beam=beam, length_penalty=penalty)
    if method == "sampling":
        with st.container(horizontal=True):
            temperature = widgets.number(
                say("decoding.temperature", "Temperature"), "temperature", Decoding.temperature, 0.1, 3.0, 0.1
            )
            top_k = widgets.number(say("decoding.top-k", "Top k, 0 keeps all"), "top_k", Decoding.top_k, 0, 1000, 1)
            top_p = widgets.number(say("decoding.top-p", "Top p"), "top_p", Decoding.top_p, 0.05, 1.0, 0.05)
            seed = widgets.number(say("decoding.seed", "Seed"), "seed", Decoding.seed, 0, 999_999, 1)
        return Decoding(method, temperature=temperature, top_k=top_k, top_p=top_p, seed=seed)
    return Decoding()


def kind_names(kinds: Mapping[str, kind_labels.Kind]) -> dict[str, str]:
    """Labels of a model's kinds of attention on controls."""
    return {name: kind.short() for name, kind in kinds.items()}


def kind_choice(kinds: Mapping[str, kind_labels.Kind], first: str = "") -> Choice:
    """The choice among the model's kinds of attention; its default is `first`, or the model's first kind."""
    names = kind_names(kinds)
    return Choice(say("kind.label", "Attention"), names, "kind", first or next(iter(names)), varies=True)


def kind(kinds: Mapping[str, kind_labels.Kind], first: str = "") -> kind_labels.Kind:
    """Draw `kind_choice` as buttons and return the selected kind."""
    return kinds[kind_choice(kinds, first).pick()]


def scale_choice(
    first: map_weights.Scale = "shared", *, of: Literal["head", "map"] = "head", log: bool = True
) -> Choice[map_weights.Scale]:
    """The choice of the colour scale of maps that are compared; its default is `first`.

    Args:
        of: what can have a scale of its own.
        log: one of the options is logarithmic.
    """
    options: dict[map_weights.Scale, str] = {"shared": say("scale.shared", "Shared"), "own": _OWN_SCALE[of]()}
    if log:
        options["log"] = say("scale.log", "Logarithmic")
    return Choice(say("scale", "Colour scale"), options, "scale", first, _SCALE_HELP["log" if log else of](), True)


def scale(
    first: map_weights.Scale = "shared", *, of: Literal["head", "map"] = "head", log: bool = True
) -> map_weights.Scale:
    """Draw `scale_choice` as buttons and return the selected scale."""
    return scale_choice(first, of=of, log=log).pick()


def head_choices(layers: list[str], heads: list[str], default: tuple[int, int] = (0, 0)) -> tuple[Choice, Choice]:
    """The choices of layer and head of the map shown in detail; `default` are indices. "mean" averages over all."""
    return (
        Choice(say("layer", "Layer"), map_labels.option_labels(layers), "layer", layers[default[0]], varies=True),
        Choice(say("head", "Head"), map_labels.option_labels(heads), "head", heads[default[1]], varies=True),
    )


def head(layers: list[str], heads: list[str], default: tuple[int, int] = (0, 0)) -> tuple[str, str]:
    """Draw `head_choices` as two lists and return the selected layer and head."""
    layer, head = head_choices(layers, heads, default)
    return layer.select(width=110), head.select(width=110)


def store_selection(selection: Mapping[str, str]) -> None:
    """Store, in a callback, what was selected in a component: an option of each of its choices."""
    for name, value in selection.items():
        if value != bound_settings.current_value(name):
            bound_settings.set_value(name, value)


def choose_head(layer: str, head: str) -> None:
    """Select a map, in a callback."""
    bound_settings.set_value("layer", layer)
    bound_settings.set_value("head", head)


def patch(grid: tuple[int, int]) -> tuple[int, int]:
    """Draw boxes for row and column of a patch, and return both from 0. The default is the middle of the picture."""
    rows, columns = grid
    row = widgets.number(say("patch.row.label", "Patch row"), "row", rows // 2, 1, rows, 1)
    column = widgets.number(say("patch.column.label", "Patch column"), "column", columns // 2, 1, columns, 1)
    return row - 1, column - 1


def patch_choices(grid: tuple[int, int]) -> tuple[Choice, Choice]:
    """The choices of row and column of a patch, from 1. The default is the middle of the picture."""
    return (
        _patch_choice(say("patch.row.label", "Patch row"), "row", grid[0]),
        _patch_choice(say("patch.column.label", "Patch column"), "column", grid[1]),
    )


def _patch_choice(label: str, key: str, count: int) -> Choice[str]:
    return Choice(label, [map_labels.to_id(number) for number in range(count)], key, str(count // 2))


def choose_patch(row: int, column: int) -> None:
    """Select a patch, counted from 0, in a callback."""
    bound_settings.set_value("row", map_labels.to_id(row))
    bound_settings.set_value("column", map_labels.to_id(column))


def overlay_choices() -> tuple[Choice, Choice]:
    """The choices of the opacity of maps over the picture, and of the share of a map that is outlined, in percent."""
    return (
        _percent(
            say("picture.opacity", "Map over picture"),
            "opacity",
            say("picture.opacity.help", "0 shows the picture alone, 100 the map alone."),
        ),
        _percent(
            say("picture.outline", "Outline the strongest"),
            "kept",
            say(
                "picture.outline.help",
                "Outlines the smallest set of patches with this share of the map; 0 draws no outline.",
            ),
        ),
    )


def _percent(label: str, key: str, help_text: str) -> Choice:
    options = {str(share): Untranslated(f"{share} %") for share in range(0, 101, 5)}
    return Choice(label, options, key, "60", help_text)


def theme() -> palette.Theme:
    """Light or dark: what a component reported, else what the browser sent when the session began."""
    return st.session_state.get("seen_theme") or ("dark" if st.context.theme.type == "dark" else "light")


def remember_theme(theme: palette.Theme) -> None:
    """Store the theme that a component reported."""
    st.session_state["seen_theme"] = theme
