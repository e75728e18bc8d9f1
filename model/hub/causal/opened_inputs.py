"""Two inputs of an opened model, or that of a trace, as the causal methods read them, and what is measured.

Unless stated otherwise, what is measured is

    text that is continued, translation    the token that differs first, or follows the text
    masked token                           the token at the mask
    classes                                the class, its probability for one input
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from torch import Tensor

from ...causal.causal_error import CausalError
from ...causal.experiments import Experiment
from ...causal.metrics import Logit, LogitDifference, Metric, Probability, TargetLoss, preferred
from ...causal.resumable import Inputs
from ...causal.traced_inputs import TracedInput
from ...runtime.messages import Template
from ..hub_trace import HubTrace, position_labels
from ..model_inputs import picture_inputs
from ..scoring import end_id
from ..token_offsets import Tokens
from .resumable_model import ResumableModel

NO_ANSWER = Template("This model predicts nothing, so no effect can be measured; open one with a head.")


def text_experiment(model: ResumableModel, clean: Tokens, corrupt: Tokens, target: Sequence[int] | None) -> Experiment:
    """Two texts of a network with one stack.

    Args:
        target: ids that follow both texts; then the metric is their loss.

    Raises:
        CausalError: the network predicts nothing, or is no network that goes on writing and a target was stated.
    """
    opened = model.opened
    if opened.task == "encode":
        raise CausalError(NO_ANSWER)
    if target is not None and opened.task != "complete":
        raise CausalError("Only a model that goes on writing has a target text; state a metric instead.")
    added = () if target is None else tuple(target[:-1])
    inputs = [
        model.text_inputs(_ids(model, (*tokens.ids, *added)), side) for side, tokens in enumerate((clean, corrupt))
    ]
    if target is not None:
        places = tuple(range(-len(target), 0))
        metric: Metric | None = TargetLoss(tuple(target), places)
    else:
        metric = _difference(model, inputs, [_asked(model, tokens) for tokens in (clean, corrupt)])
    own, other = ({model.output_stack: _with_added(model, tokens, added)} for tokens in (clean, corrupt))
    return Experiment(inputs[0], inputs[1], own, other, metric)


def translation_experiment(
    model: ResumableModel, sources: Sequence[Tokens], answers: Sequence[Tokens], target: Tokens | None
) -> Experiment:
    """Two texts of an encoder-decoder, whose decoder is fed the beginning that both answers share.

    Args:
        answers: what the decoder is fed for its own answers.
        target: what it is fed for a target; then the metric is its loss.
    """
    end = end_id(model.opened)
    if target is not None:
        fed = target.ids
        following = (*fed[model.opened.languages.length(fed) :], end)
        metric: Metric | None = TargetLoss(following, tuple(range(-len(following), 0)))
    else:
        own, other = ((*answer.ids, end) for answer in answers)
        pairs = enumerate(zip(own, other, strict=False))
        place = next((place for place, (one, two) in pairs if one != two), None)
        fed = own[:-1] if place is None else own[:place]
        metric = None if place is None else LogitDifference(own[place], other[place])
    ids = _ids(model, fed)
    tokens = tuple((target or answers[0]).labels[: len(fed)])
    first, second = (dict(zip(model.stacks, (source.labels, tokens), strict=True)) for source in sources)
    inputs = [(_ids(model, source.ids), ids) for source in sources]
    return Experiment(inputs[0], inputs[1], first, second, metric)


def class_experiment(
    model: ResumableModel, clean: Inputs, corrupt: Inputs, labels: Sequence[Mapping[str, Sequence[str]]]
) -> Experiment:
    """Two inputs of a classifier.

    The metric is the logit of the clean input's class minus that of the corrupt one's; where both have the same class,
    its probability, or its logit where classes have none.

    Raises:
        CausalError: the network has no classes.
    """
    if model.opened.classes is None:
        raise CausalError(NO_ANSWER)
    first, second = (preferred(model, model.run(one)) for one in (clean, corrupt))
    metric = LogitDifference(first, second) if first != second else class_metric(model, first)
    return Experiment(clean, corrupt, labels[0], labels[1], metric)


def class_metric(model: ResumableModel, index: int) -> Metric:
    """The probability of a class; its logit where classes exclude nothing."""
    return Probability(index) if model.opened.form == "classes" else Logit(index)


def answer_metric(model: ResumableModel, experiment: Experiment) -> Metric:
    """The probability of the clean input's answer: the next token, the token at the only mask, or the class.

    Raises:
        CausalError: the network predicts nothing, or reads masked text without exactly one mask at an equal place.
    """
    opened, place = model.opened, -1
    if opened.task == "encode":
        raise CausalError(NO_ANSWER)
    if opened.task == "fill":
        ids = [inputs[0][0].tolist() for inputs in (experiment.clean, experiment.corrupt)]
        masks = [[at for at, id_ in enumerate(each) if id_ == opened.reader.mask_token_id] for each in ids]
        if len(masks[0]) != 1 or masks[0] != masks[1]:
            raise CausalError(
                "This model fills in masked tokens; put {mask} once into both texts, at the same position.",
                mask=str(opened.reader.mask_token),
            )
        place = masks[0][0]
    hidden = model.run(experiment.clean)
    index = int(model.logits(hidden[:1, place])[0].argmax())
    return class_metric(model, index) if opened.classes is not None else Probability(index, place)


def picture_input(model: ResumableModel, picture) -> tuple[Inputs, dict[str, tuple[str, ...]]]:
    """Pixels of a picture, or of `HubTrace.received`, and labels of its positions."""
    given = picture_inputs(model.opened.network, model.opened.reader, picture)
    layout = model.opened._layout(given)
    return (given["pixel_values"],), {"vision": position_labels(layout.grid, layout.leading, layout.trailing)}


def read_patches(model: ResumableModel, received: np.ndarray, answer: int) -> TracedInput:
    """Read a picture, as the network receives it, whose class is known.

    Raises:
        CausalError: the network has no classes.
    """
    if model.opened.classes is None:
        raise CausalError(NO_ANSWER)
    inputs, labels = picture_input(model, received)
    ids = (answer,) * len(labels[model.output_stack])
    return TracedInput(inputs, labels, ids, 1, class_metric(model, answer))


def read_hub_trace(model: ResumableModel, trace: HubTrace) -> TracedInput:
    """Read the input of a trace.

    Raises:
        CausalError: the network predicts nothing, or the trace is of two texts.
    """
    opened = model.opened
    if opened.task == "encode":
        raise CausalError(NO_ANSWER)
    if trace.source is not None and any(trace.source.segments):
        raise CausalError("The causal methods read one text; this trace is of two. Trace one of them.")
    if trace.received is not None:
        inputs, labels = picture_input(model, trace.received)
    elif trace.target is not None:
        sides = trace.tokens("source"), trace.target
        inputs = tuple(_ids(model, tokens.ids) for tokens in sides)
        labels = dict(zip(model.stacks, (tokens.labels for tokens in sides), strict=True))
    else:
        tokens = trace.tokens("source")
        inputs, labels = (_ids(model, tokens.ids),), {model.output_stack: tokens.labels}
    if trace.classes is not None:
        answer = int(np.argmax(trace.logits))
        ids = (answer,) * len(labels[model.output_stack])
        return TracedInput(inputs, labels, ids, 1, class_metric(model, answer))
    following, places = _following(model, trace)
    metric = TargetLoss(tuple(following[place] for place in places), tuple(places))
    return TracedInput(inputs, labels, following, len(following), metric)


def _following(model: ResumableModel, trace: HubTrace) -> tuple[tuple[int, ...], list[int]]:
    """The token that is asked for at each position, and the positions whose tokens are scored."""
    best = trace.logits.argmax(axis=-1)
    opened = model.opened
    if opened.task == "translate":
        ids = trace.tokens("target").ids
        first = opened.languages.length(ids) - 1
        return (*ids[1:], end_id(opened)), list(range(first, len(ids)))
    tokens = trace.tokens("source")
    if opened.task == "complete":
        return (*tokens.ids[1:], int(best[-1])), list(range(max(1, len(tokens.ids) - 1)))
    mask = opened.reader.mask_token_id
    asked = tuple(int(best[place]) if own == mask else own for place, own in enumerate(tokens.ids))
    masked = [place for place, own in enumerate(tokens.ids) if own == mask]
    plain = [place for place, special in enumerate(tokens.special) if not special]
    return asked, masked or plain or [0]


def _asked(model: ResumableModel, tokens: Tokens) -> int | None:
    """The output position of the next token, or of the only masked one."""
    if model.opened.task == "complete":
        return -1
    masked = [place for place, own in enumerate(tokens.ids) if own == model.opened.reader.mask_token_id]
    return masked[0] if len(masked) == 1 else None


def _difference(model: ResumableModel, inputs: Sequence[Inputs], places: Sequence[int | None]) -> Metric | None:
    """The logit of the clean text's most probable token minus that of the corrupt one's, at one position of both."""
    place = places[0]
    if place is None or places[1] != place:
        return None
    first, second = (int(model.logits(model.run(one)[:, place])[0].argmax()) for one in inputs)
    return LogitDifference(first, second, place) if first != second else None


def _ids(model: ResumableModel, ids: Sequence[int]) -> Tensor:
    return torch.tensor([list(ids)], device=model.device)


def _with_added(model: ResumableModel, tokens: Tokens, added: Sequence[int]) -> tuple[str, ...]:
    """Labels of a text and of what follows it."""
    return (*tokens.labels, *(model.opened.reader.decode([id_]) for id_ in added))
