"""The networks before the Transformer for pages and notebooks: load by name, then translate, stream, trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from .attribution.fixed_gates import hold_gates_in_steps
from .attribution.intervention_result import InterventionResult
from .causal.activation_patching import ActivationPatching, Direction
from .causal.experiments import Experiment, prepare_translations
from .causal.metrics import Metric
from .causal.recurrent_patching import RecurrentCausalNetwork, patch_recurrent_in_steps
from .causal.sites import Alignment
from .decoding.doubt import DoubtThresholds
from .decoding.search import greedy_batch
from .networks.recurrent import RecurrentNetwork
from .networks.recurrent_config import VARIANTS, RecurrentConfig
from .networks.recurrent_trace import RecurrentTrace, record_recurrent_trace
from .networks.tap import Tap
from .runtime.checkpoint import CheckpointError, read_json
from .runtime.device import falls_back
from .runtime.progress import InSteps, run_to_end
from .sentence_check import MAX_TOKENS
from .tracing.interventions import GateInterventions, gated_layers
from .tracing.kinds import CROSS, AttentionKind
from .tracing.traced_model import Capability
from .translator import SHIPPED as TRANSLATOR
from .translator import SentenceTranslator

SHIPPED = TRANSLATOR.parent / "recurrent"
TOKENIZER = TRANSLATOR / "tokenizer.model"


class RecurrentTranslator(SentenceTranslator[RecurrentTrace]):
    """A trained English-French network of recurrent cells; see `SentenceTranslator`."""

    network: RecurrentNetwork
    network_type, config_type = RecurrentNetwork, RecurrentConfig
    record = staticmethod(record_recurrent_trace)

    @property
    def kinds(self) -> tuple[AttentionKind, ...]:
        """Cross-attention, or none for a network with one vector between encoder and decoder."""
        return (replace(CROSS, score=self.config.alignment),) if self.config.alignment != "none" else ()

    @property
    def capabilities(self) -> frozenset[Capability]:
        """It translates, and its gates can be held if it has any."""
        return frozenset({"translate", "intervene"} if gated_layers(self.config) else {"translate"})

    @classmethod
    def load(cls, name: str | Path, device: str = "auto") -> RecurrentTranslator:
        """Read one of the networks this project ships, or a folder that training wrote.

        Args:
            name: "rnn-vector", "lstm-vector", "lstm-additive" or "lstm-dot"; or a path to a folder with `config.json`,
                `model.safetensors` and `card.json`, and `tokenizer.model` unless it uses the shipped translator's.
            device: "auto" picks CUDA, MPS or CPU.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        folder = SHIPPED / str(name) if str(name) in VARIANTS else Path(str(name))
        if not folder.is_dir() and str(name) not in VARIANTS:  # a shipped network without a folder raises below
            raise CheckpointError(
                "There is no network {name!r}; choose one of {names}, or a folder.",
                name=str(name),
                names=", ".join(VARIANTS),
            )
        own = folder / "tokenizer.model"
        translator = cls._read(folder, own if own.is_file() else TOKENIZER, device)
        translator.loaded_by = f"RecurrentTranslator.load({str(name)!r})"
        return translator

    def _tap_of(self, intervention: Any, source: int, target: int, following: int) -> Tap | None:
        if isinstance(intervention, GateInterventions):
            return intervention.tap(gated_layers(self.network.config))
        return super()._tap_of(intervention, source, target, following)

    @cached_property
    def doubt_thresholds(self) -> DoubtThresholds | None:
        """Probabilities that count as low; where none were measured on these weights, those of the shipped Transformer.

        Then no mean counts as low, since the quality of translations with a low mean was not measured.

        Raises:
            AlteredFileError: a file ships and was altered.
        """
        own = super().doubt_thresholds
        if own is not None:
            return own
        shipped = DoubtThresholds.load(TRANSLATOR, read_json(TRANSLATOR / "card.json").get("weights_sha256", ""))
        return None if shipped is None else replace(shipped, mean=0.0)

    @falls_back
    def translate_under(self, text: str, intervention: Tap, max_length: int = MAX_TOKENS) -> str:
        """Return the greedy translation while a tap changes tensors in encoder and decoder.

        Raises:
            InputError: `text` cannot be used, see `check`.
        """
        return self.tokenizer.decode(greedy_batch(self.network, [self.read_ids(text)], max_length, intervention)[0])

    @property
    def resumable(self) -> RecurrentCausalNetwork:
        """The network as patching runs it: from the beginning, with states and context vectors replaced."""
        return RecurrentCausalNetwork(self.network)

    @falls_back
    def prepare_experiment(self, clean: str, corrupt: str, target: str | None = None) -> Experiment:
        """Prepare two English sentences; see `model.causal.experiments.prepare_translations`.

        Raises:
            InputError: see `check`.
        """
        ids = None if target is None else self.read_target_ids(target)
        return prepare_translations(self.network, self.tokenizer, self.read_ids(clean), self.read_ids(corrupt), ids)

    def patch_in_steps(
        self,
        clean: str,
        corrupt: str,
        metric: Metric | None = None,
        site: str = "hidden_state",
        part: str | None = None,
        *,
        target: str | None = None,
        direction: Direction = "denoising",
        positions: Sequence[int] | None = None,
        alignment: Alignment | None = None,
    ) -> InSteps[ActivationPatching]:
        """Patch states and context vectors by step; see `model.causal.recurrent_patching`."""
        pair = self.prepare_experiment(clean, corrupt, target)
        return patch_recurrent_in_steps(
            self.resumable,
            pair.clean,
            pair.corrupt,
            pair.measured(metric),
            site,
            part,
            direction=direction,
            labels=pair.corrupt_labels if direction == "denoising" else pair.clean_labels,
            positions=positions,
            alignment=alignment,
        )

    @falls_back
    def patch(
        self,
        clean: str,
        corrupt: str,
        metric: Metric | None = None,
        site: str = "hidden_state",
        part: str | None = None,
        **options: Any,
    ) -> ActivationPatching:
        """Run `patch_in_steps` to its end.

        Raises:
            CausalError: the experiment is impossible; the message states why.
        """
        return run_to_end(self.patch_in_steps(clean, corrupt, metric, site, part, **options))

    def intervene_in_steps(
        self, trace: RecurrentTrace, interventions: GateInterventions
    ) -> InSteps[InterventionResult[RecurrentTrace]]:
        """Run the sentence of `trace` again with gates held, on the same target, and translate it.

        Raises:
            InterventionError: the network has no such gates; the message is for the user.
        """
        return hold_gates_in_steps(self.network, self.tokenizer, trace, interventions)
