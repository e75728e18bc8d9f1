"""A Hugging Face checkpoint, opened: what verifying it has found, and what its configuration says of it."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Self

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from ..networks.tap import Tap
from ..runtime.device import NetworkOwner, device_name, device_of
from ..runtime.messages import Template
from ..tracing.interventions import HeadInterventions, to_tap
from ..tracing.kinds import VISION, AttentionKind
from ..tracing.traced_model import Capability
from .batches import split_call
from .eager_attention import AttentionCall, CallRecorder, Place, is_half, watch_layers
from .errors import OpenError, raised_as
from .forward_run import ModelInputs, reported_weights, run_network
from .generation import generate_by_library, generation_options
from .hub_trace import HubTrace, TracedPicture
from .interface import attention_implementation, recording_calls, set_implementation, use_own_attention
from .languages import TargetLanguages, find_languages
from .library_version import Config, Network
from .live_network import CLOSED, ClosedNetwork, LiveNetwork
from .loading import LoadedModel
from .model_inputs import has_decoder, other_inputs, probe_inputs, same_length_inputs, takes_pairs
from .picture_layout import HALF_TOLERANCE, TOLERANCE, LayoutFinder, PictureLayout, other_size_stated
from .picture_text_inputs import UNKNOWN_FORM, PictureText, probe_picture_text, verify_with_pictures
from .pixel_frames import PixelFrames, frames_of
from .record import HubRecord, LayerRecord, stack_layers
from .scoring import end_id
from .tasks import CAPABILITIES, AnswerForm, answer_form, body_of
from .token_offsets import Tokens
from .verification import verify_attention

# A network of pictures and text with both: verified on a short text with a picture, run, and its calls sorted.

# Which token of a text is which part of a picture: proven by changing patches, without any trust in names or orders.
#
# Every part gets a code of as many bits as runs, with equally many ones in each. In run i, the patches of all parts
# whose bit i is 1 are changed, while every patch is made to attend to itself alone, so that nothing spreads within the
# picture. The runs in which a token changes spell the code of its part. A token that two parts reach has more ones than
# any code, and one that no patch reaches has none.

MERGES = range(1, 9)  # patches along a side of a part that is one token

NOT_PROVEN = Template(
    "Which token of this model is which part of the picture cannot be proven: changing one part does not change "
    "exactly one token; its pictures are not shown."
)

Measure = Callable[[Tensor], Tensor]  # pixel values -> numbers of every position, (position, number)


class Unproven(OpenError):
    """Which position belongs to which part of a picture cannot be proven."""


@dataclass(frozen=True, eq=False)
class FramePlaces:
    """Where the parts of one picture are."""

    grid: tuple[int, int]
    """Rows and columns of parts with a token each."""
    tokens: np.ndarray
    """`(rows * columns,)`, position of every part in the text, row by row; -1 without a token."""
    order: np.ndarray | None
    """Positions in the tower, within the frame: first those of no patch, then the patches row by row; None where that
    cannot be proven.
    """
    patches: tuple[int, int]
    """Rows and columns of patches."""

    @property
    def leading(self) -> int:
        """Number of positions in the tower before the patches, as `order` has them."""
        return 0 if self.order is None else len(self.order) - self.patches[0] * self.patches[1]


def code_words(count: int) -> np.ndarray:
    """Distinct codes `(count, bits)` bool, half of whose bits are 1, so that two of them together are no code."""
    bits = next(bits for bits in itertools.count(2) if math.comb(bits, bits // 2) >= count)
    codes = np.zeros((count, bits), dtype=bool)
    for row, ones in zip(codes, itertools.combinations(range(bits), bits // 2), strict=False):
        row[list(ones)] = True
    return codes


def decode(measure: Measure, frames: PixelFrames, grids: Sequence[tuple[int, int]], *, half: bool) -> np.ndarray:
    """For every position the part that reaches it, counted over all frames row by row; -1 where none does.

    Args:
        measure: numbers of every position that each depend on patches of one part.
        grids: rows and columns of parts of every frame.

    Raises:
        Unproven: several parts reach a position, or one part reaches several.
    """
    counts = [rows * columns for rows, columns in grids]
    codes = code_words(sum(counts))
    before = measure(frames.values)
    bound = (HALF_TOLERANCE if half else TOLERANCE) * max(1.0, float(before.abs().max()))
    changes = []
    for bit in range(codes.shape[1]):
        marked = [
            np.kron(part.reshape(grid), np.ones((patches[0] // grid[0], patches[1] // grid[1]), dtype=bool))
            for part, grid, patches in zip(
                np.split(codes[:, bit], np.cumsum(counts)[:-1]), grids, frames.grids, strict=True
            )
        ]
        after = measure(frames.changed(marked))
        if after.shape != before.shape:
            raise Unproven("The number of positions of this model depends on what the pictures show.")
        changes.append(((after - before).abs().amax(dim=-1) > bound).cpu().numpy())
    spelled = np.stack(changes, axis=1)  # (position, bit)
    known = {code.tobytes(): part for part, code in enumerate(codes)}
    parts = np.array([known.get(word.tobytes(), -1 if not word.any() else -2) for word in spelled])
    reached = parts[parts >= 0]
    if (parts == -2).any() or len(set(reached.tolist())) != len(reached) or not len(reached):
        raise Unproven(NOT_PROVEN)
    return parts


def find_tokens(
    measure: Measure, frames: PixelFrames, is_picture: np.ndarray, *, half: bool
) -> list[tuple[tuple[int, int], np.ndarray]]:
    """Grid of parts, and position of each in the text, of every frame.

    Args:
        measure: numbers of every token of the text, without attention between patches.
        is_picture: `(token,)`, those that stand for pictures.

    Raises:
        Unproven: no size of parts gives each its own token, or other tokens than those of pictures change.
    """
    possible = [grids for factor in MERGES if (grids := frames.merged(factor)) is not None]
    count = int(is_picture.sum())
    for grids in sorted(possible, key=lambda grids: abs(sum(rows * columns for rows, columns in grids) - count)):
        try:
            parts = decode(measure, frames, grids, half=half)
        except Unproven:
            continue
        if (parts[~is_picture] >= 0).any():
            continue
        places = np.full(sum(rows * columns for rows, columns in grids), -1)
        reached = np.flatnonzero(parts >= 0)
        places[parts[reached]] = reached
        ends = np.cumsum([rows * columns for rows, columns in grids])[:-1]
        return list(zip(grids, np.split(places, ends), strict=True))
    raise Unproven(NOT_PROVEN)


def find_patches(measure: Measure, frames: PixelFrames, *, half: bool) -> list[np.ndarray] | None:
    """Positions in the tower of every frame as `FramePlaces.order`; None where that cannot be proven.

    Args:
        measure: numbers of every position of the tower's first layer, of all frames one after another.
    """
    try:
        parts = decode(measure, frames, frames.grids, half=half)
    except Unproven:
        return None
    sizes = [rows * columns for rows, columns in frames.grids]
    if (parts >= 0).sum() != sum(sizes):
        return None
    spare = len(parts) - sum(sizes)
    if spare % len(sizes):
        return None
    orders, first, first_part = [], 0, 0
    for size in sizes:
        own = parts[first : first + size + spare // len(sizes)]
        patches = np.flatnonzero(own >= 0)
        if len(patches) != size or set(own[patches] - first_part) != set(range(size)):
            return None
        row_by_row = patches[np.argsort(own[patches])]
        orders.append(np.concatenate([np.flatnonzero(own < 0), row_by_row]))
        first, first_part = first + len(own), first_part + size
    return orders


def numbers_of(queries: Tensor, keys: Tensor) -> Tensor:
    """Queries and keys of a call, `(row, head, position, d)` each, as numbers of every position of every row."""
    return torch.cat([part.transpose(1, 2).flatten(2).flatten(0, 1).float() for part in (queries, keys)], dim=-1)


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
        """Where the parts of the pictures are, proven once for each size.

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


