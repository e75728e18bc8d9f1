"""The translator for pages and notebooks: load once, then translate, stream and trace."""

from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

import numpy as np

from .attribution.head_ablation import TranslationAblation, ablate_translation_heads_in_steps, loss_without
from .attribution.intervention_result import InterventionResult, intervene_in_steps, token_losses
from .causal.causal_error import CausalError
from .causal.causal_methods import CausalMethods
from .causal.experiments import Experiment, prepare_translations
from .causal.own_networks import ResumableTranslator
from .causal.traced_inputs import TracedInput, read_translation
from .decoding import search
from .decoding.doubt import MeasuredDoubt
from .decoding.drafted_stream import stream_with_draft
from .decoding.search import DecodingOptions, read_options
from .export.marian import write_marian
from .export.whole_folder import whole_folder
from .networks.config import TransformerConfig
from .networks.interfaces import TranslationNetwork
from .networks.tap import Tap
from .networks.transformer import Transformer
from .pulling.pull_methods import PullMethods
from .runtime.checkpoint import check_sha256, explain_read_errors
from .runtime.device import falls_back
from .runtime.progress import InSteps, run_to_end, steps_with_fallback
from .sentence_check import MAX_TOKENS, check_target_ids, check_text, warn_if_read_differently
from .text.english import EnglishStatistics, foreign_sign
from .text.tokenizer import Tokenizer
from .tracing.head_interventions import InterventionError, Shapes
from .tracing.interventions import HeadInterventions, to_tap
from .tracing.kinds import TRANSLATION, AttentionKind
from .tracing.trace import Candidate, SentenceTrace, Trace, attach_model, check_trace, record_trace
from .tracing.traced_model import Capability
from .trained_model import ASSETS, TrainedModel

SHIPPED = ASSETS / "translator"
GREEDY = DecodingOptions()


@dataclass(frozen=True)
class Step:
    """One generated token; see `model.decoding.search.TokenStep`. `text` is the translation so far."""

    id: int
    token: str
    probability: float
    top: tuple[Candidate, ...]
    ids: tuple[int, ...]
    text: str
    finished: bool


TraceT = TypeVar("TraceT", bound=SentenceTrace)


