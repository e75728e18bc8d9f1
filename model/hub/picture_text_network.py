"""A network of pictures and text with both: verified on a short text with a picture, run, and its calls sorted."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from ..networks.tap import Tap
from ..tracing.interventions import HeadInterventions, to_tap
from ..tracing.kinds import VISION, AttentionKind
from .batches import split_call
from .eager_attention import AttentionCall, CallRecorder, is_half
from .forward_run import run_network
from .generation import generate_by_library, generation_options
from .hub_trace import HubTrace, TracedPicture
from .interface import recording_calls
from .layer_numbers import Place, watch_layers
from .library_types import Network
from .picture_text_check import verify_with_pictures
from .picture_text_inputs import PictureText, probe_picture_text
from .pixel_frames import frames_of
from .record import HubRecord, LayerRecord, stack_layers
from .token_places import FramePlaces, find_patches, find_tokens, numbers_of

Reduce = Callable[[AttentionKind, int, AttentionCall], LayerRecord | None]  # kind, layer, call of one frame


class _Ended(Exception):
    """Ends a run whose calls are known; no error leaves this module by it."""


class PictureTextNetwork:
    """Runs a network on texts with pictures.

    Attributes:
        check: results of the check on opening.

    Raises:
        OpenError: the check fails; with the measured difference.
    """

    def __init__(self, network: Network, processor: Any) -> None:
        self.network, self.processor = network, processor
        given = probe_picture_text(network, processor)
        self.check = verify_with_pictures(network, given)
        self._half = is_half(next(network.parameters()).dtype)
        self._places: dict[tuple, list[FramePlaces]] = {}
        self.places(given)

    def places(self, given: PictureText) -> list[FramePlaces]:
        """Where the parts of the pictures are, proven once for each size; see `model.hub.token_places`.

        Raises:
            Unproven: it cannot be proven.
        """
        sizes = tuple(tuple(value.shape) for name, value in sorted(given.inputs.items()) if name != "input_ids")
        grids = given.inputs.get("image_grid_thw")
        key = (sizes, given.is_picture.tobytes(), None if grids is None else tuple(grids.flatten().tolist()))
        if key not in self._places:
            self._places[key] = self._find(given)
        return self._places[key]

    def _find(self, given: PictureText) -> list[FramePlaces]:
        frames = frames_of(given.inputs, self.network.config)
        tokens = find_tokens(partial(self._measure, given, True), frames, given.is_picture, half=self._half)
        orders = None
        if VISION.name in self.check.layers:
            orders = find_patches(partial(self._measure, given, False), frames, half=self._half)
        return [
            FramePlaces(grid, places, None if orders is None else orders[frame], frames.grids[frame])
            for frame, (grid, places) in enumerate(tokens)
        ]

    def _measure(self, given: PictureText, of_text: bool, values: Tensor) -> Tensor:
        """Queries and keys of every position in the first layer of the text, or of the tower."""
        parts: list[Tensor] = []
        first: list[Place | None] = []

        def keep(index: int, call: AttentionCall) -> None:
            place = recorder.places[index]
            kind = self.check.kind_at(place)
            if kind is None or (kind.name != VISION.name) != of_text:
                return
            first.append(place)
            if place != first[0]:
                raise _Ended
            assert call.queries is not None and call.keys is not None
            parts.append(numbers_of(call.queries, call.keys))

        def apart(name: str, tensor: Tensor) -> Tensor:
            if name.startswith(f"{VISION.stack}.") and name.endswith(".weights"):
                return torch.eye(*tensor.shape[-2:], dtype=tensor.dtype, device=tensor.device).expand(tensor.shape)
            return tensor

        with watch_layers(self.network) as layers:
            recorder = CallRecorder(None, apart, keep, layers, self.check.name_at)
            with suppress(_Ended):
                run_network(self.network, {**given.inputs, "pixel_values": values}, recorder, True)
        return torch.cat(parts)

    def shapes(self, given: PictureText) -> dict[str, tuple[int, int, int, int]]:
        """Layers, heads, queries and keys of every kind; those within pictures are of the largest one."""
        count = len(given.tokens.ids)
        towers = [len(frame.order) for frame in self.places(given) if frame.order is not None]
        sizes = {name: (len(layers), self.check.heads[name]) for name, layers in self.check.layers.items()}
        most = {name: max(towers, default=0) if name == VISION.name else count for name in sizes}
        return {name: (*size, most[name], most[name]) for name, size in sizes.items() if most[name]}

    def count(self, given: PictureText) -> int:
        """The number of attention weights in all layers, of the text and of all pictures."""
        frames = [len(frame.order) for frame in self.places(given) if frame.order is not None]
        shapes = self.shapes(given).items()
        return sum(
            layers * heads * (sum(size**2 for size in frames) if name == VISION.name else queries * keys)
            for name, (layers, heads, queries, keys) in shapes
        )

    def run(
        self, given: PictureText, tap: Tap | None, reduce: Reduce
    ) -> tuple[Any, dict[str, HubRecord], tuple[TracedPicture, ...]]:
        """Run once: the library's output, the record of the text by its kind, and the pictures.

        Args:
            reduce: gets the kind and the layer of a call, and the call, of one picture where it is of the tower.
        """
        calls: list[tuple[AttentionKind, int, list[LayerRecord]]] = []

        def sort(index: int, call: AttentionCall) -> None:
            place = recorder.places[index]
            kind = self.check.kind_at(place)
            if kind is None or place is None:
                return
            rows = range(call.weights.shape[0])
            parts = [split_call(call, row, call.weights.shape[-1]) for row in rows] if len(rows) > 1 else [call]
            reduced = [record for part in parts if (record := reduce(kind, place[1], part)) is not None]
            calls.append((kind, place[1], reduced))

        with watch_layers(self.network) as layers:
            recorder = CallRecorder(None, tap, sort, layers, self.check.name_at)
            output = run_network(self.network, given.inputs, recorder, True, output_hidden_states=True)
        return output, _text_records(calls), self._pictures(given, calls)

    @torch.inference_mode()
    def generate(
        self, given: PictureText, tokens: int, intervention: HeadInterventions | Tap | None = None
    ) -> tuple[int, ...]:
        """New ids by the library's own greedy `generate`; under an intervention without a cache."""
        tap = to_tap(intervention, lambda: self.shapes(given), self.check.layers)
        options = generation_options(use_cache=tap is None) | {"max_new_tokens": tokens}
        first = given.inputs["input_ids"].shape[1]
        if tap is None:
            new = generate_by_library(self.network, self.processor.tokenizer, **given.inputs, **options)
        else:
            with watch_layers(self.network) as layers:
                recorder = CallRecorder(None, tap, lambda index, call: None, layers, self.check.name_at)
                with recording_calls(recorder, True):
                    new = generate_by_library(self.network, self.processor.tokenizer, **given.inputs, **options)
        return tuple(new[0, first:].tolist())

    def _pictures(
        self, given: PictureText, calls: Sequence[tuple[AttentionKind, int, list[LayerRecord]]]
    ) -> tuple[TracedPicture, ...]:
        places, frames = self.places(given), frames_of(given.inputs, self.network.config)
        of_tower: dict[int, list[LayerRecord]] = {}
        for kind, layer, records in calls:
            if kind.name == VISION.name and records:
                of_tower.setdefault(layer, []).extend(records)
        sizes = [None if frame.order is None else len(frame.order) for frame in places]
        whole = {  # without layers whose heads attend within windows of the picture
            layer: records
            for layer, records in of_tower.items()
            if [record.weights.shape[-1] for record in records] == sizes
        }
        pictures = []
        for frame, own in enumerate(places):
            pixels, tower = frames.pixels(frame), None
            if whole and own.order is not None:
                layers = [_ordered(records[frame], own.order) for records in whole.values()]
                tower = HubTrace(
                    records={VISION.name: stack_layers(layers, list(whole))},
                    logits=np.zeros(0, dtype=np.float32),
                    source=None,
                    target=None,
                    stream={},
                    grid=own.patches,
                    leading=own.leading,
                    pixels=pixels,
                )
            pictures.append(TracedPicture(pixels, own.grid, own.tokens, tower))
        return tuple(pictures)


def _text_records(calls: Sequence[tuple[AttentionKind, int, list[LayerRecord]]]) -> dict[str, HubRecord]:
    of_text = [(kind, layer, records[0]) for kind, layer, records in calls if kind.name != VISION.name and records]
    if not of_text:
        return {}
    numbers = [layer for _, layer, _ in of_text]
    return {of_text[0][0].name: stack_layers([record for _, _, record in of_text], numbers)}


def _ordered(record: LayerRecord, order: np.ndarray) -> LayerRecord:
    """A layer of the tower with its positions in another order."""
    if (order == np.arange(len(order))).all():
        return record
    index = torch.from_numpy(order)
    arrays = {
        name: array
        if array is None
        else array[:, index][:, :, index]
        if name in ("weights", "scores")
        else array[:, index]
        for name, array in record.arrays.items()
    }
    allowed = None if record.allowed is None else record.allowed[order][:, order]
    return replace(record, arrays=arrays, allowed=allowed)
