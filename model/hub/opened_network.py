"""A Hugging Face checkpoint, opened: what verifying it has found, and what its configuration says of it."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

import torch
from torch import Tensor

from ..runtime.device import device_name
from ..runtime.fallback import NetworkOwner, device_of
from ..runtime.messages import Template
from ..tracing.kinds import AttentionKind
from ..tracing.traced_model import Capability
from .errors import OpenError, raised_as
from .forward_run import ModelInputs, reported_weights, run_network
from .hub_trace import HubTrace
from .interface import attention_implementation, set_implementation, use_own_attention
from .languages import TargetLanguages, find_languages
from .library_types import Config, Network
from .live_network import CLOSED, ClosedNetwork, LiveNetwork
from .loading import LoadedModel
from .model_inputs import has_decoder, other_inputs, probe_inputs, same_length_inputs, takes_pairs
from .picture_layout import LayoutFinder, PictureLayout, other_size_stated
from .picture_text_check import UNKNOWN_FORM
from .picture_text_network import PictureTextNetwork
from .positions import PositionLimits, watch_positions
from .scoring import end_id
from .tasks import CAPABILITIES, AnswerForm, answer_form, body_of
from .token_offsets import Tokens
from .verification import verify_attention

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
