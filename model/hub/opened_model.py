"""Any Hugging Face checkpoint as a `TracedModel`: opened, verified, traced."""

from functools import cached_property

import numpy as np
import torch
from PIL import Image
from torch import Tensor

from ..runtime.device import device_name
from ..runtime.fallback import NetworkOwner, device_of
from ..runtime.progress import InSteps, run_to_end
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import AttentionKind
from ..tracing.traced_model import Capability
from .call_check import check_call
from .eager_attention import AttentionCall, CallRecorder
from .errors import OpenError, states_errors
from .forward_run import ModelInputs, output_tensor, reported_weights, residual_stream, run_network
from .generation import greedy_in_steps
from .hub_trace import HubTrace
from .interface import attention_implementation
from .library_types import Config
from .loading import LoadedModel
from .model_inputs import (
    has_decoder,
    other_inputs,
    pair_inputs,
    picture_fields,
    picture_inputs,
    probe_inputs,
    start_id,
    takes_pairs,
    text_inputs,
)
from .picture_layout import LayoutFinder, PictureLayout, other_size_stated
from .positions import PositionLimits, watch_positions
from .record import HubRecord, LayerRecord, reduce_call, stack_layers
from .scoring import end_id, score_trace, scored_labels
from .tasks import CAPABILITIES, AnswerForm, answer_form
from .token_offsets import Tokens, labels_of, tokenize, tokens_of_ids
from .trace_limits import TraceRetention, plan_retention
from .verification import verify_attention

TraceInput = str | Image.Image | np.ndarray  # a text, a picture, or `HubTrace.received`
MOST_GENERATED = 128  # tokens of a decoder's own target