class SentenceTranslator(TrainedModel, MeasuredDoubt, Generic[TraceT]):
    """A trained network with its tokenizer that translates sentence by sentence; see `TrainedModel`.

    Attributes:
        tokenizer: the `Tokenizer`.
    """

    network: TranslationNetwork
    folder = SHIPPED
    loaded_by: str
    """The line of Python that loads it, after an import from `model`."""
    record: Callable[..., TraceT]  # records a teacher-forced pass
    intervene_in_steps: Callable[..., InSteps[InterventionResult[TraceT]]]
    """Of one that can "intervene": runs a trace's sentence again under interventions."""

    def __init__(
        self,
        network: TranslationNetwork,
        tokenizer: Tokenizer,
        card: dict | None = None,
        card_markdown: str = "",
        english: EnglishStatistics | None = None,
        folder: Path | None = None,
        left_device: str | None = None,
    ) -> None:
        super().__init__(network, card, card_markdown, folder, left_device)
        self.tokenizer = tokenizer
        self._english = english

    @property
    @abstractmethod
    def kinds(self) -> tuple[AttentionKind, ...]:
        """Its kinds of attention; a class attribute or a property of each subclass."""

    @property
    def capabilities(self) -> frozenset[Capability]:
        """It translates; subclasses do more."""
        return frozenset({"translate"})

    @classmethod
    def _read(cls, folder: Path, tokenizer_file: Path, device: str) -> Self:
        """Read a folder, with the network on `device`; the errors are those of `Translator.load`."""
        arguments = cls.read_trained("translator", folder, device)
        tokenizer_sha256 = arguments["card"].get("tokenizer_sha256", "")
        check_sha256(tokenizer_file, tokenizer_sha256)
        with explain_read_errors("translator", folder):
            tokenizer = Tokenizer(tokenizer_file)
        arguments["network"].pack()
        return cls(tokenizer=tokenizer, english=EnglishStatistics.load(folder, tokenizer_sha256), **arguments)

    def check(self, text: str) -> list[int]:
        """Return the token ids of an English sentence that the translator accepts, without `</s>`.

        Typographic marks, invisible characters and white space are read as `model.text.source_text` writes them. The
        networks learned from single sentences: of several, later ones may be missing in the translation, which
        `notes` of a trace states.

        Raises:
            InputError: it is empty, no text, or longer than 128 tokens or the network's positions; with the count.
        """
        return check_text(text, lambda text: self.tokenizer.encode_source(text)[:-1], self.config.max_positions)

    def check_target(self, text: str) -> list[int]:
        """Return the token ids of French text, as it is typed, without `</s>`; the errors are those of `check`."""
        return check_text(text, self.tokenizer.encode, self.config.max_positions)

    def read_ids(self, text: str) -> list[int]:
        """Return the encoder's input: the ids from `check`, and `</s>`."""
        return [*self.check(text), self.tokenizer.eos_id]

    def read_target_ids(self, text: str) -> list[int]:
        """Return what the decoder should produce: the ids from `check_target`, and `</s>`."""
        return [*self.check_target(text), self.tokenizer.eos_id]

    def looks_english(self, text: str) -> bool:
        """False if `text` is probably not English; its translation will then be meaningless.

        See `model.text.english`.
        """
        return foreign_sign(text, self._english) is None

    def translate(self, text: str, options: DecodingOptions | None = None, **changes) -> str:
        """Translate one English sentence to French.

        Args:
            text: at most 128 tokens; one sentence, see `check`.
            options: how tokens are chosen; or by keyword: `beam=4`, or `temperature=`, `top_k=`, `top_p=` and `seed=`
                for sampling. Greedy by default.

        Raises:
            InputError: see `check`.
            ValueError: an option out of range.
        """
        options = options or read_options(changes)
        if options.method == "greedy":  # faster, without alternatives
            return self.tokenizer.decode(self._greedy(text, options.max_length))
        *_, last = self._steps(text, options)
        return self.tokenizer.decode(last.ids)

    def stream(self, text: str, options: DecodingOptions = GREEDY, draft: Sequence[int] = ()) -> Iterator[Step]:
        """Yield each generated token immediately, with its probability and the five most probable.

        In beam search a step has the leading hypothesis, which may change; the last step is the winner.

        Args:
            draft: ids of a likely translation, such as that of the sentence without its last word. Greedy decoding of
                a `Transformer` takes less time with it and chooses the same tokens.

        Raises:
            InputError: see `check`.
        """
        for step in self._steps(text, options, draft):
            labels = self.tokenizer.labels([step.id, *(token for token, _ in step.top)])
            top = tuple(
                Candidate(token, label, probability)
                for (token, probability), label in zip(step.top, labels[1:], strict=True)
            )
            text_so_far = self.tokenizer.decode(step.ids)
            yield Step(step.id, labels[0], step.probability, top, step.ids, text_so_far, step.finished)

    def forced(
        self, text: str, target: str | None = None, target_ids: tuple[int, ...] | None = None
    ) -> tuple[list[int], list[int], list[int]]:
        """Return inputs and targets of a teacher-forced pass over `text`; the arguments are those of `trace`.

        These are the encoder's input, the decoder's input and, of the same length, the ids that should follow.
        """
        source = self.read_ids(text)
        if target is not None:
            following = self.read_target_ids(target)
        elif target_ids is not None:
            following = check_target_ids(target_ids, len(self.tokenizer))
        else:
            following = self._greedy(text)
        return source, [self.tokenizer.bos_id, *following[:-1]], following

    @falls_back
    def trace(
        self,
        text: str,
        target: str | None = None,
        *,
        target_ids: tuple[int, ...] | None = None,
        intervention: HeadInterventions | Tap | None = None,
    ) -> TraceT:
        """Record everything that the network computes for `text`, teacher-forced on a target.

        Args:
            target: French to force; by default the network's own greedy translation. The trace is then `given`: none
                of its tokens was chosen.
            target_ids: ids that a decoder chose, such as the last `Step.ids`.
            intervention: changes to heads, or a tap that changes tensors, see `model.networks.tap.Intervention`;
                of recurrent networks changes to gates, or a tap, see `AtEveryStep`.

        Warns:
            SourceTextWarning: `target_ids` were stored for a sentence that earlier versions read as it was typed.

        Raises:
            InputError: `text`, `target` or `target_ids` cannot be used, see `check`.
            InterventionError: see `model.tracing.interventions.to_tap`.
        """
        if target_ids is not None:
            warn_if_read_differently(text)
        ids = self.forced(text, target, target_ids)
        tap = self._tap_of(intervention, *map(len, ids))
        trace = self.record(self.network, self.tokenizer, *ids, tap)
        trace = trace if target is None else replace(trace, given=True)
        return attach_model(trace, lambda: self, intervention)

    def _tap_of(self, intervention: Any, source: int, target: int, following: int) -> Tap | None:
        """The tap of an intervention on a sentence; the numbers of ids are those of `forced`."""
        return to_tap(intervention, lambda: self._head_shapes(source, target))

    def _head_shapes(self, source: int, target: int) -> Shapes:
        """Layers, heads, queries and keys of every kind of attention.

        Raises:
            InterventionError: the network has no heads that can be changed.
        """
        raise InterventionError("This network has no heads to change; give a function, or GateInterventions.")

    @falls_back
    def intervene(self, trace: TraceT, interventions: object) -> InterventionResult[TraceT]:
        """Run all steps of `intervene_in_steps`, of one that can "intervene"."""
        return run_to_end(self.intervene_in_steps(trace, interventions))

    def score(self, trace: SentenceTrace) -> np.ndarray:
        """Compute -ln p of each token of a trace's target, in nats, `(T,)` float64."""
        return token_losses(trace)

    @falls_back
    def _greedy(self, text: str, max_length: int = MAX_TOKENS) -> list[int]:
        """Return the tokens of the greedy translation, `</s>` included if it was reached."""
        return search.greedy_batch(self.network, [self.read_ids(text)], max_length)[0]

    def _steps(self, text: str, options: DecodingOptions, draft: Sequence[int] = ()) -> Iterator[search.TokenStep]:
        """Decode; if the network has to leave the GPU meanwhile, decode again on the CPU and skip the yielded steps."""
        source, yielded = self.read_ids(text), 0

        def decode() -> Generator[tuple[int, search.TokenStep], None, None]:
            if draft and options.method == "greedy" and isinstance(self.network, Transformer):
                yield from enumerate(stream_with_draft(self.network, source, draft, options.max_length))
            else:
                yield from enumerate(search.stream(self.network, source, options))

        for number, step in steps_with_fallback(self, decode):
            if number >= yielded or step.finished:
                yielded += 1
                yield step
            if step.finished:
                return


