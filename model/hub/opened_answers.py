"""What an opened network answers: scores of a trace, generated text, likely tokens; and the size of a trace."""

import numpy as np
import torch

from ..attribution.rollout import Fusion, rollout
from ..networks.tap import Tap
from ..runtime.progress import InSteps, run_to_end
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import kind_of
from ..tracing.model_of_trace import check_trace
from .errors import OpenError, states_errors
from .hub_trace import HubTrace
from .input_forms import TextForm, one_text, split_batch
from .opened_reading import MOST_GENERATED, OpenedReading, Pictures
from .picture_text_inputs import PictureText
from .scoring import score_trace, scored_labels
from .token_offsets import Tokens, labels_of


class OpenedAnswers(OpenedReading):
    """Scores and generated text of an opened network; see `model.hub.opened_model.OpenedModel`."""

    @states_errors
    def count_weights(
        self,
        text: str,
        second: str | None = None,
        target: str | None = None,
        target_language: str | None = None,
        picture: Pictures = None,
    ) -> tuple[int, int]:
        """Number of attention weights of a text in all layers, and largest number of layers, before any computation.

        A target that the decoder has yet to generate counts with its largest length.

        Raises:
            OpenError: the text cannot be used.
        """
        if picture is not None:
            given = self.read_pictures(text, picture)
            assert self.pictured is not None, "otherwise pictures are refused"
            return self.pictured.count(given), max(shape[0] for shape in self.pictured.shapes(given).values())
        source = self._source(one_text(text), second)
        decoder = None
        if self.has_decoder:
            language = self.languages.code(target_language)
            count = 1 + MOST_GENERATED if target is None else len(self._target(target, language))
            if self.task != "translate" and target is None:
                count = 1 + len(source.ids)
            decoder = Tokens((0,) * count, (), (), (), ())
        shapes = self._shapes(source, decoder).values()
        return sum(int(np.prod(shape)) for shape in shapes), max(shape[0] for shape in shapes)

    @states_errors
    def score(self, trace: HubTrace, intervention: HeadInterventions | Tap | None = None) -> np.ndarray:
        """-ln p in nats, `(T,)` or `(classes,)` float64; of a network that answers with "scores", these.

        Of every token but the first given those before it (decoder), of every target token (encoder-decoder), of every
        token where it alone is masked (masked model; Salazar et al. 2020), or of every class or label.

        Args:
            intervention: that of the trace; a masked model runs again for each of its tokens.

        Raises:
            OpenError: the network has no head that predicts anything.
        """
        check_trace(trace, HubTrace, OpenError)
        return score_trace(self, trace, intervention)

    def scored(self, trace: HubTrace) -> tuple[str, ...]:
        """Labels of the tokens or classes that `score` scores, in its order."""
        check_trace(trace, HubTrace, OpenError)
        return scored_labels(self, trace)

    def generate(
        self,
        text: TextForm | PictureText,
        tokens: int = 20,
        intervention: HeadInterventions | Tap | None = None,
        target_language: str | None = None,
        picture: Pictures = None,
    ) -> str:
        """Generate a greedy continuation, translation or summary of a text, of at most `tokens` new tokens.

        Args:
            picture: as of `OpenedModel.trace`.

        Raises:
            OpenError: this network generates no text.
            InterventionError: see `HeadInterventions.check`.
        """
        return run_to_end(self.generate_in_steps(text, tokens, intervention, target_language, picture))

    @states_errors
    def generate_in_steps(
        self,
        text: TextForm | PictureText,
        tokens: int = 20,
        intervention: HeadInterventions | Tap | None = None,
        target_language: str | None = None,
        picture: Pictures = None,
    ) -> InSteps[str]:
        """`generate`, some tokens at a time.

        Raises:
            OpenError, InterventionError: as of `generate`.
        """
        if self.task not in ("complete", "translate"):
            raise OpenError("This model generates no text; open one of a decoder.")
        if not isinstance(tokens, int) or tokens < 1:
            raise OpenError("The number of new tokens is a whole number from 1 on, not {given!r}.", given=tokens)
        if split_batch(text) is not None:
            raise OpenError("Text is generated for one input at a time; call generate for each.")
        if picture is not None or isinstance(text, PictureText):
            given = self.read_pictures(text, picture)
            assert self.pictured is not None, "otherwise pictures are refused"
            ids = self.pictured.generate(given, tokens, intervention)
            return self.reader.decode(ids, skip_special_tokens=True)
        language = self.languages.code(target_language)
        ids = yield from self._generated(self._source(one_text(text)), tokens, language, intervention)
        return self.reader.decode(ids, skip_special_tokens=True)

    @states_errors
    def top(self, trace: HubTrace, position: int, count: int = 5) -> list[tuple[str, float]]:
        """The most probable tokens at a position of a trace's logits, and their probabilities.

        Raises:
            OpenError: the network predicts no tokens, or the trace has no such position.
        """
        check_trace(trace, HubTrace, OpenError)
        if self.task not in ("complete", "fill", "translate"):
            raise OpenError("This model predicts no tokens; read trace.answers, or trace.logits without a head.")
        outputs = len(trace.logits)
        if not isinstance(position, int | np.integer) or not -outputs <= position < outputs:
            raise OpenError(
                "There is no output position {place}; there are {count}, from 0 to {last}.",
                place=position,
                count=outputs,
                last=outputs - 1,
            )
        logits = torch.from_numpy(trace.logits[position]).double().softmax(dim=-1)
        best = logits.topk(max(0, min(count, len(logits))))
        return list(zip(labels_of(self.reader, best.indices.tolist()), best.values.tolist(), strict=True))

    def rollout(self, trace: HubTrace, kind: str | None = None, fusion: Fusion = "mean") -> np.ndarray:
        """Attention rollout of a whole stack, `(layer, position, position)`; see `model.attribution.rollout.rollout`.

        Args:
            kind: of self-attention; by default the first.

        Raises:
            OpenError: the kind relates two sequences, or the trace lacks some of its layers.
        """
        check_trace(trace, HubTrace, OpenError)
        name = self.kinds[0].name if kind is None else kind
        trace.attention(name)  # raises where it has none
        if not kind_of(name).square:
            raise OpenError("Rollout needs attention within one sequence; choose another kind than {kind}.", kind=name)
        layers = self.layers[name]
        if name not in trace.records or trace.records[name].layers != layers or layers != tuple(range(len(layers))):
            raise OpenError("Rollout needs the maps of all layers; trace the input with keep='weights'.")
        return rollout(trace.records[name].weights, fusion)
