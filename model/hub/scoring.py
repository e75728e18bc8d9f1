"""How well an opened network predicts the tokens of a text: -ln p in nats."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from ..tracing.interventions import HeadInterventions
from .eager_attention import CallRecorder
from .forward_run import output_tensor, run_network
from .hub_trace import HubTrace
from .model_inputs import text_inputs
from .verification import OpeningCheck


class MaskedModel(Protocol):
    """What is asked of a masked model; see `model.hub.opened_model.OpenedModel`."""

    network: nn.Module
    reader: object
    proof: OpeningCheck

    def shapes_of(self, trace: HubTrace) -> dict[str, tuple[int, int, int, int]]: ...


def token_losses(logits: np.ndarray, following: Sequence[int]) -> np.ndarray:
    """`(T,)` float64: of each id that follows, given logits `(T, vocabulary)`."""
    found = F.cross_entropy(torch.from_numpy(logits).double(), torch.tensor(list(following)), reduction="none")
    return found.numpy()


@torch.inference_mode()
def pseudo_likelihood(model: MaskedModel, trace: HubTrace, interventions: HeadInterventions | None) -> np.ndarray:
    """Of every token that is not special, where it alone is masked (Salazar et al. 2020); one run for each.

    Args:
        interventions: what is done to heads in every run.
    """
    tokens = trace.source
    tap = None if interventions is None else interventions.tap(model.shapes_of(trace))
    found = []
    for place, id_ in enumerate(tokens.ids):
        if tokens.special[place]:
            continue
        inputs = dict(text_inputs(model.network, tokens))
        inputs["input_ids"] = inputs["input_ids"].clone()
        inputs["input_ids"][0, place] = model.reader.mask_token_id
        watch = None if tap is None else CallRecorder(model.proof.plan.names, tap, lambda place, call: None)
        logits = output_tensor(run_network(model.network, inputs, watch, model.proof.by_interface))
        found.append(float(F.cross_entropy(logits[place].double()[None], torch.tensor([id_]).to(logits.device))))
    return np.array(found)
