"""An opened model of pictures and text as a network that can be resumed: texts with pictures that are chosen before.

Inputs are ids, with those of the pictures among them; where two texts that are compared have pictures of their own,
also `(row, 1)` int64, the side whose pictures a row has. The pictures, and what the processor states about each token,
go with them into every run; ids without a token of a picture run as text alone, which reads out single positions.
"""

import copy
from contextlib import suppress
from dataclasses import replace
from typing import Any, Self

import torch
from torch import Tensor

from ...causal.causal_error import CausalError
from ...causal.resumable import Inputs, RecordedRun
from ...causal.traced_inputs import TracedInput
from ...tracing.trace import check_trace
from ..eager_attention import CallRecorder, watch_layers
from ..errors import states_errors
from ..forward_run import ModelInputs, run_network
from ..hub_trace import HubTrace
from ..opened_network import OpenedNetwork
from ..picture_text_inputs import PictureText, PictureTextCheck, probe_picture_text
from ..token_offsets import Tokens
from ..verification import OpeningCheck
from .opened_causal import OpenedCausalMethods
from .opened_inputs import read_hub_trace
from .resumable_model import ResumableModel


class ResumablePictured(ResumableModel):
    """Runs texts with pictures.

    Attributes:
        given: a text with the pictures that inputs have.
        other: one with those of the second of two texts that are compared; None where it has the same.

    Raises:
        CausalError: the residual stream of the text is not found or not proven.
    """

    def __init__(self, opened: OpenedNetwork, given: PictureText) -> None:
        self.given, self.picture_id = given, _picture_id(given)
        self.other: PictureText | None = None
        ids = given.inputs["input_ids"][0]
        self.plain_id = int(ids[ids != self.picture_id][-1])
        super().__init__(opened)
        if self.stream_refusal is not None:
            raise self.stream_refusal

    def with_pictures(self, given: PictureText, other: PictureText | None = None) -> Self:
        """The same network for texts with other pictures; its streams are proven already.

        Raises:
            CausalError: the pictures of two texts cannot be compared.
        """
        if other is not None:
            if self.has_stream and any(self.streams.places.joined.values()):
                raise CausalError(
                    "This model adds its picture between layers too, where nothing is patched; give both texts the "
                    "same picture."
                )
            if _describe_layout(given) != _describe_layout(other):
                raise CausalError(
                    "This model reads the two pictures in different sizes, so that their parts do not correspond; give "
                    "pictures of one size."
                )
        network = copy.copy(self)
        network.given, network.other = given, other
        return network

    def text_inputs(self, ids: Tensor, side: int) -> Inputs:
        return (ids,) if self.other is None else (ids, torch.full((len(ids), 1), side, device=ids.device))

    def lengths(self, inputs: Inputs) -> dict[str, int]:
        return super().lengths(inputs[:1])

    def _probe_inputs(self) -> ModelInputs:
        return self.given.inputs

    def model_inputs(self, inputs: Inputs) -> dict[str, Tensor]:
        """Inputs by the library's names.

        Raises:
            CausalError: what the processor states about a token cannot be stated about those of other texts.
        """
        ids = inputs[0]
        read = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        is_picture = ids == self.picture_id
        if not bool(is_picture.any()):
            return read
        own = self.given.inputs["input_ids"]
        sides = [0] * len(ids) if len(inputs) == 1 else inputs[1][:, 0].tolist()
        for name, tensor in self.given.inputs.items():
            if name in read:
                continue
            if tensor.shape == own.shape:  # about each token
                read[name] = _of_tokens(tensor, own == self.picture_id, is_picture)
            else:
                given = [self.given] if self.other is None else [self.given, self.other]
                of_sides = [each.inputs[name].to(ids.device) for each in given]
                read[name] = torch.cat([of_sides[side] for side in sides])
        return read

    def _filler(self, given: Tensor, stream: Tensor) -> Tensor:
        return torch.full(stream.shape[:2], self.plain_id, device=given.device)

    def _find_answers(self, recorded: RecordedRun) -> None:
        with suppress(RuntimeError, TypeError, ValueError):  # of networks that do not run without a picture
            super()._find_answers(recorded)


def _describe_layout(given: PictureText) -> list[tuple]:
    """What a network reads about pictures besides their pixels: numbers of their tokens, and shapes."""
    own = given.inputs["input_ids"].shape
    parts = [(int(given.is_picture.sum()),)]
    for name, tensor in sorted(given.inputs.items()):
        if tensor.shape != own:
            values = () if tensor.is_floating_point() else tuple(tensor.flatten().tolist())
            parts.append((name, *tensor.shape, *values))
    return parts


def _picture_id(given: PictureText) -> int:
    return int(given.inputs["input_ids"][0, int(given.is_picture.argmax())])


