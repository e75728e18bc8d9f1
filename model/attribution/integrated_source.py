"""Integrated gradients of a translation: each target token attributed to the source tokens (Sundararajan et al. 2017).

The explained quantity is ln p of the token that really follows, as in `model.attribution.source_gradients`, so that the
scores can be compared with leave-one-out, whose drops are of ln p. The baseline is that of
`model.causal.integrated_gradients`; scores of a target token sum to how far ln p rises from the baseline, up to the
error of the quadrature, which is stated. The number of points is fixed, so that the time can be estimated.
"""

from dataclasses import dataclass

import numpy as np

from ..causal.integrated_gradients import integrate_gradients_in_steps
from ..causal.metrics import TargetLoss
from ..causal.own_networks import ResumableTranslator
from ..causal.traced_inputs import read_translation
from ..networks.transformer import Transformer
from ..runtime.progress import InSteps, Progress, as_one_call
from ..tracing.trace import Trace

INTEGRATED = "Integrated gradients"
POINTS = 32  # of the quadrature


@dataclass(frozen=True, eq=False)
class IntegratedSource:
    """Scores of a whole translation."""

    scores: np.ndarray  # `(T, S)` float64, in nats
    gaps: np.ndarray  # `(T,)`, the rise of ln p minus the sum of a token's scores
    rises: np.ndarray  # `(T,)`, how far ln p of each token rises from the baseline to the sentence
    points: int = POINTS  # of the quadrature

    @property
    def missing(self) -> float:
        """The sum of the absolute gaps as a share of that of the rises: how far completeness is missed."""
        return float(np.abs(self.gaps).sum() / (np.abs(self.rises).sum() or 1.0))


def integrate_source_in_steps(network: Transformer, trace: Trace, *, points: int = POINTS) -> InSteps[IntegratedSource]:
    """Attribute ln p of every target token, one after the other, to the source tokens.

    Args:
        points: of the quadrature for each target token.

    Raises:
        CausalError: there is no point.
    """
    resumable = ResumableTranslator(network)
    source, target = read_translation(resumable, trace).inputs
    scores, gaps, rises = [], [], []
    for place, id_ in enumerate(trace.next_ids):
        loss = TargetLoss((id_,), (place,))
        inputs = source, target[:, : place + 1]  # later tokens have no influence
        parts = integrate_gradients_in_steps(resumable, inputs, loss, first_points=points, most_points=points)
        result = None
        while result is None:
            try:
                part = next(parts)
                yield Progress(place * part.total + part.done, len(trace.next_ids) * part.total)
            except StopIteration as end:
                result = end.value
        scores.append(-result.attributions["encoder"])  # of a loss: -ln p
        gaps.append(-result.gap)
        rises.append(result.baseline - result.value)
    return IntegratedSource(np.stack(scores), np.array(gaps), np.array(rises), points)


integrate_source = as_one_call(integrate_source_in_steps)
