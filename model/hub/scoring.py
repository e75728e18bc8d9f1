"""Score how well an opened network predicts the tokens of a text: -ln p in nats."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F

from ..tracing.interventions import HeadInterventions
from .eager_attention import CallRecorder
from .forward_run import output_tensor, run_network
from .hub_trace import HubTrace
from .library_types import Network, Reader
from .model_inputs import text_inputs
from .verification import OpeningCheck


class MaskedModel(Protocol):
    """The attributes of a masked model that scoring needs; see `model.hub.opened_model.OpenedModel`."""

    network: Network
    reader: Reader
    proof: OpeningCheck

    def shapes_of(self, trace: HubTrace) -> dict[str, tuple[int, int, int, int]]: ...


def token_losses(logits: np.ndarray, following: Sequence[int]) -> np.ndarray:
    """-ln p of each id that follows, `(T,)` float64, from logits `(T, vocabulary)`."""
    losses = F.cross_entropy(torch.from_numpy(logits).double(), torch.tensor(list(following)), reduction="none")
    return losses.numpy()


@torch.inference_mode()
def pseudo_likelihood(model: MaskedModel, trace: HubTrace, interventions: HeadInterventions | None) -> np.ndarray:
    """-ln p of every token that is not special, where it alone is masked (Salazar et al. 2020); one run for each.

    Args:
        interventions: changes to heads in every run.
    """
    tokens = trace.tokens("source")
    tap = None if interventions is None else interventions.tap(model.shapes_of(trace))
    losses = []
    for place, id_ in enumerate(tokens.ids):
        if tokens.special[place]:
            continue
        inputs = dict(text_inputs(model.network, tokens))
        inputs["input_ids"] = inputs["input_ids"].clone()
        inputs["input_ids"][0, place] = model.reader.mask_token_id
        recorder = None if tap is None else CallRecorder(model.proof.plan.names, tap, lambda index, call: None)
        logits = output_tensor(run_network(model.network, inputs, recorder, model.proof.by_interface))
        losses.append(float(F.cross_entropy(logits[place].double()[None], torch.tensor([id_]).to(logits.device))))
    return np.array(losses)