def _of_tokens(stated: Tensor, own: Tensor, is_picture: Tensor) -> Tensor:
    """Numbers `(row, token)` of other tokens: one for those of pictures, another for those of the text."""
    numbers = [stated[mask].unique() for mask in (own, ~own)]
    if any(len(each) > 1 for each in numbers):
        raise CausalError(
            "The processor of this model gives tokens numbers that are unknown for another text with the same "
            "picture; measure causes on texts alone."
        )
    of_picture, of_text = (each.to(is_picture.device) for each in numbers)
    return torch.where(is_picture, of_picture, of_text)


def name_calls(network: torch.nn.Module, given: PictureText, check: PictureTextCheck) -> OpeningCheck:
    """The check of a network with pictures, with the names of the calls of attention in its text."""
    whole = check.as_opening_check()
    with watch_layers(network) as layers:
        recorder = CallRecorder(None, None, lambda index, call: None, layers, check.name_at)
        run_network(network, given.inputs, recorder, True)
    kinds = tuple(kind for kind in whole.plan.kinds if kind.stack == "decoder")
    own = [check.kind_at(place) for place in recorder.places]
    names = tuple(
        check.name_at(place) if kind in kinds else None for place, kind in zip(recorder.places, own, strict=True)
    )
    return replace(whole, plan=replace(whole.plan, names=names, kinds=kinds))


# What causes an answer of an opened model to a text with pictures: two texts, or one, with their pictures.


class PicturedCauses(OpenedCausalMethods):
    """An opened model with the pictures of its texts, for the causal methods.

    Args:
        opened: a model that reads pictures with its text.
        pictures: one picture of PIL, or several.
        others: those of the second of two texts that are compared; None for the same.
    """

    def __init__(self, opened: Any, pictures: Any, others: Any = None) -> None:
        self.opened, self.pictures, self.others = opened, pictures, others
        self._follow()

    def _follow(self) -> None:
        """Read the network, and what was found out about it, from the opened model."""
        opened, pictures, others = self.opened, self.pictures, self.others
        vars(self).clear()
        vars(self).update(vars(opened))
        self.opened, self.pictures, self.others = opened, pictures, others
        self._resumable = None
        if opened.pictured is not None:
            check = opened.pictured.check.as_opening_check()
            kinds = tuple(kind for kind in check.plan.kinds if kind.stack == "decoder")
            self.proof = replace(check, plan=replace(check.plan, kinds=kinds))

    def prepare(self) -> None:
        """Prepare the opened model; see `model.hub.opened_network.OpenedNetwork.prepare`."""
        self.opened.prepare()
        if self.network is not self.opened.network:
            self._follow()

    @property
    @states_errors
    def resumable(self) -> ResumablePictured:
        """The network as the methods run it; its streams are found and proven once.

        Raises:
            CausalError: they are not.
        """
        if self._resumable is None:
            streams: ResumablePictured = self.opened.pictured_streams(self)
            other = None if self.others is None else self.opened.read_pictures("", self.others)
            self._resumable = streams.with_pictures(self._read_pictures(""), other)
        assert isinstance(self._resumable, ResumablePictured)
        return self._resumable

    @torch.no_grad()
    def find_streams(self) -> ResumablePictured:
        """Find and prove the streams of texts with pictures, on a short text with one.

        Raises:
            CausalError: they are not found or not proven.
        """
        pictured = self.opened.pictured
        probe = probe_picture_text(self.network, pictured.processor)
        self.proof = name_calls(self.network, probe, pictured.check)
        return ResumablePictured(self, probe)

    def _read_pictures(self, text: object) -> PictureText:
        read: PictureText = self.opened.read_pictures(text, self.pictures)
        return read

    def trace(self, text: object, **options: Any) -> HubTrace:
        """Trace a text with the pictures; see `model.hub.opened_model.OpenedModel.trace`."""
        trace: HubTrace = self.opened.trace(text, picture=self.pictures, **options)
        return trace

    def _source(self, text: Any, second: str | None = None) -> Tokens:
        return self._read_pictures(text).tokens

    def _sources(self, clean: str, corrupt: str) -> tuple[Tokens, Tokens]:
        if self.others is None:
            return super()._sources(clean, corrupt)
        other: PictureText = self.opened.read_pictures(corrupt, self.others)
        return self._source(clean), other.tokens

    def _read(self, trace_input: Any, second: str | None, target: Any, target_language: str | None) -> Any:
        raise CausalError("A text with pictures is continued; it has no second text.")

    def read_trace(self, trace: HubTrace) -> TracedInput:
        """Read the input of a trace with these pictures; see `CausalMethods`."""
        check_trace(trace, HubTrace, CausalError)
        if trace.picture_text is None:
            raise CausalError("This trace has no picture; trace the text with the picture.")
        own, other = (read.inputs["pixel_values"] for read in (self.resumable.given, trace.picture_text))
        if own.shape != other.shape or not torch.equal(own, other.to(own.device)):
            raise CausalError("This trace has another picture; choose that by with_picture.")
        return read_hub_trace(self.resumable, trace)