class OpenedModel(NetworkOwner):
    """A network of the library `transformers`, traced while it runs. Made by `model.open_model.open_model`.

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
        head: name of the class with a head whose answers are not shown, where the body was opened alone; else None.

    Raises:
        OpenError: the check fails; with the measured difference.
    """

    def __init__(self, loaded: LoadedModel, name: str, weights_sha256: str, commit: str | None = None) -> None:
        self.network, self.reader, self.task, self.vision = loaded.network, loaded.reader, loaded.task, loaded.vision
        self.name, self.weights_sha256, self.head = name, weights_sha256, loaded.head
        self.has_decoder = has_decoder(self.network)
        self.unread = () if self.vision else other_inputs(self.network)
        self.pinned = name if commit is None else f"{name.partition('@')[0]}@{commit}"
        inputs, source, target = probe_inputs(self.network, self.reader, vision=self.vision)
        with watch_positions() as limits, other_size_stated(self.network, inputs):
            self.proof = verify_attention(self.network, inputs, vision=self.vision, source=source, target=target)
        self.limits = PositionLimits(None) if source is None else limits(self.network, source, target)
        self._layout = LayoutFinder(self.network, self.proof.plan.names, by_interface=self.proof.by_interface)
        if self.vision:
            self._layout(inputs)  # refuses pictures whose patches cannot be found
        self.card = {"source": self.pinned, "weights_sha256": weights_sha256, "type": self.config.model_type}

    @property
    def kinds(self) -> tuple[AttentionKind, ...]:
        """Its kinds of attention, as identified by running it."""
        return self.proof.plan.kinds

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
    def form(self) -> AnswerForm:
        """What the answers of a classifier are; see `HubTrace`."""
        return answer_form(self.config) if self.classes is not None else "classes"

    @property
    def classes(self) -> tuple[str, ...] | None:
        """Names of the classes of a classifier."""
        if self.task not in ("classify", "classify-text"):
            return None
        return tuple(str(self.config.id2label[number]) for number in range(len(self.config.id2label)))

    @states_errors
    def trace(
        self,
        given: TraceInput,
        *,
        second: str | None = None,
        target: str | tuple[int, ...] | None = None,
        intervention: HeadInterventions | None = None,
        keep: str | int = "auto",
    ) -> HubTrace:
        """Everything the network computes for an input, in one pass without a cache.

        Args:
            given: a text, or a picture for a network that reads pictures; also as `HubTrace.received`,
                `(3, height, width)`.
            second: a second text, for a network that reads pairs.
            target: for an encoder-decoder, the text that the decoder is fed, or its ids as in a trace; by default its
                own greedy output.
            intervention: changes to heads during the pass.
            keep: "auto", "all", "weights" or a layer from 0; see `model.hub.trace_limits`.

        Raises:
            OpenError: the input cannot be used, or the maps would be too large.
            InterventionError: see `HeadInterventions.check`.
        """
        source, decoder, inputs = self._read(given, second, target)
        layout = self._layout(inputs) if self.vision else None
        shapes = self._shapes(source, decoder, layout)
        tap = None if intervention is None else intervention.tap(shapes)
        retention = plan_retention(
            sum(int(np.prod(shape)) for shape in shapes.values()), max(s[0] for s in shapes.values()), keep
        )
        own = self._own_weights(inputs) if not self.proof.by_interface and intervention is None else {}
        recorder = CallRecorder(
            self.proof.plan.names, tap, lambda index, call: self._reduce(index, call, retention, own, intervention)
        )
        output = run_network(self.network, inputs, recorder, self.proof.by_interface, output_hidden_states=True)
        if recorder.count != len(self.proof.plan.names):
            raise OpenError("This model takes another path for this input than for the one it was tried with.")
        return HubTrace(
            records=self._records(recorder.calls),
            logits=output_tensor(output).cpu().numpy(),
            source=source,
            target=decoder,
            stream=residual_stream(output, self.kinds[0].stack) if retention.steps == "all" else {},
            **({} if layout is None else picture_fields(layout, inputs)),
            classes=self.classes,
            form=self.form,
            kept=retention.steps if retention.layer is None else retention.layer,
        )

    @states_errors
    def count_weights(self, text: str, second: str | None = None, target: str | None = None) -> tuple[int, int]:
        """Number of attention weights of a text in all layers, and largest number of layers, before any computation.

        A target that the decoder has yet to generate counts with its largest length.

        Raises:
            OpenError: the text cannot be used.
        """
        source = self._source(text, second)
        decoder = None
        if self.has_decoder:
            count = MOST_GENERATED if target is None else len(self._target(target))
            if self.task != "translate" and target is None:
                count = len(source.ids)
            decoder = Tokens((0,) * (1 + count), (), (), (), ())
        shapes = self._shapes(source, decoder).values()
        return sum(int(np.prod(shape)) for shape in shapes), max(shape[0] for shape in shapes)

    @states_errors
    def score(self, trace: HubTrace, interventions: HeadInterventions | None = None) -> np.ndarray:
        """-ln p in nats, `(T,)` or `(classes,)` float64; of a network that answers with "scores", these.

        Of every token but the first given those before it (decoder), of every target token (encoder-decoder), of every
        token where it alone is masked (masked model; Salazar et al. 2020), or of every class or label.

        Args:
            interventions: those of the trace; a masked model runs again for each of its tokens.

        Raises:
            OpenError: the network has no head that predicts anything.
        """
        return score_trace(self, trace, interventions)

    def scored(self, trace: HubTrace) -> tuple[str, ...]:
        """Labels of the tokens or classes that `score` scores, in its order."""
        return scored_labels(self, trace)

    def generate(self, text: str, tokens: int = 20, intervention: HeadInterventions | None = None) -> str:
        """Generate a greedy continuation, translation or summary of a text, of at most `tokens` new tokens.

        Raises:
            OpenError: this network generates no text.
            InterventionError: see `HeadInterventions.check`.
        """
        return run_to_end(self.generate_in_steps(text, tokens, intervention))

    @states_errors
    def generate_in_steps(
        self, text: str, tokens: int = 20, intervention: HeadInterventions | None = None
    ) -> InSteps[str]:
        """`generate`, some tokens at a time.

        Raises:
            OpenError, InterventionError: as of `generate`.
        """
        if self.task not in ("complete", "translate"):
            raise OpenError("This model generates no text; open one of a decoder.")
        ids = yield from self._generated(self._source(text), tokens, intervention)
        return self.reader.decode(ids, skip_special_tokens=True)

    @states_errors
    def top(self, trace: HubTrace, position: int, count: int = 5) -> list[tuple[str, float]]:
        """The most probable tokens at a position of a trace's logits, and their probabilities."""
        logits = torch.from_numpy(trace.logits[position]).double().softmax(dim=-1)
        best = logits.topk(min(count, len(logits)))
        return list(zip(labels_of(self.reader, best.indices.tolist()), best.values.tolist(), strict=True))

    def _read(
        self, trace_input: TraceInput, second: str | None, target: str | tuple[int, ...] | None
    ) -> tuple[Tokens | None, Tokens | None, ModelInputs]:
        if self.vision:
            if not isinstance(trace_input, Image.Image | np.ndarray):
                raise OpenError("This model reads pictures; give it one.")
            return None, None, picture_inputs(self.network, self.reader, trace_input)
        if not isinstance(trace_input, str):
            raise OpenError("This model reads text; give it one.")
        source = self._source(trace_input, second)
        if not self.has_decoder:
            return source, None, text_inputs(self.network, source)
        if isinstance(target, tuple):
            ids = target
        elif target is not None:
            ids = self._fed(self._target(target))
        elif self.task != "translate":  # nothing can be generated: the decoder is fed the text itself
            ids = self._fed(source.ids)
        else:
            ids = self._fed(run_to_end(self._generated(source, MOST_GENERATED)))
        self.limits.check(0, len(ids))
        return source, tokens_of_ids(self.reader, ids), pair_inputs(self.network, source, ids)

    def _source(self, text: str, second: str | None = None) -> Tokens:
        """Tokens of the input, no more than there are positions."""
        if second is not None and not self.takes_two_texts:
            raise OpenError("This model reads one text at a time; leave the second one out.")
        source = tokenize(self.reader, text, second)
        self.limits.check(len(source.ids))
        return source

    def _target(self, text: str) -> tuple[int, ...]:
        ids = tuple(self.reader(text_target=text)["input_ids"])
        self.limits.check(0, len(self._fed(ids)))
        return ids

    def _fed(self, ids: tuple[int, ...]) -> tuple[int, ...]:
        """What a decoder reads that answers with `ids`."""
        return start_id(self.network), *(ids[:-1] if ids and ids[-1] == end_id(self) else ids)

    def _generated(
        self, source: Tokens, tokens: int, intervention: HeadInterventions | None = None
    ) -> InSteps[tuple[int, ...]]:
        """New ids by greedy decoding."""
        tap = None
        if intervention is not None:
            longest = Tokens((0,) * (1 + tokens), (), (), (), ()) if self.has_decoder else None
            tap = intervention.tap(self._shapes(source, longest))
        names, by = self.proof.plan.names, self.proof.by_interface
        most = self.limits.target if self.has_decoder else self.limits.source
        inputs = text_inputs(self.network, source)
        return greedy_in_steps(self.network, inputs, tokens, names, tap, by_interface=by, most=most)

    def _shapes(
        self, source: Tokens | None, decoder: Tokens | None, layout: PictureLayout | None = None
    ) -> dict[str, tuple[int, int, int, int]]:
        """Layers, heads, queries and keys of every kind for an input."""
        first = layout.positions if layout is not None else len(source.ids) if source is not None else 0
        return self.proof.shapes(first, first if decoder is None else len(decoder.ids))

    def shapes_of(self, trace: HubTrace) -> dict[str, tuple[int, int, int, int]]:
        """Layers, heads, queries and keys of every kind of the whole network, for the input of a trace."""
        layout = None if trace.grid is None else PictureLayout(trace.grid, trace.leading, trace.trailing)
        return self._shapes(trace.source, trace.target, layout)

    def _reduce(
        self,
        index: int,
        call: AttentionCall,
        retention: TraceRetention,
        own: dict,
        interventions: HeadInterventions | None,
    ) -> LayerRecord | None:
        place = self.proof.plan.layer_of(index)
        if place is None or retention.layer not in (None, place[1]):
            return None
        kind, layer = place
        reported = own.get(kind.name)
        check = check_call(call, None if reported is None else reported[layer], kind, layer, interventions)
        return reduce_call(call, check, steps=retention.steps, half=retention.half)

    def _own_weights(self, inputs: ModelInputs) -> dict[str, list[Tensor]]:
        with attention_implementation(self.network, "eager"):
            weights = reported_weights(run_network(self.network, inputs, None, False, output_attentions=True))
        maps = {kind.name: self.proof.reported(kind.name, weights) for kind in self.kinds}
        return {kind: layers for kind, layers in maps.items() if layers is not None}

    def _records(self, calls: list[LayerRecord | None]) -> dict[str, HubRecord]:
        records = {}
        for kind in self.kinds:
            of_kind = enumerate(calls[index] for index in self.proof.plan.places(kind))
            if layers := {number: layer for number, layer in of_kind if layer is not None}:
                records[kind.name] = stack_layers(list(layers.values()), list(layers))
        return records
