"""Pulls as methods of the translator."""

from collections.abc import Sequence

from ..networks.transformer import Transformer
from ..runtime.fallback import NetworkOwner, falls_back
from ..text.tokenizer import Tokenizer
from ..tracing.head_interventions import Heads, Pull
from ..tracing.interventions import HeadInterventions
from ..tracing.trace import Trace
from .pulls import WEIGHTS, PullControl, PullSweep, control, sweep


class PullMethods(NetworkOwner):
    """What one attention weight does to the translation; see `model.pulling.pulls`."""

    network: Transformer
    tokenizer: Tokenizer

    @falls_back
    def sweep_pull(
        self,
        trace: Trace,
        pull: Pull,
        drawn: Heads = (),
        weights: Sequence[float] = WEIGHTS,
        earlier: HeadInterventions | None = None,
    ) -> PullSweep:
        """Translate with each of several weights of one key; see `model.pulling.pulls.sweep`."""
        return sweep(self.network, self.tokenizer, trace, pull, drawn, weights, earlier)

    @falls_back
    def control_pull(
        self, trace: Trace, pull: Pull, weight: float, drawn: Heads = (), earlier: HeadInterventions | None = None
    ) -> PullControl:
        """Give the same weight to every other key, and hide the key; see `model.pulling.pulls.control`."""
        return control(self.network, self.tokenizer, trace, pull, weight, drawn, earlier)
