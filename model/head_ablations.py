"""Ablate each head of any network for one traced input; see `model.attribution.head_ablation`, `model.hub.ablation`."""

from collections.abc import Collection
from typing import Any

import numpy as np

from .classifier import VisionClassifier, VisionTrace
from .hub.ablation import ablate as ablate_opened
from .hub.hub_trace import HubTrace
from .hub.opened_model import OpenedModel
from .runtime.messages import UserError
from .runtime.progress import run_to_end
from .tracing.trace import Trace
from .translator import Translator


class AblationError(UserError, ValueError):
    """Heads that cannot be ablated; the message states why in one sentence."""


def ablate(
    model: Any, trace: Any, *, answer: int | None = None, kinds: Collection[str] | None = None
) -> dict[str, np.ndarray]:
    """Measure by how much the loss of a traced input grows without each head (Michel et al. 2019, section 3).

    Args:
        model: the network that made `trace`: a `Translator`, a `VisionClassifier` or what `open_model` returns.
        answer: of a classifier, the class whose loss is measured; by default the one that it answers.
        kinds: kinds of attention whose heads are ablated; by default all.

    Returns:
        kind -> `(layer, head)` float64, counted from 0: mean -ln p in nats without the head minus the same with it.

    Raises:
        AblationError: the network has no heads that are ablated, or the trace is not one of it, or has no such kind.
        OpenError: an opened model that predicts nothing.
    """
    if kinds is not None and (unknown := [kind for kind in kinds if kind not in getattr(trace, "records", ())]):
        known = ", ".join(getattr(trace, "records", ()))
        raise AblationError("This trace has no attention of kind {kind}; it has {known}.", kind=unknown[0], known=known)
    if isinstance(model, OpenedModel) and isinstance(trace, HubTrace):
        if trace.classes is not None and answer is None:
            answer = int(trace.logits.reshape(-1).argmax())
        return ablate_opened(model, trace, trace.given, {}, answer, kinds)
    if isinstance(model, Translator) and isinstance(trace, Trace):
        changes = run_to_end(model.ablate_in_steps(trace)).changes
    elif isinstance(model, VisionClassifier) and isinstance(trace, VisionTrace):
        changes = {"vision": model.ablate_heads(trace).loss_changes(trace.answer if answer is None else answer)}
    else:
        raise AblationError(
            "Heads of {model} are not ablated with {trace}; give a model and the trace that it made.",
            model=type(model).__name__,
            trace=type(trace).__name__,
        )
    return {kind: table for kind, table in changes.items() if kinds is None or kind in kinds}
