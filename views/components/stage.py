"""The stage: one picture of a translation, from English tokens by ribbons of cross-attention to French tokens.

Arcs of self-attention are above and below.

The payload contains the weights of all layers and heads, rounded to levels (`views/viewer/payload.py`) without the
decoder's masked cells, and the most probable tokens at every place; the browser computes means. What is chosen and what
pulls change (`views/components/stage_changes.py`) are in marks next to the component: they do not change the payload.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, get_args

from .. import map_labels, palette
from ..controls import sentence_input
from ..controls.sentence_input import Decoding
from ..controls.widgets import Choice
from ..kind_labels import KINDS
from ..text import terms
from ..text.catalogue import Message, say
from ..viewer.attention_maps import AttentionMaps, KindMaps
from . import component, controls, opened_layer, player, requests, stage_changes
from .requests import ComponentRequest, InvalidRequest, PlaceRequest, is_text, names_place, read_request
from .stage_changes import PlaceChances, PulledStage

_MOUNT = component.Component("stage", "stage-root")

_SHARED_WORDS = controls.WORDS | player.WORDS | opened_layer.WORDS
WORDS = _SHARED_WORDS | {
    "back": Message("stage.play.back", "One token back"),
    "on": Message("stage.play.on", "One token on"),
    "speed": Message("stage.play.speed", "Speed"),
    "pressEnter": Message("stage.press-enter", "The server is busy: press Enter to translate."),
    "tooLong": Message(
        "stage.too-long",
        "The text has {count} characters; at most {most} are translated while you type. Shorten it, or press Enter.",
    ),
    "mostPulls": Message("stage.most-pulls", "There are {count} pulls; undo one before you set another."),
    "noAnswer": Message("stage.no-answer", "The server has not answered yet; if this stays, reload the page."),
    "temperature": Message("decoding.temperature", "Temperature"),
    "drawSample": Message("stage.draw-sample", "Draw a sample"),
    "drawAgain": Message("stage.draw-again", "Draw again"),
    "greedyAgain": Message("stage.greedy-again", "Back to greedy"),
    "model": Message("stage.model", "model"),
    "draw": Message("stage.draw", "draw"),
    "one": map_labels.LAYER_AND_HEAD,
    "overHeads": Message("stage.over-heads", "layer {layer}, mean of {heads} heads"),
    "overLayers": Message("stage.over-layers", "head {head}, mean of {layers} layers"),
    "overAll": Message("stage.over-all", "mean of {layers} layers of {heads} heads"),
    "named": Message("stage.named", "{kind}, {map}"),
    "barIsOne": Message("stage.bar", "A full bar is 1."),
    "note": Message("stage.note", "A ribbon shows where values are read, not why a word is written."),
    "candidates": Message("stage.candidates", "Candidates at this place"),
    "hold": Message(
        "stage.hold",
        "Point at a French token to see its weights and its five most probable rivals; click to hold it.",
    ),
    "held": Message("stage.held", "Held: {token}"),
    "freed": Message("stage.freed", "Nothing is held."),
    "english": Message("stage.english", "English tokens"),
    "french": Message("stage.french", "French tokens"),
    "englishName": Message("stage.english.name", "{token}, English token {place} of {count}"),
    "frenchName": Message("stage.french.name", "{token}, place {place} of {count}"),
    "attends": Message("stage.attends", "{name}, attends to {list}"),
    "attended": Message("stage.attended", "{name}, attended to by {list}"),
    "other": Message("stage.other", "other"),
    "pair": Message("stage.pair", "{query} attends to {key}: {weight}"),
    "maps": Message("stage.maps", "All maps: a row for each layer, a column for each head"),
    "tile": Message("stage.tile", "Show {map}"),
    "mean": terms.MEAN,
    "masked": terms.MASKED,
    "table": Message("stage.table", "{map}, as a table"),
    "nowText": Message("stage.now", "Now"),
    "atWeight": Message("stage.at-weight", "At this weight"),
    "beforeText": Message("stage.before", "Before"),
    "was": Message("stage.was", "was"),
    "pull": Message("stage.pull", "{query} attends to {key}"),
    "weightNow": Message("stage.pull.weight", "{weight}, was {was}"),
    "slider": Message("stage.pull.slider", "Weight of {key} at {query}"),
    "sweeping": Message("stage.pull.sweeping", "Trying 17 weights"),
    "scale": Message("stage.pull.scale", "{token} from {low} to {high}"),
    "copyLink": Message("stage.copy-link", "Copy link"),
    "copied": Message("stage.copied", "Copied"),
    "copyThis": Message("stage.copy-this", "The link, to copy"),
    "fullScreen": Message("stage.full-screen", "Full screen"),
    "unchanged": Message("stage.pull.unchanged", "no change"),
    "noWord": Message("stage.pull.no-word", "no token"),
    "rubOut": Message("stage.pull.rub-out", "Rub out"),
    "onlyThis": Message("stage.pull.only", "Only this"),
    "scope": Message("stage.pull.scope", "Change"),
    "scopeDrawn": Message("stage.pull.drawn", "Drawn heads"),
    "scopeLayer": Message("stage.pull.layer", "Layer {layer}"),
    "scopeAll": Message("stage.pull.all", "All layers"),
    "tryThis": Message("stage.try", "Try this"),
    "nextPull": Message("stage.next", "Next"),
    "undo": Message("stage.undo", "Undo"),
    "reset": Message("stage.reset", "Reset"),
    "meanOfHeads": Message("stage.mean-of-heads", "Mean of {heads} heads: no single head has these weights."),
    "howToPull": Message(
        "stage.how-to-pull",
        "Press a ribbon and drag it sideways: the scale shows which token each weight gives. Keys: arrows, - and +.",
    ),
    "corner": Message("stage.corner", "attends to"),
}
MEANINGS = {
    "encoder": Message("stage.meaning.encoder", "what each English token attends to."),
    "decoder": Message("stage.meaning.decoder", "which earlier tokens each place reads while its token is chosen."),
    "cross": Message("stage.meaning.cross", "what each French token attends to while it is chosen."),
}
ORDER = ("encoder", "cross", "decoder")  # of the choice


Action = Literal["sweep", "pull", "control", "undo", "reset"]
Scope = Literal["drawn", "layer", "all"]
MOST_TYPED = 2000  # characters
MOST_PULLS = 12


@dataclass(frozen=True)
class StageRequest(PlaceRequest):
    """What the browser asks for about pulls; `pulls` are those on which the request is made."""

    # "sweep" for the tokens at 17 weights, "pull" to set one, "control" for the control of the last pull
    action: Action
    scope: Scope  # the heads that a pull changes; see `model.pulling.pulls.heads_in_scope`
    key: int  # from 0
    weight: float  # from 0 to 1

    def fits(self, maps: AttentionMaps) -> bool:
        """Whether maps have this place and key."""
        return super().fits(maps) and self.key < len(maps[self.kind].keys)


@dataclass(frozen=True)
class TypedSentence(ComponentRequest):
    """What is in the sentence box before it is entered."""

    text: str


@dataclass(frozen=True, eq=False)
class Stage:
    """What the stage shows."""

    maps: AttentionMaps  # of the kinds "encoder", "cross" and "decoder", between tokens
    places: Sequence[PlaceChances]  # one for each query of "cross" and "decoder"
    text: str  # the translation
    choices: Sequence[Choice]  # of "kind", "layer" and "head"; see `stage_choices`
    chosen: Mapping[str, str]  # the selected option of each
    state: str = ""  # of the page, from its sentence and options; requests have it
    examples: Sequence[tuple[str, str]] = ()  # labels of example pulls, and their links
    pulled: PulledStage | None = None  # what pulls change, if there are any
    answer: Mapping[str, object] = field(default_factory=dict)  # to the browser's last requests, see `requests.answers`
    decoding: Decoding = Decoding()  # how the tokens were chosen
    sentence: str = ""  # that is translated
    entered: str = ""  # the sentence of the page; `sentence` is another one while the user types


def stage_choices(maps: AttentionMaps) -> tuple[Choice, ...]:
    """The choices of kind, layer and head; first is cross-attention of the last layer, averaged over its heads."""
    names = {name: KINDS[name].short() for name in ORDER}
    layers, heads = maps["cross"].layer_ids, maps["cross"].head_ids
    kind = Choice(say("kind.label", "Attention"), names, "kind", "cross")
    places = sentence_input.head_choices(layers, heads, (len(layers) - 2, len(heads) - 1))
    return kind, *(replace(choice, varies=False) for choice in places)  # the address has them where they are chosen


def map_title(maps: KindMaps, layer: str, head: str) -> str:
    """The name of a map: kind, layer and heads; `mapTitle` in `web/src/views/stage/reading.ts` makes the same."""
    counts = {"layer": layer, "head": head, "layers": len(maps.layer_ids) - 1, "heads": len(maps.head_ids) - 1}
    over_layers, over_heads = layer == map_labels.MEAN, head == map_labels.MEAN
    name = ("overAll" if over_heads else "overLayers") if over_layers else "overHeads" if over_heads else "one"
    return WORDS["named"](kind=maps.kind.headline, map=WORDS[name](**counts))


def kind_headers(maps: AttentionMaps) -> dict[str, dict[str, object]]:
    """Names, layers, heads and colours of all kinds, as `KindHeader` in `web/src/views/stage/payload.ts` has them."""
    return {
        name: {
            "heading": own.kind.headline,
            "meaning": MEANINGS[name](),
            "layers": own.layer_ids,
            "heads": own.head_ids,
            "scales": component.scales(name),
        }
        for name, own in maps.items()
    }


def payload(stage: Stage, theme: palette.Theme, elsewhere: Collection[str] = ("layer", "head")) -> bytes:
    """The bytes that `web/src/views/stage/payload.ts` reads: the translation without pulls.

    Args:
        elsewhere: names of the choices that are not buttons in a row.
    """
    cross, decoder = stage.maps["cross"], stage.maps["decoder"]
    header = {
        "name": stage_changes.name_of(stage.maps, stage.text),
        "state": stage.state,
        "limits": {"characters": MOST_TYPED, "pulls": MOST_PULLS},
        "theme": theme,
        "words": component.translated(WORDS),
        "controls": controls.control_specs(stage.choices, elsewhere),
        "english": component.labels(cross.keys.labels),
        "french": component.labels(place.token for place in stage.places),
        "rowName": map_labels.row_pattern(cross.queries.chosen),
        "start": component.labels(decoder.keys.labels[:1])[0],
        "text": stage.text,
        "sentence": stage.sentence,
        "entered": stage.entered,
        "examples": stage.examples,
        "decoding": {name: getattr(stage.decoding, name) for name in ("method", "temperature", "seed")},
        "drawn": [place.sent_draws() for place in stage.places] if stage.decoding.method == "sampling" else None,
        "places": [place.sent() for place in stage.places],
        "kinds": kind_headers(stage.maps),
    }
    return stage_changes.pack_maps(header, stage.maps)


def changes(stage: Stage) -> bytes:
    """The bytes that `web/src/views/stage/payload.ts` reads: what pulls change in the payload; none without pulls."""
    return stage_changes.pack_changes(stage.maps, stage.places, stage.text, stage.pulled) if stage.pulled else b""


def stage(
    content: Stage,
    key: str,
    on_choose: Callable[[Mapping[str, str]], None],
    on_ask: Callable[[ComponentRequest], None],
    on_type: Callable[[ComponentRequest], None] = lambda typed: None,
    on_open: Callable[[ComponentRequest], None] = lambda request: None,
) -> None:
    """Mount the stage. Its messages after a pull contain the changes alone: the payload stays the same.

    Args:
        on_choose: gets the selected kind, layer and head, half a second after the last change.
        on_ask: gets each request about pulls, which `content.answer` answers as "ask" in the run that follows.
        on_type: gets what is typed in the sentence box of the page before it is entered, answered as "type".
        on_open: gets each request for an opened layer, answered as "layer".
    """
    _MOUNT(
        key,
        payload(content, sentence_input.theme()),
        dict(content.chosen),
        answer=content.answer,
        changes=changes(content),
        chosen=(partial(controls.valid_selection, choices=content.choices), on_choose),
        ask=(valid_request, on_ask),
        type=(valid_typing, on_type),
        layer=(opened_layer.valid_request, on_open),
    )


def valid_request(sent: object) -> StageRequest | InvalidRequest | None:
    """The request that a browser sent, see `read_request`; `StageRequest.fits` checks its place."""
    return read_request(sent, StageRequest, _valid)


def _valid(sent: Mapping[str, Any]) -> bool:
    return (
        names_place(sent)
        and component.valid_option(sent["action"], get_args(Action)) is not None
        and component.valid_option(sent["scope"], get_args(Scope)) is not None
        and component.is_index(sent["key"], requests.MOST_PLACES)
        and type(sent["weight"]) in (int, float)
        and 0 <= sent["weight"] <= 1
    )


def valid_typing(sent: object) -> TypedSentence | InvalidRequest | None:
    """What a browser sent while the user typed, without characters that UTF-8 cannot carry; see `read_request`."""
    request = read_request(sent, TypedSentence, lambda sent: is_text(sent["text"], MOST_TYPED))
    if not isinstance(request, TypedSentence):
        return request
    return replace(request, text=request.text.encode("utf-8", "ignore").decode())
