"""What causes an answer of an opened model to a text with pictures: two texts, or one, with their pictures."""

from dataclasses import replace
from typing import Any

import torch

from ...causal.causal_error import CausalError
from ...causal.traced_inputs import TracedInput
from ...tracing.model_of_trace import check_trace
from ..errors import states_errors
from ..hub_trace import HubTrace
from ..picture_text_inputs import PictureText, probe_picture_text
from ..token_offsets import Tokens
from .opened_causal import OpenedCausalMethods
from .opened_inputs import read_hub_trace
from .resumable_pictured import ResumablePictured, name_calls


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
