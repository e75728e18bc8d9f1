"""Pull one attention weight: what the translation becomes at every weight, and whether another key does the same.

A pull adds one number to the score of one key at one query, in every head of its scope; see
`model.tracing.head_interventions.Pull`. `sweep_in_steps` tries weights from 0 to 1. `control_in_steps` gives the same
weight to every other key: where many of them lead to the same word, the word does not show that the network needed
this key.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real

import numpy as np

from ..networks.transformer import Transformer
from ..runtime.progress import InSteps, run_to_end
from ..text.tokenizer import Tokenizer
from ..tracing.head_interventions import Heads, InterventionError, Pull
from ..tracing.interventions import HeadInterventions
from ..tracing.trace import Trace, encoder_output
from .deltas import solve_delta, solve_deltas
from .rows import PulledScore, PulledTranslation, translate_rows_in_steps

WEIGHTS = tuple(number / 16 for number in range(17))
NEARLY_TIED = 0.05  # probabilities of the best two tokens that differ by less


@dataclass(frozen=True)
class PullSweep:
    """Translations at each of several weights of one key."""

    pull: Pull
    """The kind, heads, query and key; its delta is 0."""
    before: float
    """The mean weight of the key over the drawn heads, in the trace."""
    weights: tuple[float, ...]
    """The weights that were tried."""
    deltas: tuple[float, ...]
    """What was added to the score for each."""
    translations: tuple[PulledTranslation, ...]
    """The result of each."""

    @property
    def words(self) -> tuple[tuple[str | None, float, float], ...]:
        """The tokens that the query chooses, each with the lowest and highest weight of its stretch of the scale."""
        found: list[tuple[str | None, float, float]] = []
        for weight, translation in zip(self.weights, self.translations, strict=True):
            if found and found[-1][0] == translation.chosen:
                found[-1] = (translation.chosen, found[-1][1], weight)
            else:
                found.append((translation.chosen, weight, weight))
        return tuple(found)


@dataclass(frozen=True)
class PullControl:
    """What the pulled weight does on every other key, and what hiding the key does.

    Unless whole translations were wanted, those of a pull in the decoder end with the token that its query chooses.
    """

    pulled: PulledTranslation
    """The result of the pull."""
    keys: tuple[int, ...]
    """The other keys that the query may attend to, from 0."""
    others: tuple[PulledTranslation, ...]
    """The result of the same weight on each of them."""
    hidden: PulledTranslation | None
    """The result when this query does not attend to the pulled key in any head of any layer; None where the query has
    no other key.
    """

    @property
    def same(self) -> tuple[int, ...]:
        """The other keys that lead to the same token, or in the encoder to the same translation."""
        of_token = self.pulled.chosen is not None
        return tuple(
            key
            for key, other in zip(self.keys, self.others, strict=True)
            if (other.chosen == self.pulled.chosen if of_token else other.text == self.pulled.text)
        )

    @property
    def nearly_tied(self) -> bool:
        """Whether the two most probable tokens at the pulled query are nearly as probable as each other."""
        return self.pulled.margin < NEARLY_TIED


def sweep_in_steps(
    network: Transformer,
    tokenizer: Tokenizer,
    trace: Trace,
    pull: Pull,
    drawn: Heads = (),
    weights: Sequence[float] = WEIGHTS,
    earlier: HeadInterventions | None = None,
) -> InSteps[PullSweep]:
    """Translate a traced sentence with each of several weights of one key, in one batch.

    Args:
        pull: kind, heads, query and key; its delta is not used.
        drawn: heads whose mean weight is meant; by default those of the pull.
        earlier: interventions that stay; the trace is under them.

    Raises:
        InterventionError: a head, query or key does not exist, a weight is out of range, or cannot change.
    """
    _check(pull, trace, weights)
    own = _weights(trace, pull.kind, drawn or pull.heads, pull.query)[:, pull.key]
    deltas = tuple(solve_deltas([own] * len(weights), weights))
    rows = [PulledScore(pull.query, pull.key, delta) for delta in deltas]
    translations = yield from _translate(network, tokenizer, trace, pull, rows, earlier)
    return PullSweep(pull, float(own.mean()), tuple(weights), deltas, tuple(translations))


def delta_of_weight(trace: Trace, pull: Pull, weight: float, drawn: Heads = ()) -> float:
    """Compute the number that gives the key of a pull a mean weight over the drawn heads; see `solve_delta`.

    Args:
        drawn: by default the heads of the pull.

    Raises:
        InterventionError: as of `sweep_in_steps`.
    """
    _check(pull, trace, [weight])
    return solve_delta(_weights(trace, pull.kind, drawn or pull.heads, pull.query)[:, pull.key], weight)


def control_in_steps(
    network: Transformer,
    tokenizer: Tokenizer,
    trace: Trace,
    pull: Pull,
    weight: float,
    drawn: Heads = (),
    earlier: HeadInterventions | None = None,
    *,
    whole: bool = True,
) -> InSteps[PullControl]:
    """Give the same weight to every other key in turn, and hide the pulled key from the query in all heads.

    Args:
        weight: the weight that the pull gives its key.
        drawn, earlier: as of `sweep_in_steps`.
        whole: if False, translations under a pull in the decoder end with the token that its query chooses, which is
            enough for `PullControl.same` and takes a fifth of the time.

    Raises:
        InterventionError: as of `sweep_in_steps`.
    """
    _check(pull, trace, [weight])
    own = _weights(trace, pull.kind, drawn or pull.heads, pull.query)  # (head, key)
    keys = tuple(
        key for key in range(own.shape[1]) if key != pull.key and ((own[:, key] > 0) & (own[:, key] < 1)).all()
    )
    tried = (pull.key, *keys)
    deltas = solve_deltas([own[:, key] for key in tried], [weight] * len(tried))
    rows = [PulledScore(pull.query, key, delta) for key, delta in zip(tried, deltas, strict=True)]
    pulled, *others = yield from _translate(network, tokenizer, trace, pull, rows, earlier, whole)
    record = trace.records[pull.kind]
    every = heads_in_scope("all", (), *record.weights.shape[:2])
    hidden = None
    if keys:
        removed = PulledScore(pull.query, pull.key, -math.inf)
        wider = replace(pull, heads=every)
        (hidden,) = run_to_end(_translate(network, tokenizer, trace, wider, [removed], earlier, whole))
    return PullControl(pulled, keys, tuple(others), hidden)


def heads_in_scope(scope: str, drawn: Heads, layers: int, heads: int) -> Heads:
    """Return the heads of a pull whose scope is "drawn", "layer" (all heads of the drawn layers) or "all".

    Raises:
        InterventionError: another scope.
    """
    if scope == "drawn":
        return tuple(drawn)
    chosen = {"layer": sorted({layer for layer, _ in drawn}), "all": range(layers)}.get(scope)
    if chosen is None:
        raise InterventionError("There is no scope {scope!r}; choose drawn, layer or all.", scope=scope)
    return tuple((layer, head) for layer in chosen for head in range(heads))


def _shapes(trace: Trace) -> dict[str, tuple[int, ...]]:
    return {kind: record.weights.shape for kind, record in trace.records.items()}


def _check(pull: Pull, trace: Trace, weights: Sequence[float]) -> None:
    if not isinstance(trace, Trace):
        raise InterventionError("Pass a trace of this translator; this is a {kind}.", kind=type(trace).__name__)
    if not isinstance(pull, Pull):
        raise InterventionError("Pass a Pull; this is a {kind}.", kind=type(pull).__name__)
    for weight in weights:
        if not isinstance(weight, Real):
            raise InterventionError(
                "Pass weights as numbers from 0 to 1; this is a {kind}.", kind=type(weight).__name__
            )
    HeadInterventions((pull,)).check(_shapes(trace))
    if not pull.heads:
        raise InterventionError("The pull names no head; name at least one.")


def _weights(trace: Trace, kind: str, heads: Heads, query: int) -> np.ndarray:
    """Weights of one query, `(head, key)` float64."""
    weights = trace.records[kind].weights
    return np.array([weights[layer, head, query] for layer, head in heads], dtype=np.float64)


def _translate(
    network: Transformer,
    tokenizer: Tokenizer,
    trace: Trace,
    pull: Pull,
    rows: Sequence[PulledScore],
    earlier: HeadInterventions | None,
    whole: bool = True,
) -> InSteps[list[PulledTranslation]]:
    if earlier is not None and earlier.looks_ahead:
        raise InterventionError("Without the causal mask a pull has no place of its own; put the mask back.")
    tap = None if earlier is None or not earlier.changes else earlier.tap(_shapes(trace))
    limit = min(2 * len(trace.source_ids) + 10, network.config.max_positions)
    if not whole and pull.kind != "encoder":
        limit = min(limit, pull.query + 1)
    memory = None if pull.kind == "encoder" else encoder_output(network, trace)
    ids, draft = trace.source_ids, trace.next_ids
    return translate_rows_in_steps(network, tokenizer, ids, pull.kind, pull.heads, rows, limit, tap, draft, memory)
