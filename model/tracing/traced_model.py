"""What a page knows of a network: `TracedModel`. Which network it is, a page never asks; it asks what it can do."""

from collections.abc import Mapping
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from .kinds import AttentionKind
from .trace import Verification

Capability = Literal["translate", "complete", "fill", "classify", "ablate", "intervene", "explain", "export"]


class Record(Protocol):
    """One kind of attention, recorded. How it is checked is its own affair.

    Attributes:
        weights: `(layer, head, query, key)` float32.
        allowed: `(query, key)` bool, what the mask lets some head see; None where no mask applies.
    """

    @property
    def weights(self) -> np.ndarray: ...

    @property
    def allowed(self) -> np.ndarray | None: ...

    @property
    def verification(self) -> Verification:
        """The check, computed once."""

    def verify(self) -> Verification:
        """Compare with an independent recomputation."""


class AnyTrace(Protocol):
    """Everything a network computed for one input, as far as every network has it.

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
    """A trained network that can be looked into: a `Translator`, a `RecurrentTranslator`, a `VisionClassifier`.

    Attributes:
        kinds: its kinds of attention, in the order in which they are offered.
        capabilities: what it can do besides `trace` and `score`: "translate", "complete" and "fill" text, "classify" an
            input, "ablate" heads, "intervene" on heads or on gates, "explain" a class by the patches, "export" itself.
        config: its sizes, with `to_dict`.
        parameters: how many numbers were trained.
        card: figures about data, training and quality; `weights_sha256` is the hash of its weights.
        device_name: where it runs.
    """

    card: dict
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

    def trace(self, given, **options) -> AnyTrace:
        """Everything it computes for an input; `intervention=` is a tap that changes tensors on their way."""

    def score(self, trace) -> np.ndarray:
        """-ln p in nats of what a trace holds: `(T,)` of the target's tokens, or `(class,)` of every class."""