FACTS = (  # what a closed model still states
    "card", "has_decoder", "head", "languages", "limits", "name", "pinned", "proof", "task", "unread", "vision",
    "weights_sha256",
)  # fmt: skip

NO_RUN = Template(
    "This model could not be run on a short text with a picture ({reason}); save or download the model again."
)


class OpenedNetwork(NetworkOwner):
    """A network of the library `transformers`, opened and verified; `OpenedModel` traces it.

    Opening verifies on a short input that the tap changes no output and that the maps are those the network itself
    reports (see `model.hub.verification`).

    Attributes:
        network: the network, in evaluation mode.
        name: its source: an id, or a folder's name.
        task: the task it was trained for.
        proof: results of the check made when it was opened.
        pinned: `name`, of an id with the commit that was opened, so that it can be opened again.
        card: `weights_sha256` and its origin.
        has_decoder: whether it has a decoder besides its encoder.
        unread: what it could read besides text: "pictures", "videos", "sound". Only its half for text is run.
        limits: how many tokens it can read.
        languages: those that its decoder can write in; see `model.hub.languages`.
        head: name of the class with a head whose answers are not shown, where the body was opened alone; else None.

    Raises:
        OpenError: the check fails; with the measured difference.
    """

    network: Any  # `ClosedNetwork` after `close`

    def __init__(self, loaded: LoadedModel, name: str, weights_sha256: str, commit: str | None = None) -> None:
        self.network, self.reader, self.task, self.vision = loaded.network, loaded.reader, loaded.task, loaded.vision
        self.name, self.weights_sha256, self.head = name, weights_sha256, loaded.head
        self.has_decoder = has_decoder(self.network)
        self.unread = () if self.vision else other_inputs(self.network)
        self.pinned = name if commit is None else f"{name.partition('@')[0]}@{commit}"
        self.languages = find_languages(self.network, self.reader) if self.has_decoder else TargetLanguages()
        inputs, source, target = probe_inputs(self.network, self.reader, self.languages, vision=self.vision)
        before = self.network.config._attn_implementation
        with watch_positions() as limits, other_size_stated(self.network, inputs):
            identified_by = None
            if self.classifies_by_decoder:
                identified_by = body_of(self.network), inputs
                inputs = same_length_inputs(self.network, self.reader, end_id(self))
            try:
                self.proof = verify_attention(
                    self.network, inputs, vision=self.vision, source=source, target=target, identified_by=identified_by
                )
            except OpenError as error:
                if loaded.processor is None:
                    raise
                self.text_refusal = error
        self.picture_refusal = loaded.picture_refusal
        if loaded.processor is not None:
            self._open_pictures(loaded.processor, before)
        self.limits = PositionLimits(None) if source is None else limits(self.network, source, target)
        self._layout = LayoutFinder(self.network, self.proof.plan.names, by_interface=self.proof.by_interface)
        if self.vision:
            self._layout(inputs)  # refuses pictures whose patches cannot be found
        self.card = {"source": self.pinned, "weights_sha256": weights_sha256, "type": self.config.model_type}

    pictured: PictureTextNetwork | None = None
    """How it reads texts with pictures; None where it does not."""
    picture_refusal: OpenError | None = None
    """Why a network that could read pictures with its text does not here; else None."""
    text_refusal: OpenError | None = None
    """Why it reads no text without a picture; else None."""

    def _open_pictures(self, processor: Any, implementation: str) -> None:
        """Verify the network with a picture too; `implementation` is the attention that it came with.

        Raises:
            OpenError: it is refused, and so is text alone.
        """
        try:
            if self.text_refusal is None and not self.proof.by_interface:
                raise OpenError(UNKNOWN_FORM)
            set_implementation(self.network, implementation)
            with raised_as(NO_RUN):
                self.pictured = PictureTextNetwork(self.network, processor)
        except OpenError as error:
            if self.text_refusal is not None:
                raise self.text_refusal from None
            if self.proof.by_interface:
                use_own_attention(self.network)
            self.picture_refusal = error
            return
        self.unread = tuple(kind for kind in self.unread if kind != "pictures")
        if self.text_refusal is not None:
            self.proof = self.pictured.check.as_opening_check()

    _live: LiveNetwork | None = None
    _open_again: Callable[[Network], "OpenedNetwork"] | None = None

    def follow(self, live: LiveNetwork, open_again: Callable[[Network], "OpenedNetwork"]) -> None:
        """Open this model again, before it is used, whenever the owner of the live model has changed that."""
        self._live, self._open_again = live, open_again

    def prepare(self) -> None:
        """Called before the model is used: a live model that its owner has changed is copied and verified again.

        Raises:
            OpenError: the model is closed, or does not open any more as it is now.
        """
        if isinstance(self.network, ClosedNetwork):
            raise OpenError(CLOSED)
        if self._live is not None and self._open_again is not None and self._live.changed:
            network = self._live.network
            if network is not None:
                now = vars(self._open_again(network))
                vars(self).clear()  # also what was found out about the model as it was
                vars(self).update(now)

    def close(self) -> None:
        """Release the network and all that it takes; a live model was never changed, and stays with its owner.

        What opening has found out about it can still be read; anything that runs it raises `OpenError`.
        """
        if isinstance(self.network, ClosedNetwork):
            return
        facts = {name: value for name, value in vars(self).items() if name in FACTS} | {"parameters": self.parameters}
        vars(self).clear()
        vars(self).update(facts, network=ClosedNetwork(), reader=ClosedNetwork())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if isinstance(self.network, ClosedNetwork):
            return f"<{type(self).__name__} {self.name}: closed>"
        kinds = ", ".join(
            f"{name} {layers} layers x {heads} heads" for name, (layers, heads, _) in self.proof.sizes.items()
        )
        type_ = type(self.network).__name__
        if self.pictured is not None and self.text_refusal is None:
            kinds += "; reads pictures too"
        return f"<{type(self).__name__} {self.name}: {type_}, {self.task}; {kinds}; {self.parameters:,} parameters>"

    @property
    def kinds(self) -> tuple[AttentionKind, ...]:
        """Its kinds of attention, as identified by running it."""
        return self.proof.plan.kinds

    @property
    def layers(self) -> dict[str, tuple[int, ...]]:
        """Name of a kind -> numbers from 0, among all layers of the network, of those that have it."""
        return self.proof.plan.layers

    def layers_of(self, trace: HubTrace) -> dict[str, tuple[int, ...]]:
        """`layers`, of the kinds that a trace has: one of a text with pictures has other kinds than its text alone."""
        of_pictures = trace.picture_text is not None and self.pictured is not None
        return self.pictured.check.layers if of_pictures and self.pictured is not None else self.layers

    @cached_property
    def capabilities(self) -> frozenset[Capability]:
        """Its features in addition to `trace`; see `TracedModel`."""
        scored: tuple[Capability, ...] = () if self.task == "encode" else ("ablate",)
        explained: tuple[Capability, ...] = ("explain",) if self.task == "classify" and self.form == "classes" else ()
        return frozenset(CAPABILITIES[self.task] + scored + explained + ("intervene",))

    @property
    def config(self) -> Config:
        """The library's configuration, with `to_dict`."""
        return self.network.config

    @cached_property
    def parameters(self) -> int:
        """Number of its weights."""
        return sum(tensor.numel() for tensor in self.network.parameters())

    @property
    def device_name(self) -> str:
        """The device it runs on; for a model spread over several, all of them and "disk"."""
        places = dict.fromkeys(getattr(self.network, "hf_device_map", {}).values()) or [device_of(self.network)]
        return ", ".join(place if place == "disk" else device_name(torch.device(place)) for place in places)

    @property
    def precision(self) -> str:
        """Type of its weights: "float32", "float16" or "bfloat16"."""
        return str(next(self.network.parameters()).dtype).removeprefix("torch.")

    @cached_property
    def takes_two_texts(self) -> bool:
        """Whether it reads pairs of texts: its tokenizer separates them, and it does not go on writing."""
        reads = self.task in ("fill", "classify-text", "encode") and not self.vision and not self.has_decoder
        return reads and takes_pairs(self.reader)

    @property
    def classifies_by_decoder(self) -> bool:
        """Whether it is a classifier with a decoder, which reads the same text as the encoder."""
        return self.task == "classify-text" and self.has_decoder

    @property
    def form(self) -> AnswerForm:
        """What the answers of a classifier are; see `HubTrace`."""
        return answer_form(self.config) if self.classes is not None else "classes"

    @property
    def classes(self) -> tuple[str, ...] | None:
        """Names of the classes of a classifier."""
        if self.task not in ("classify", "classify-text"):
            return None
        return tuple(str(self.config.id2label[number]) for number in range(len(self.config.id2label)))

    def _shapes(
        self, source: Tokens | None, decoder: Tokens | None, layout: PictureLayout | None = None
    ) -> dict[str, tuple[int, int, int, int]]:
        """Layers, heads, queries and keys of every kind for an input."""
        first = layout.positions if layout is not None else len(source.ids) if source is not None else 0
        return self.proof.shapes(first, first if decoder is None else len(decoder.ids))

    def shapes_of(self, trace: HubTrace) -> dict[str, tuple[int, int, int, int]]:
        """Layers, heads, queries and keys of every kind of the whole network, for the input of a trace."""
        if trace.picture_text is not None and self.pictured is not None:
            return self.pictured.shapes(trace.picture_text)
        layout = None if trace.grid is None else PictureLayout(trace.grid, trace.leading, trace.trailing)
        return self._shapes(trace.source, trace.target, layout)

    def _own_weights(self, inputs: ModelInputs) -> dict[str, dict[int, Tensor]]:
        with attention_implementation(self.network, "eager"):
            weights = reported_weights(run_network(self.network, inputs, None, False, output_attentions=True))
        maps = {kind.name: self.proof.reported(kind, weights) for kind in self.kinds}
        return {kind: layers for kind, layers in maps.items() if layers is not None}


