"""Pulls as methods of the translator."""

from collections.abc import Sequence

import torch

from ..attribution.intervention_result import attention_shapes
from ..decoding.tapped_decoding import GeneratedTokens, greedy_with_tap_in_steps
from ..networks.transformer import Transformer
from ..runtime.device import NetworkOwner, falls_back
from ..runtime.progress import InSteps, Progress, run_to_end
from ..text.tokenizer import Tokenizer
from ..tracing.head_interventions import Heads, Pull
from ..tracing.interventions import HeadInterventions
from ..tracing.trace import Trace, record_trace
from .pulls import WEIGHTS, PullControl, PullSweep, control_in_steps, sweep_in_steps
from .set_places import tokens_when_set


class PullMethods(NetworkOwner):
    """What one attention weight does to the translation; see `model.pulling.pulls`."""

    network: Transformer
    tokenizer: Tokenizer

    @falls_back
    def generate_under(self, trace: Trace, interventions: HeadInterventions) -> GeneratedTokens:
        """Translate the sentence of `trace` greedily under interventions.

        Raises:
            InterventionError: see `HeadInterventions.check`.
        """
        return run_to_end(self._generate_in_steps(trace, interventions))

    def _generate_in_steps(self, trace: Trace, interventions: HeadInterventions) -> InSteps[GeneratedTokens]:
        tap = interventions.tap(attention_shapes(trace))
        limit = min(2 * len(trace.source_ids) + 10, self.network.config.max_positions)
        draft, ahead = trace.next_ids, interventions.looks_ahead
        return greedy_with_tap_in_steps(self.network, trace.source_ids, tap, limit, draft, looks_ahead=ahead)

    def generate_each_in_steps(
        self, trace: Trace, plans: Sequence[HeadInterventions]
    ) -> InSteps[dict[HeadInterventions, GeneratedTokens]]:
        """`generate_under` each of several interventions; each is a part.

        Raises:
            InterventionError: see `HeadInterventions.check`.
        """
        generated: dict[HeadInterventions, GeneratedTokens] = {}
        for plan in dict.fromkeys(plans):
            generated[plan] = self.generate_under(trace, plan)
            yield Progress(len(generated), len(set(plans)))
        return generated

    @torch.inference_mode()
    def trace_under_in_steps(self, trace: Trace, interventions: HeadInterventions) -> InSteps[Trace]:
        """Compute everything under interventions, for the translation that they lead to; its tokens are the parts.

        Its weights are those that a further pull starts from. `Translator.intervene` has the same for the translation
        of `trace`.

        Raises:
            InterventionError: see `HeadInterventions.check`.
        """
        following = (yield from self._generate_in_steps(trace, interventions)).ids
        fed = (self.network.config.bos_id, *following[:-1])
        tap = interventions.tap(attention_shapes(trace))
        return record_trace(self.network, self.tokenizer, trace.source_ids, fed, following, tap)

    @falls_back
    def trace_under(self, trace: Trace, interventions: HeadInterventions) -> Trace:
        """Run `trace_under_in_steps` to its end."""
        return run_to_end(self.trace_under_in_steps(trace, interventions))

    @falls_back
    def tokens_when_pulled(self, trace: Trace, interventions: HeadInterventions) -> tuple[str | None, ...]:
        """Return the token at which each change was set, where that is another one now.

        See `model.pulling.set_places.tokens_when_set`.
        """
        generate = lambda changes: self.generate_under(trace, changes).ids  # noqa: E731
        return tokens_when_set(generate, self.tokenizer, interventions)

    def sweep_pull_in_steps(
        self,
        trace: Trace,
        pull: Pull,
        drawn: Heads = (),
        weights: Sequence[float] = WEIGHTS,
        earlier: HeadInterventions | None = None,
    ) -> InSteps[PullSweep]:
        """Translate with each of several weights of one key; see `model.pulling.pulls.sweep_in_steps`."""
        return sweep_in_steps(self.network, self.tokenizer, trace, pull, drawn, weights, earlier)

    @falls_back
    def sweep_pull(
        self,
        trace: Trace,
        pull: Pull,
        drawn: Heads = (),
        weights: Sequence[float] = WEIGHTS,
        earlier: HeadInterventions | None = None,
    ) -> PullSweep:
        """Run `sweep_pull_in_steps` to its end."""
        return run_to_end(self.sweep_pull_in_steps(trace, pull, drawn, weights, earlier))

    def control_pull_in_steps(
        self,
        trace: Trace,
        pull: Pull,
        weight: float,
        drawn: Heads = (),
        earlier: HeadInterventions | None = None,
        *,
        whole: bool = True,
    ) -> InSteps[PullControl]:
        """Give the same weight to every other key, and hide the key; see `model.pulling.pulls.control_in_steps`."""
        return control_in_steps(self.network, self.tokenizer, trace, pull, weight, drawn, earlier, whole=whole)

    @falls_back
    def control_pull(
        self,
        trace: Trace,
        pull: Pull,
        weight: float,
        drawn: Heads = (),
        earlier: HeadInterventions | None = None,
        *,
        whole: bool = True,
    ) -> PullControl:
        """Run `control_pull_in_steps` to its end."""
        return run_to_end(self.control_pull_in_steps(trace, pull, weight, drawn, earlier, whole=whole))
