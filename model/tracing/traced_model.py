"""The interface between pages and networks: `TracedModel`. A page asks for capabilities, never for a type."""

from collections.abc import Mapping
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np

from .kinds import AttentionKind
from .trace import Verification

Capability = Literal["translate", "complete", "fill", "classify", "ablate", "intervene", "explain", "export", "pull"]


class Record(Protocol):
    """One kind of attention, recorded, with its own check.

    Attributes:
        weights: `(layer, head, query, key)` float32.
        allowed: `(query, key)` bool, keys that some head may attend to; None if no mask applies.
    """

    @property
    def weights(self) -> np.ndarray: ...

    @property
    def allowed(self) -> np.ndarray | None: ...

    @property
    def verified_by(self) -> str:
        """What `verify` recomputes with, such as "sdpa", PyTorch's fused attention."""

    @property
    def verification(self) -> Verification:
        """The check, computed once."""

    def verify(self) -> Verification:
        """Compare with an independent recomputation."""


class AnyTrace(Protocol):
    """The intermediate results of one input that every network has.

    Attributes:
        records: name of a kind -> its record. A network without attention has none.
        logits: the last axis is over the vocabulary or the classes.
    """

    @property
    def logits(self) -> np.ndarray: ...

    @property
    def records(self) -> Mapping[str, Record]: ...

    def axes(self, kind: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Labels of the queries and of the keys of a kind."""


@runtime_checkable
class TracedModel(Protocol):
    """A trained network that can be traced: a `Translator`, a `RecurrentTranslator`, a `VisionClassifier`.

    Attributes:
        kinds: its kinds of attention, in the order of the choice on pages.
        capabilities: features in addition to `trace` and `score`: "translate", "complete" and "fill" text, "classify"
            an input, "ablate" heads, "intervene" on heads or on gates, "explain" a class by the patches,
            "export", and "pull" a weight.
        config: its sizes, with `to_dict`.
        parameters: number of trained numbers.
        device_name: the hardware it runs on.
    """

    card: dict  # figures about data, training and quality; `weights_sha256` is the hash of its weights
    weights_sha256: str

    @property
    def kinds(self) -> tuple[AttentionKind, ...]: ...

    @property
    def capabilities(self) -> frozenset[Capability]: ...

    @property
    def config(self) -> object: ...

    @property
    def parameters(self) -> int: ...

    @property
    def device_name(self) -> str: ...

    def trace(self, *inputs: Any, **options: Any) -> AnyTrace:
        """Record everything it computes for an input; `intervention=` is a tap that changes tensors."""

    def score(self, trace) -> np.ndarray:
        """Compute -ln p in nats for a trace: `(T,)` of the target's tokens, or `(class,)` of every class."""


class TranslatingModel(Protocol):
    """A model of sentences, with the line of Python that loads it, such as `Translator.load()`."""

    @property
    def loaded_by(self) -> str: ...

    @property
    def weights_sha256(self) -> str: ...