# How many tokens a network can read: from its tables of positions, as it uses them, and from its configuration.

NAMES = ("max_position_embeddings", "max_seq_len")  # other names of the library are mapped to the first
ENCODER_NAMES, DECODER_NAMES = ("max_encoder_position_embeddings",), ("max_decoder_position_embeddings",)
PARTS = ("text_config", "encoder", "decoder", "text_encoder", "generator")  # that may contain them


@dataclass(frozen=True)
class PositionLimits:
    """The most tokens that a network reads; None without a limit."""

    source: int | None  # of its only text, or of its encoder
    target: int | None = None  # of its decoder, where it has an encoder too

    def check(self, source: int, target: int = 0) -> None:
        """Refuse more tokens than there are positions.

        Raises:
            OpenError: with both numbers.
        """
        for count, most in ((source, self.source), (target, self.target)):
            if most is not None and count > most:
                raise OpenError(
                    "This text has {count} tokens, and the model has {most} positions; shorten the text.",
                    count=count,
                    most=most,
                )


class PositionTables(TorchFunctionMode):
    """Within this context, records each table that is read at consecutive rows, one for each token.

    Attributes:
        uses: number of tokens, first row and number of rows of each use. Rows before the first are reserved: a table of
            24 rows whose first token reads row 2 has positions for 22 tokens.
    """

    def __init__(self) -> None:
        super().__init__()
        self.uses: set[tuple[int, int, int]] = set()

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        if function is F.embedding:
            rows, table = (*arguments, *(options or {}).values())[:2]
            ids = rows.reshape(-1).tolist() if isinstance(rows, Tensor) and not rows.is_meta else []
            if len(ids) > 1 and rows.shape[-1] == len(ids) and ids == list(range(ids[0], ids[0] + len(ids))):
                self.uses.add((len(ids), ids[0], table.shape[0]))
        return function(*arguments, **(options or {}))

    def most(self, tokens: int | None) -> int | None:
        """The most tokens in the tables that were read for an input of `tokens` tokens."""
        return min((rows - first for count, first, rows in self.uses if count == tokens), default=None)


@contextmanager
def watch_positions() -> Iterator[Callable[[Network, int, int | None], PositionLimits]]:
    """Within this context, watch the tables of positions; yields a function that returns the limits found.

    Its arguments are the network, and the numbers of tokens that its encoder, or it itself, and its decoder read.
    """
    tables = PositionTables()

    def limits(network: Network, source: int, target: int | None) -> PositionLimits:
        first = _least(tables.most(source), _configured(network.config, ENCODER_NAMES, decoder=False))
        if target is None:
            return PositionLimits(first)
        second = _least(tables.most(target), _configured(network.config, DECODER_NAMES, decoder=True))
        return PositionLimits(first, second)

    with tables:
        yield limits


def _configured(config: Config, names: tuple[str, ...], *, decoder: bool) -> int | None:
    """The limit that a configuration states for one side, itself or in a part of it."""
    other = "encoder" if decoder else "decoder"
    parts = [config, *(getattr(config, name, None) for name in PARTS if name != other)]
    counts = (getattr(part, name, None) for part in parts for name in (*names, *NAMES))
    return _least(*(count for count in counts if type(count) is int and count > 0))


def _least(*counts: int | None) -> int | None:
    return min((count for count in counts if count is not None), default=None)
