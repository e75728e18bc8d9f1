"""The choices of a view of attention: kind, whole words, special tokens, layer, head and colour scale."""

from collections.abc import Callable

from ..components.attention_kinds import GridOfKinds
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..map_labels import join_ids
from ..map_weights import Scale
from ..text.catalogue import Message, say
from .attention_maps import AttentionMaps, KindMaps

UNITS = {"tokens": Message("viewer.units.tokens", "Tokens"), "words": Message("viewer.units.words", "Whole words")}
PAIRS = {
    "all": Message("viewer.pair.all", "Both texts"),
    "aa": Message("viewer.pair.aa", "A \u2192 A"),
    "ab": Message("viewer.pair.ab", "A \u2192 B"),
    "ba": Message("viewer.pair.ba", "B \u2192 A"),
    "bb": Message("viewer.pair.bb", "B \u2192 B"),
}
MANY_TOKENS = 64  # from which on the scale that all maps share leaves most of them blank
MARKS = {
    "shown": Message("viewer.special.shown", "Shown"),
    "hidden": Message("viewer.special.hidden", "Hidden"),
}


def kind_choices(maps: AttentionMaps) -> list[Choice]:
    """The choice of the kind, where there are several."""
    return [sentence_input.kind_choice({name: each.kind for name, each in maps.items()})] if len(maps) > 1 else []


def unit_choice(first: str = "tokens", help: str | None = None) -> Choice:
    """Whether rows and columns are tokens or whole words."""
    return Choice(say("viewer.units", "Rows and columns"), UNITS, "units", first, help)


def special_token_choice(label: str = "", help: str | None = None) -> Choice:
    """Whether special tokens are hidden; `label` names them."""
    return Choice(label or say("viewer.special", "Special tokens"), MARKS, "marks", help=help)


def pair_choice(first: str = "all") -> Choice:
    """Which of two texts attends to which."""
    return Choice(say("viewer.pair", "Texts"), PAIRS, "pair", first)


def scale_choice(maps: KindMaps) -> Choice[Scale]:
    """The colour scale; by default each map of a picture has its own."""
    return sentence_input.scale_choice("own" if maps.kind.places else "shared")


def automatic_scale(maps: AttentionMaps) -> Scale:
    """The scale that shows most: of a picture that of each map, of many tokens a logarithmic one, else a shared one."""
    if any(each.kind.places for each in maps.values()):
        return "own"
    return "log" if maps.longest >= MANY_TOKENS else "shared"


def chosen_kind(maps: AttentionMaps, chosen: dict[str, str]) -> KindMaps:
    """The maps of the chosen kind; of the first where there is no choice."""
    return maps[chosen.get("kind", next(iter(maps)))]


def prepare(maps: KindMaps, chosen: dict[str, str]) -> KindMaps:
    """Merge tokens into whole words and hide special tokens, as chosen."""
    if chosen.get("units") == "words":
        maps = maps.in_words()
    return maps.without_special() if chosen.get("marks") == "hidden" else maps


def grid_of_kinds(
    maps: AttentionMaps,
    choices: list[Choice],
    selected: Callable[[Choice], str],
    first_scale: Scale | None = None,
) -> GridOfKinds:
    """The overview of all kinds, with the choices of layer, head and scale besides `choices`.

    Args:
        selected: returns the chosen option of a choice.
        first_scale: the scale until the user chooses; by default as of `scale_choice`.
    """
    chosen = {choice.key: selected(choice) for choice in choices}
    first = chosen_kind(maps, chosen)
    scale = scale_choice(first) if first_scale is None else sentence_input.scale_choice(first_scale)
    own = (*sentence_input.head_choices(first.layer_ids, first.head_ids), scale)
    chosen |= {choice.key: selected(choice) for choice in own}
    ids = (join_ids(each.layer_ids for each in maps.values()), join_ids(each.head_ids for each in maps.values()))
    return GridOfKinds(maps, [*choices, *sentence_input.head_choices(*ids), scale], chosen)


def running_text(
    maps: AttentionMaps, choices: list[Choice], selected: Callable[[Choice], str] = lambda choice: choice.first
) -> GridOfKinds:
    """Running text of all kinds, with the choices of layer and head besides `choices`; first the last layer's mean.

    Args:
        selected: returns the chosen option of a choice.
    """
    chosen = {choice.key: selected(choice) for choice in choices}
    first = chosen_kind(maps, chosen)
    chosen |= {own.key: selected(own) for own in sentence_input.head_choices(first.layer_ids, first.head_ids, (-2, -1))}
    ids = (join_ids(each.layer_ids for each in maps.values()), join_ids(each.head_ids for each in maps.values()))
    return GridOfKinds(maps, [*choices, *sentence_input.head_choices(*ids)], chosen, with_detail=False)
