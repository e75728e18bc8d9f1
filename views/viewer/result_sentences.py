"""What a causal result measured, in sentences with its numbers and its check. Results are read by their attributes."""

import dataclasses
from typing import Any

from ..text.catalogue import Message
from ..text.numbers import three_digits
from .result_words import in_words

SENTENCES = {  # class of a result -> what its tables are, and its check
    "ActivationPatching": Message(
        "show.result.patching",
        "Each cell is the metric after the {site} ({part}) was replaced there by that of the other run. "
        "Unchanged it is {receiver} {unit}, in the other run {donor}. Check: with nothing replaced no logit "
        "differs by more than {check_nothing} of the largest one; batches of different size differ by "
        "{check_drift}.",
    ),
    "PathPatching": Message(
        "show.result.paths",
        "Each cell is the metric after one edge carries what it carries in the other run; feed-forward "
        "layers are {feed_forward}. Unchanged it is {receiver} {unit}, in the other run {donor}. Check: the "
        "strongest edges, run one by one, differ by at most {check_recomputed}.",
    ),
    "LogitLens": Message(
        "show.result.lens",
        "Each row is what the network would answer after that layer. Check: the last row differs from the "
        "network's own logits by at most {difference} of the largest one.",
    ),
    "LogitAttribution": Message(
        "show.result.logit",
        "Each cell is the share of one part in the logit of token {index} at position {position}, {logit}. "
        "Embedding {embedding} and position {positional} are the rest, with the biases. Check: all shares "
        "together miss the logit by {remainder}.",
    ),
    "RepeatedIdScores": Message(
        "show.result.repeated",
        "Each cell is the mean score of a head over {rows} rows of {length} random tokens that are repeated. "
        "Check: the weights of a query sum to 1 within {row_sum_error}.",
    ),
    "HeadAblation": Message(
        "show.result.ablation",
        "Each cell is the change of the metric when a head's output is replaced ({replacement}); with all "
        "heads it is {reference} {unit}. Check: a head replaced by its own output changes it by at most "
        "{nothing}.",
    ),
    "IntegratedGradients": Message(
        "show.result.gradients",
        "Each cell is the share of an input in the change of the metric from {baseline} {unit} at the "
        "baseline to {value}, by {points} points. Check: all shares together miss that change by {gap}.",
    ),
    "CompositionScores": Message(
        "show.result.composition",
        "Each cell is how much a later head reads of what an earlier one writes; random matrices give "
        "{chance}. Check: the strongest scores differ from the product of the whole matrices by at most "
        "{difference}.",
    ),
    "CopyingScores": Message(
        "show.result.copying",
        "Each cell is the copying score of a head, \u22121 to 1: above 0 if attending to a token raises its own logit "
        "on average over all tokens, below 0 if it lowers it. Check: the sums of eigenvalues miss the traces of the "
        "whole circuits by at most {difference} of their size.",
    ),
}
EVERYTHING = Message(
    "show.result.everything",
    "With everything replaced, the result differs from the other run by at most {check_everything} of its largest "
    "logit.",
)
NOT_COPIED = Message(
    "show.result.not-copied",
    "Cross-attention is left out: its values come from the encoder's output, not from embeddings of tokens.",
)
LOGIT_DIFFERENCE = Message(
    "show.result.logits",
    "Each cell is the share of one part in the logit of token {index} minus that of token {other} at "
    "position {position}, {logit}. Embedding {embedding} and position {positional} are the rest, with "
    "the biases. Check: all shares together miss the difference by {remainder}.",
)


def measured(result: Any) -> str:
    """What a result measured, with every number that it states besides its tables, its check included, in sentences."""
    values = {name: _written(value) for name, value in _numbers(result).items()}
    name = type(result).__name__
    sentences = [SENTENCES[name]] if name in SENTENCES else []
    if name == "ActivationPatching" and result.check.everything is not None:
        sentences.append(EVERYTHING)
    if name == "CopyingScores" and result.left_out:
        sentences.append(NOT_COPIED)
    if name == "LogitAttribution" and result.other is not None:
        sentences = [LOGIT_DIFFERENCE]
    return " ".join(sentence(**values) for sentence in sentences)


def _numbers(result: Any) -> dict[str, object]:
    """Numbers and names of a result, those of its check with "check_" before their names, and the metric's unit."""
    fields = {field.name: getattr(result, field.name) for field in dataclasses.fields(result)}
    check = fields.pop("check", None)
    if dataclasses.is_dataclass(check):
        fields |= {f"check_{field.name}": getattr(check, field.name) for field in dataclasses.fields(check)}
    fields |= {name: getattr(result, name) for name in ("gap", "remainder") if hasattr(result, name)}
    fields["unit"] = getattr(fields.get("metric"), "unit", "")
    plain = {name: value for name, value in fields.items() if isinstance(value, str | int | float)}
    return {name: value for name, value in plain.items() if not isinstance(value, bool)}


def _written(value: object) -> object:
    return three_digits(value) if isinstance(value, float) else in_words(value) if isinstance(value, str) else value
