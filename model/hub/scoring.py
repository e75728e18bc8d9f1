"""Score how well an opened network predicts the tokens of a text: -ln p in nats."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
import torch
import torch.nn.functional as F

from ..networks.tap import Tap
from ..tracing.interventions import HeadInterventions, to_tap
from ..tracing.kinds import PREFIX
from .eager_attention import CallRecorder
from .errors import OpenError
from .forward_run import output_tensor, run_network
from .hub_trace import HubTrace
from .languages import TargetLanguages
from .library_version import Network, Reader
from .model_inputs import text_inputs
from .readers import table_size
from .tasks import AnswerForm, ModelTask
from .token_offsets import labels_of
from .verification import OpeningCheck


class ScoredModel(Protocol):
    """The attributes of a model that scoring needs; see `model.hub.opened_model.OpenedModel`."""

    network: Network
    reader: Reader
    task: ModelTask
    proof: OpeningCheck
    languages: TargetLanguages

    @property
    def layers(self) -> dict[str, tuple[int, ...]]: ...

    def shapes_of(self, trace: HubTrace) -> dict[str, tuple[int, int, int, int]]: ...


def score_trace(model: ScoredModel, trace: HubTrace, intervention: HeadInterventions | Tap | None) -> np.ndarray:
    """The scores of a trace; see `model.hub.opened_model.OpenedModel.score`.

    Raises:
        OpenError: the network has no head that predicts anything.
    """
    if model.task == "encode":
        raise OpenError("This model predicts nothing, so nothing can be scored.")
    if trace.classes is not None:
        return class_scores(trace.logits, trace.form)
    if model.task == "fill":
        return pseudo_likelihood(model, trace, intervention)
    if model.task == "translate":
        ids = trace.tokens("target").ids
        first = model.languages.length(ids)
        return token_losses(trace.logits[first - 1 :], [*ids[first:], end_id(model)])
    places, ids = scored_places(trace), trace.tokens("source").ids
    return token_losses(trace.logits[[place - 1 for place in places]], [ids[place] for place in places])


def scored_labels(model: ScoredModel, trace: HubTrace) -> tuple[str, ...]:
    """Labels of what `score_trace` scores, in its order."""
    if trace.classes is not None:
        return trace.classes
    source = trace.tokens("source")
    if model.task == "fill":
        return tuple(label for label, mark in zip(source.labels, source.special, strict=True) if not mark)
    if model.task == "translate":
        target = trace.tokens("target")
        return (*target.labels[model.languages.length(target.ids) :], *labels_of(model.reader, [end_id(model)]))
    return tuple(source.labels[place] for place in scored_places(trace))


def scored_places(trace: HubTrace) -> list[int]:
    """Positions of the tokens of a text that are predicted from those before them: all but the first.

    Of a text with pictures, parts of pictures are not predicted, nor are tokens that earlier ones attend to.

    Raises:
        OpenError: none is left.
    """
    if trace.picture_text is None:
        return list(range(1, len(trace.tokens("source").ids)))
    places = [place for place in trace.ordinary_places if place]
    if (record := trace.records.get(PREFIX.name)) is not None:
        allowed = record.allowed
        places = [place for place in places if allowed is not None and not allowed[place - 1, place]]
    if not places:
        raise OpenError("Every token of this text is visible to those before it, so none is predicted or scored.")
    return places


def class_scores(logits: np.ndarray, form: AnswerForm) -> np.ndarray:
    """-ln p of every class or label, float64 in the shape of the logits; the logits where they are "scores"."""
    numbers = logits.astype(np.float64)
    if form == "scores":
        return numbers
    if form == "labels":
        return np.logaddexp(0, -numbers)
    return np.logaddexp.reduce(numbers, axis=-1, keepdims=True) - numbers


def end_id(model: ScoredModel) -> int:
    """The id that ends a text.

    Raises:
        OpenError: neither configuration nor tokenizer have one.
    """
    config = model.network.config
    parts = (config, getattr(config, "decoder", None), getattr(model.network, "generation_config", None), model.reader)
    end = next((id_ for part in parts if (id_ := getattr(part, "eos_token_id", None)) is not None), None)
    if end is None:
        raise OpenError("config.json does not state which token ends a text (eos_token_id); add it.")
    return end[0] if isinstance(end, list) else end


def token_losses(logits: np.ndarray, following: Sequence[int]) -> np.ndarray:
    """-ln p of each id that follows, `(T,)` float64, from logits `(T, vocabulary)`."""
    losses = F.cross_entropy(torch.from_numpy(logits).double(), torch.tensor(list(following)), reduction="none")
    return losses.numpy()


@torch.inference_mode()
def pseudo_likelihood(model: ScoredModel, trace: HubTrace, intervention: HeadInterventions | Tap | None) -> np.ndarray:
    """-ln p of every token that is not special, where it alone is masked (Salazar et al. 2020); one run for each.

    Args:
        intervention: changes to heads, or a tap, in every run.
    """
    tokens = trace.tokens("source")
    mask = model.reader.mask_token_id
    if mask is None or mask >= table_size(model.network.config):
        raise OpenError(
            "The tokenizer has no token that masks another and that this model knows, so nothing is scored."
        )
    tap = to_tap(intervention, lambda: model.shapes_of(trace), model.layers)
    losses = []
    for place, id_ in enumerate(tokens.ids):
        if tokens.special[place]:
            continue
        inputs = dict(text_inputs(model.network, tokens))
        inputs["input_ids"] = inputs["input_ids"].clone()
        inputs["input_ids"][0, place] = mask
        recorder = None if tap is None else CallRecorder(model.proof.plan.names, tap, lambda index, call: None)
        logits = output_tensor(run_network(model.network, inputs, recorder, model.proof.by_interface))
        losses.append(float(F.cross_entropy(logits[place].double()[None], torch.tensor([id_]).to(logits.device))))
    return np.array(losses)