class Translator(SentenceTranslator[Trace], CausalMethods, PullMethods):
    """A trained English-French Transformer; see `SentenceTranslator`, and `CausalMethods` for what causes an answer."""

    network: Transformer
    network_type, config_type = Transformer, TransformerConfig
    record = staticmethod(record_trace)
    loaded_by = "Translator.load()"
    kinds: tuple[AttentionKind, ...] = TRANSLATION
    capabilities: frozenset[Capability] = frozenset({"translate", "ablate", "intervene", "export", "pull"})

    @classmethod
    def load(cls, path: str | Path | None = None, device: str = "auto", tokenizer: str | Path | None = None) -> Self:
        """Read a translator's folder; by default the one this project ships.

        Args:
            path: folder with `config.json`, `model.safetensors`, `tokenizer.model` (unless it is `tokenizer`) and
                `card.json`; if it also has `english.safetensors`, `looks_english` tests more than the script.
            device: "auto" picks CUDA, MPS or CPU.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        folder = Path(path) if path is not None else SHIPPED
        return cls._read(folder, Path(tokenizer or folder / "tokenizer.model"), device)

    def _head_shapes(self, source: int, target: int) -> Shapes:
        sizes = self.network.config
        encoder, decoder, heads = sizes.n_encoder_layers, sizes.n_decoder_layers, sizes.n_heads
        return {
            "encoder": (encoder, heads, source, source),
            "decoder": (decoder, heads, target, target),
            "cross": (decoder, heads, target, source),
        }

    def intervene_in_steps(self, trace: Trace, interventions: HeadInterventions) -> InSteps[InterventionResult[Trace]]:
        """Run the sentence of `trace` again under interventions, on the same target, and translate it.

        Raises:
            InterventionError: something in them does not exist for this sentence; the message is for the user.
        """
        return intervene_in_steps(self.network, self.tokenizer, trace, interventions)

    def ablate_in_steps(self, trace: Trace) -> InSteps[TranslationAblation]:
        """Compute the loss of a trace's target without each head; see `model.attribution.head_ablation`."""
        return ablate_translation_heads_in_steps(self.network, trace)

    @falls_back
    def loss_without(self, trace: Trace, place: tuple[str, int, int]) -> float:
        """Compute the loss without one head in another way; see `model.attribution.head_ablation.loss_without`."""
        return loss_without(self.network, trace, place)

    def prepare_experiment(self, clean: str, corrupt: str, target: str | None = None) -> Experiment:
        """Prepare two English sentences; see `model.causal.experiments.prepare_translations`.

        Raises:
            InputError: see `check`.
        """
        ids = None if target is None else self.read_target_ids(target)
        sentences = self.read_ids(clean), self.read_ids(corrupt)
        return prepare_translations(self.network, self.tokenizer, *sentences, ids)

    def read_trace(self, trace: Trace) -> TracedInput:
        """Read the input of a trace; see `CausalMethods`."""
        check_trace(trace, Trace, CausalError)
        return read_translation(ResumableTranslator(self.network), trace)

    def export_marian(self, path: str | Path) -> None:
        """Write the weights as a Hugging Face MarianMT checkpoint; see `model.export.marian.write_marian`."""
        with whole_folder(Path(path)):
            write_marian(self.network, self.tokenizer, Path(path))
