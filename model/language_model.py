"""The decoder-only network for notebooks: load, then continue English text, translate it and trace it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .causal.causal_error import CausalError
from .causal.causal_methods import CausalMethods
from .causal.experiments import Experiment, prepare_completions
from .causal.own_networks import ResumableLanguageModel
from .causal.traced_inputs import TracedInput, read_completion
from .decoding import search
from .decoding.search import DecodingOptions, read_options
from .export.gpt2 import write_gpt2
from .export.whole_folder import whole_folder
from .networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from .networks.tap import Tap
from .runtime.device import falls_back
from .runtime.messages import Template
from .sentence_check import MAX_TOKENS
from .text.tokenizer import Tokenizer
from .tracing.head_interventions import Shapes
from .tracing.interventions import HeadInterventions
from .tracing.kinds import DECODER, AttentionKind
from .tracing.language_trace import LanguageTrace, record_language_trace
from .tracing.trace import attach_model, check_trace
from .tracing.traced_model import Capability
from .trained_model import ASSETS
from .translator import SHIPPED as TRANSLATOR
from .translator import SentenceTranslator

SHIPPED = ASSETS / "language"
TOKENIZER = TRANSLATOR / "tokenizer.model"
SAME_CONTINUATION = Template(
    "Both texts are most probably continued by the same token: they are read as English to be continued, not "
    "translated. State a metric, or change one of the texts."
)


def _record(
    network: DecoderOnlyTransformer,
    tokenizer: Tokenizer,
    prompt_ids: Sequence[int],
    _: Sequence[int],
    following_ids: Sequence[int],
    intervention: Tap | None = None,
) -> LanguageTrace:
    """Record with the arguments of the other networks; the decoder's inputs are no part of this one."""
    return record_language_trace(network, tokenizer, prompt_ids, following_ids, intervention)


class LanguageModel(SentenceTranslator[LanguageTrace], CausalMethods):
    """A trained decoder-only Transformer that continues English text and translates it.

    See `SentenceTranslator`, and `CausalMethods` for what causes an answer.
    """

    network: DecoderOnlyTransformer
    network_type, config_type = DecoderOnlyTransformer, DecoderOnlyConfig
    record = staticmethod(_record)
    folder = SHIPPED
    loaded_by = "LanguageModel.load()"
    kinds: tuple[AttentionKind, ...] = (DECODER,)
    capabilities: frozenset[Capability] = frozenset({"translate", "complete", "export"})

    @classmethod
    def load(cls, path: str | Path | None = None, device: str = "auto") -> LanguageModel:
        """Read a folder that training wrote; by default the one this project ships.

        Args:
            path: folder with `config.json`, `model.safetensors` and `card.json`, and `tokenizer.model` unless it uses
                the shipped translator's.
            device: "auto" picks CUDA, MPS or CPU.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        folder = Path(path) if path is not None else SHIPPED
        own = folder / "tokenizer.model"
        return cls._read(folder, own if own.is_file() else TOKENIZER, device)

    def complete(self, text: str, options: DecodingOptions | None = None, **changes) -> str:
        """Continue English text to the end of a sentence, and return all of it.

        Args:
            text: at most 128 tokens.
            options: how tokens are chosen; or by keyword, as in `translate`.

        Raises:
            InputError: see `check`.
            ValueError: an option out of range.
        """
        prompt = self.check(text)
        return self.tokenizer.decode([*prompt, *self._continue(prompt, options or read_options(changes))])

    @falls_back
    def trace_completion(
        self,
        text: str,
        following_ids: Sequence[int] | None = None,
        *,
        intervention: HeadInterventions | Tap | None = None,
    ) -> LanguageTrace:
        """Record everything that the network computes for `text` and its continuation.

        Args:
            following_ids: ids that follow; by default those of the greedy continuation.
            intervention: changes to heads, or a tap that changes tensors; see `trace`.

        Raises:
            InputError: see `check`.
            InterventionError: see `model.tracing.interventions.to_tap`.
        """
        prompt = self.check(text)
        following = self._continue(prompt, DecodingOptions()) if following_ids is None else list(following_ids)
        tap = self._tap_of(intervention, len(prompt), 0, len(following))
        trace = record_language_trace(self.network, self.tokenizer, prompt, following, tap)
        return attach_model(trace, lambda: self, intervention)

    def _tap_of(self, intervention: Any, source: int, target: int, following: int) -> Tap | None:
        read = source + following - 1  # the last one is only answered
        return super()._tap_of(intervention, read, read, following)

    def _head_shapes(self, source: int, target: int) -> Shapes:
        sizes = self.network.config
        return {"decoder": (sizes.n_layers, sizes.n_heads, target, target)}

    def prepare_experiment(self, clean: str, corrupt: str, target: str | None = None) -> Experiment:
        """Prepare two English texts that are continued, not translated; see `prepare_completions`.

        Raises:
            InputError: see `check`.
        """
        ids = None if target is None else self.read_ids(target)
        texts = self.check(clean), self.check(corrupt)
        pair = prepare_completions(ResumableLanguageModel(self.network), self.tokenizer, *texts, ids)
        return replace(pair, same_answer=SAME_CONTINUATION)

    def read_trace(self, trace: LanguageTrace) -> TracedInput:
        """Read the input of a trace; see `CausalMethods`."""
        check_trace(trace, LanguageTrace, CausalError)
        return read_completion(ResumableLanguageModel(self.network), trace)

    def export_gpt2(self, path: str | Path) -> None:
        """Write the weights as a Hugging Face GPT-2 checkpoint; see `model.export.gpt2.write_gpt2`."""
        with whole_folder(Path(path)):
            write_gpt2(self.network, self.tokenizer, Path(path))

    @falls_back
    def _continue(self, prompt: list[int], options: DecodingOptions) -> list[int]:
        """Return the ids that follow a prompt, `</s>` included if it was reached."""
        if options.method == "greedy":  # faster, without alternatives
            return search.greedy_batch(self.network, [prompt], min(options.max_length, MAX_TOKENS))[0]
        *_, last = search.stream(self.network, prompt, options)
        return list(last.ids)
