"""The causal methods of opened models; see `docs/causal.md`."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from ...causal.activation_patching import default_part
from ...causal.causal_error import CausalError
from ...causal.causal_methods import CausalMethods
from ...causal.experiments import Experiment
from ...causal.logit_attribution import LogitAttribution
from ...causal.patching_estimate import PatchingEstimate, estimate_grids
from ...causal.traced_inputs import TracedInput
from ...runtime.fallback import falls_back
from ...tracing.model_of_trace import check_trace
from ..errors import states_errors
from ..hub_trace import HubTrace
from ..opened_network import OpenedNetwork
from ..token_offsets import Tokens, labels_of
from .opened_attribution import attribute_logit
from .opened_inputs import (
    answer_metric,
    class_experiment,
    picture_input,
    read_hub_trace,
    text_experiment,
    translation_experiment,
)
from .resumable_model import ResumableModel
from .stream_proof import StreamProof


class OpenedCausalMethods(OpenedNetwork, CausalMethods):
    """What causes an answer of an opened model.

    The places of its residual streams are found and proven when a method is first asked for. Where the proof fails,
    methods that need them raise `CausalError` with the reason, and methods on heads work.
    """

    _resumable: ResumableModel | None = None

    @abstractmethod
    def _source(self, text: str, second: str | None = None) -> Tokens: ...

    def _sources(self, clean: str, corrupt: str) -> tuple[Tokens, Tokens]:
        """Tokens of two texts that are compared."""
        return self._source(clean), self._source(corrupt)

    @abstractmethod
    def _read(self, trace_input: Any, second: str | None, target: Any, target_language: str | None) -> Any: ...

    @property
    @states_errors
    def resumable(self) -> ResumableModel:
        """The network as the methods run it; found and proven once.

        Raises:
            CausalError: its layers differ in their attention.
        """
        if self.text_refusal is not None:
            raise CausalError("This model reads no text without a picture; choose one by model.with_picture.")
        if self._resumable is None:
            self._resumable = ResumableModel(self)
        return self._resumable

    @property
    def stream_proof(self) -> StreamProof | CausalError:
        """The proof of its residual streams, or why they cannot be replaced."""
        model = self.resumable
        return model.proof if model.has_stream and model.proof is not None else self._refusal(model)

    @staticmethod
    def _refusal(model: ResumableModel) -> CausalError:
        assert model.stream_refusal is not None
        return model.stream_refusal

    @falls_back
    @states_errors
    def prepare_experiment(self, clean: Any, corrupt: Any, target: str | None = None) -> Experiment:
        """Prepare two texts or two pictures; see `model.hub.causal.opened_inputs`.

        Args:
            clean, corrupt: two texts; or two pictures in any form of `trace`, such as `HubTrace.received`, in which
                patches can be replaced.
            target: of a network that writes, a text that follows both; then its loss is proposed.

        Raises:
            OpenError: an input cannot be used.
            CausalError: the network predicts nothing, or has no target text.
        """
        with torch.no_grad():
            model = self.resumable
            if self.vision:
                if target is not None:
                    raise CausalError("A picture has no target text; state a metric instead.")
                if isinstance(clean, str) or isinstance(corrupt, str):
                    raise CausalError("This model reads pictures; give two.")
                own, other = (picture_input(model, one) for one in (clean, corrupt))
                return class_experiment(model, own[0], other[0], (own[1], other[1]))
            for text in (clean, corrupt):
                if not isinstance(text, str):
                    raise CausalError("This model reads text; give two texts.")
            if self.has_decoder and not self.classifies_by_decoder:
                read = [self._read(text, None, target, None) for text in (clean, corrupt)]
                sources, answers = [one[0] for one in read], [one[1] for one in read]
                return translation_experiment(model, sources, answers, None if target is None else answers[0])
            if self.classes is not None:
                read = [self._read(text, None, None, None) for text in (clean, corrupt)]
                first, second = (model.as_inputs(one[2]) for one in read)
                sides = [[tokens.labels for tokens in one[:2] if tokens is not None] for one in read]
                return class_experiment(
                    model, first, second, [dict(zip(model.stacks, one, strict=True)) for one in sides]
                )
            ids = None if target is None else self.reader(target, add_special_tokens=False)["input_ids"]
            return text_experiment(model, *self._sources(clean, corrupt), ids)

    def answer_names(self, indices: Sequence[int]) -> tuple[str, ...]:
        """Names of classes, or labels of tokens, by their indices."""
        if self.classes is not None:
            return tuple(self.classes[index] for index in indices)
        return labels_of(self.reader, indices)

    def read_trace(self, trace: HubTrace) -> TracedInput:
        """Read the input of a trace; see `CausalMethods`.

        Raises:
            CausalError: it has pictures besides its text.
        """
        check_trace(trace, HubTrace, CausalError)
        if trace.picture_text is not None:
            raise CausalError("This trace has pictures. Choose them by model.with_picture, or trace the text alone.")
        return read_hub_trace(self.resumable, trace)

    @falls_back
    def logit_attribution(
        self, trace: Any, index: int | None = None, other: int | None = None, position: int = -1
    ) -> LogitAttribution:
        """Split a logit of a trace's input into its parts; see `model.hub.causal.opened_attribution`."""
        own = self.read_trace(trace)
        return attribute_logit(self.resumable, own.inputs, own.following(position, index), other, position)

    @torch.inference_mode()
    def estimate_patching(
        self, clean: Any, corrupt: Any, site: str = "residual", part: str | None = None, **options: Any
    ) -> PatchingEstimate:
        """Estimate how long `patch` with these arguments will take, from one batch of runs.

        Args:
            options: those of `patch` that decide how many cells there are: `by_position`, `positions`.

        Raises:
            CausalError: as of `patch`.
        """
        pair, model = self.prepare_experiment(clean, corrupt), self.resumable
        own = part or default_part(model, site)
        wanted = {name: options[name] for name in ("by_position", "positions") if name in options}
        return estimate_grids(model, pair, {site: (own,)}, **wanted)

    @falls_back
    def measure_probability(self, experiment: Experiment) -> Experiment:
        """The same two inputs, with the probability of the clean input's answer as what is measured.

        Raises:
            CausalError: there is not one answer; see `model.hub.causal.opened_inputs.answer_metric`.
        """
        with torch.no_grad():
            return replace(experiment, metric=answer_metric(self.resumable, experiment))
