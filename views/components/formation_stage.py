"""The stage of a network at steps of its training: one payload, which the browser steps through and plays.

The payload contains the weights of all layers and heads at every step, rounded to levels as those of the stage of the
home page, with the translation, the loss of every token, the most probable tokens and what every head does at that
step. The choice of a step and of a map is in a mark next to the component.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from .. import map_labels, palette
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..kind_labels import KINDS
from ..text import terms
from ..text.catalogue import Message, say
from ..text.numbers import grouped
from ..viewer.attention_maps import AttentionMaps
from ..viewer.payload import float32_numbers
from . import component, controls, stage
from .stage_changes import PlaceChances, pack_levels

_MOUNT = component.Component("formation_stage", "stage-root")
LAYER, HEAD, STEP = "formed_layer", "formed_head", "training_step"  # in the address
MOST_BYTES = 200_000  # of a payload, where 200 levels are enough for that

WORDS = stage.WORDS | {
    "stepBack": Message("formation.back", "One step of training back"),
    "stepOn": Message("formation.on", "One step of training on"),
    "stepSlider": Message("formation.slider", "Step of training"),
    "stepIs": Message("formation.step", "step {step} of {last}"),
    "tokenLosses": Message("formation.losses", "\u2212ln p of each token, in nats; their mean is {mean}"),
    "ends": Message("formation.ends", "Translation at this step:"),
    "endless": Message("formation.endless", "Translation at this step, cut off because it does not end:"),
    "nothing": Message("formation.nothing", "no token"),
    "heldout": Message("formation.heldout", "Held-out loss {loss} nats per token. Heads by role:"),
    "roleCount": Message("formation.role-count", "{role} {count}"),
    "drawnHead": Message("formation.drawn-head", "The drawn head over held-out sentences: {label}."),
    "spoken": Message("formation.spoken", "{step}, loss of this sentence {mean}. {translation}"),
}


@dataclass(frozen=True)
class Role:
    """Something that a head can do: its name, and the letters that mark its maps."""

    name: str
    mark: str


@dataclass(frozen=True, eq=False)
class StageAtStep:
    """What the stage shows of one step of training."""

    step: int
    weights: Mapping[str, np.ndarray]  # kind -> `(layer, head, query, key)`
    places: Sequence[PlaceChances]  # one for each query of "cross" and "decoder"
    losses: np.ndarray  # of each of them, in nats
    text: str  # the translation; `finished`: whether it ended by itself
    finished: bool
    labels: Mapping[str, Sequence[Sequence[str]]]  # kind -> `(layer, head)` labels, texts for the user
    roles: Mapping[str, Sequence[Sequence[Sequence[int]]]]  # kind -> `(layer, head)` indices of the roles of each head
    heldout: float  # loss over held-out sentences


@dataclass(frozen=True, eq=False)
class FormationStage:
    """What the stage shows."""

    maps: AttentionMaps  # of any step, for the axes of all
    steps: Sequence[StageAtStep]  # in order
    roles: Sequence[Role]  # that `StageAtStep.roles` refers to
    choices: Sequence[Choice]  # see `formation_choices`; `chosen` has the selected option of each
    chosen: Mapping[str, str]
    state: str = ""  # of the page, from its sentence and options


def formation_choices(maps: AttentionMaps, steps: Sequence[int]) -> tuple[Choice, ...]:
    """The choices of kind, layer, head and step; first the mean of the last cross-attention, at the last step."""
    own = maps["cross"]
    kinds = {name: KINDS[name].short() for name in stage.ORDER}
    layers, heads = map_labels.option_labels(own.layer_ids), map_labels.option_labels(own.head_ids)
    return (
        Choice(say("kind.label", "Attention"), kinds, "kind", "cross"),
        Choice(terms.LAYER(), layers, LAYER, own.layer_ids[-2], varies=True),
        Choice(terms.HEAD(), heads, HEAD, own.head_ids[-1], varies=True),
        Choice(WORDS["stepSlider"](), {str(step): grouped(step) for step in steps}, STEP, str(steps[-1])),
    )


def payload(content: FormationStage, theme: palette.Theme) -> bytes:
    """The bytes that `web/src/views/stage/training.ts` reads."""
    cross, decoder = content.maps["cross"], content.maps["decoder"]
    header = {
        "state": content.state,
        "theme": theme,
        "words": component.translated(WORDS),
        "controls": controls.control_specs(content.choices, (LAYER, HEAD, STEP)),
        "english": component.labels(cross.keys.labels),
        "french": component.labels(place.token for place in content.steps[0].places),
        "rowName": map_labels.row_pattern(cross.queries.chosen),
        "start": component.labels(decoder.keys.labels[:1])[0],
        "kinds": stage.kind_headers(content.maps),
        "roles": [vars(role) for role in content.roles],
        "steps": [pack_step(step) for step in content.steps],
    }
    weights = {
        name: (np.stack([step.weights[name] for step in content.steps]), own.kind.causal)  # (step, layer, head, ...)
        for name, own in content.maps.items()
    }
    return pack_levels(header, weights, MOST_BYTES)


def pack_step(step: StageAtStep) -> dict[str, object]:
    """One step as the header has it."""
    return {
        "step": step.step,
        "places": [place.sent() for place in step.places],
        "losses": float32_numbers(step.losses),
        "text": step.text,
        "finished": step.finished,
        "labels": step.labels,
        "roles": step.roles,
        "heldout": step.heldout,
    }


def formation_stage(content: FormationStage, key: str, on_choose: Callable[[Mapping[str, str]], None]) -> None:
    """Mount the stage; `on_choose` gets what was chosen, half a second after the last change, not while it plays."""
    _MOUNT(
        key,
        payload(content, sentence_input.theme()),
        dict(content.chosen),
        chosen=(partial(controls.valid_selection, choices=content.choices), on_choose),
    )
