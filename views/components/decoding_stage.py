"""The stage of one step of decoding: its place is held, and choosing another token chooses its step.

The payload is that of the stage of the home page; the step and the map are in a mark next to the component.
"""

from collections.abc import Callable, Mapping
from functools import partial

from .. import map_labels
from ..controls import sentence_input
from ..controls.widgets import Choice
from ..text import terms
from ..text.catalogue import say
from ..viewer.attention_maps import AttentionMaps
from . import component, controls, opened_layer, stage
from .requests import ComponentRequest

_MOUNT = component.Component("decoding_stage", "stage-root")
LAYER, HEAD, STEP = "cross_layer", "cross_head", "step"  # in the address


def step_choices(maps: AttentionMaps) -> tuple[Choice, Choice, Choice]:
    """The choices of the layer and the head of cross-attention, and of the step; first the last layer, and the mean."""
    own = maps["cross"]
    steps = [map_labels.to_id(place) for place in range(len(own.queries))]
    return (
        Choice(terms.LAYER(), map_labels.option_labels(own.layer_ids), LAYER, own.layer_ids[-2], varies=True),
        Choice(terms.HEAD(), map_labels.option_labels(own.head_ids), HEAD, own.head_ids[-1], varies=True),
        Choice(say("stepper.label", "Step"), steps, STEP),
    )


def decoding_stage(
    content: stage.Stage,
    key: str,
    on_choose: Callable[[Mapping[str, str]], None],
    on_open: Callable[[ComponentRequest], None],
) -> None:
    """Mount the stage of a step.

    Args:
        content: its choices are `step_choices`.
        on_choose: gets the chosen layer, head and step, a moment after the last change.
        on_open: gets each request for an opened layer, answered as "layer" by `content.answer` of the run that follows.
    """
    _MOUNT(
        key,
        stage.payload(content, sentence_input.theme(), tuple(choice.key for choice in content.choices)),
        dict(content.chosen),
        answer=content.answer,
        layer=(opened_layer.valid_request, on_open),
        chosen=(partial(controls.valid_selection, choices=content.choices), on_choose),
    )
