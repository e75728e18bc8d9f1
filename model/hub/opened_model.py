"""Any Hugging Face checkpoint as a `TracedModel`: opened, verified, traced."""

import numpy as np
import torch
from PIL import Image

from ..attribution.rollout import Fusion, rollout
from ..runtime.progress import InSteps, run_to_end
from ..tracing.head_interventions import Scale
from ..tracing.interventions import HeadInterventions
from ..tracing.kinds import kind_of
from .call_check import check_call
from .causal.opened_causal import OpenedCausalMethods
from .eager_attention import AttentionCall, CallRecorder
from .errors import OpenError, states_errors
from .forward_run import ModelInputs, output_tensor, residual_stream, run_network
from .generation import greedy_in_steps
from .hub_trace import HubTrace
from .model_inputs import first_ids, pair_inputs, picture_fields, picture_inputs, text_inputs
from .record import HubRecord, LayerRecord, reduce_call, stack_layers
from .scoring import end_id, score_trace, scored_labels
from .token_offsets import Tokens, labels_of, tokenize, tokens_of_ids
from .trace_limits import TraceRetention, plan_retention

TraceInput = str | Image.Image | np.ndarray  # a text, a picture, or `HubTrace.received`
MOST_GENERATED = 128  # tokens of a decoder's own target


class OpenedModel(OpenedCausalMethods):
    """A network of the library `transformers`, traced while it runs. Made by `model.open_model.open_model`.

    Its attributes are those of `model.hub.opened_network.OpenedNetwork`.

    Raises:
        OpenError: the check on opening fails; with the measured difference.
    """

    @states_errors
    def trace(
        self,
        given: TraceInput,
        *,
        second: str | None = None,
        target: str | tuple[int, ...] | None = None,
        target_language: str | None = None,
        intervention: HeadInterventions | None = None,
        keep: str | int = "auto",
    ) -> HubTrace:
        """Everything the network computes for an input, in one pass without a cache.

        Args:
            given: a text, or a picture for a network that reads pictures; also as `HubTrace.received`,
                `(3, height, width)`.
            second: a second text, for a network that reads pairs.
            target: for an encoder-decoder, the text that the decoder is fed, or its ids as in a trace; by default its
                own greedy output.
            target_language: the language that a decoder of several writes, as its tokenizer names it, such as
                "fra_Latn"; by default the one that the model itself states. `languages` has all.
            intervention: changes to heads during the pass.
            keep: "auto", "all", "weights" or a layer, numbered from 0 among all layers of the network; see
                `model.hub.trace_limits`.

        Raises:
            OpenError: the input cannot be used, or the maps would be too large.
            InterventionError: see `HeadInterventions.check`.
        """
        source, decoder, inputs = self._read(given, second, target, target_language)
        layout = self._layout(inputs) if self.vision else None
        shapes = self._shapes(source, decoder, layout)
        tap = None if intervention is None else intervention.tap(shapes, self.layers)
        numbers = sorted({number for layers in self.layers.values() for number in layers})
        retention = plan_retention(sum(int(np.prod(shape)) for shape in shapes.values()), numbers, keep)
        unchanged = intervention is None or not intervention.changes
        own = self._own_weights(inputs) if not self.proof.by_interface and unchanged else {}
        recorder = CallRecorder(
            self.proof.plan.names, tap, lambda index, call: self._reduce(index, call, retention, own, intervention)
        )
        output = run_network(self.network, inputs, recorder, self.proof.by_interface, output_hidden_states=True)
        if recorder.count != len(self.proof.plan.names):
            raise OpenError("This model takes another path for this input than for the one it was tried with.")
        return HubTrace(
            records=self._records(recorder.calls),
            logits=output_tensor(output).cpu().numpy(),
            source=source,
            target=decoder,
            stream=residual_stream(output, self.kinds[0].stack) if retention.steps == "all" else {},
            **({} if layout is None else picture_fields(layout, inputs)),
            classes=self.classes,
            form=self.form,
            kept=retention.steps if retention.layer is None else retention.layer,
        )

    def rollout(self, trace: HubTrace, kind: str | None = None, fusion: Fusion = "mean") -> np.ndarray:
        """Attention rollout of a whole stack, `(layer, position, position)`; see `model.attribution.rollout.rollout`.

        Args:
            kind: of self-attention; by default the first.

        Raises:
            OpenError: the kind relates two sequences, or the trace lacks some of its layers.
        """
        name = self.kinds[0].name if kind is None else kind
        attention = trace.attention(name)
        if not kind_of(name).square:
            raise OpenError("Rollout needs attention within one sequence; choose another kind than {kind}.", kind=name)
        layers = self.layers[name]
        if trace.records[name].layers != layers or layers != tuple(range(len(layers))):
            raise OpenError("Rollout needs the maps of all layers; trace the input with keep='weights'.")
        return rollout(attention, fusion)

    @states_errors
    def count_weights(
        self, text: str, second: str | None = None, target: str | None = None, target_language: str | None = None
    ) -> tuple[int, int]:
        """Number of attention weights of a text in all layers, and largest number of layers, before any computation.

        A target that the decoder has yet to generate counts with its largest length.

        Raises:
            OpenError: the text cannot be used.
        """
        source = self._source(text, second)
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
    def score(self, trace: HubTrace, interventions: HeadInterventions | None = None) -> np.ndarray:
        """-ln p in nats, `(T,)` or `(classes,)` float64; of a network that answers with "scores", these.

        Of every token but the first given those before it (decoder), of every target token (encoder-decoder), of every
        token where it alone is masked (masked model; Salazar et al. 2020), or of every class or label.

        Args:
            interventions: those of the trace; a masked model runs again for each of its tokens.

        Raises:
            OpenError: the network has no head that predicts anything.
        """
        return score_trace(self, trace, interventions)

    def scored(self, trace: HubTrace) -> tuple[str, ...]:
        """Labels of the tokens or classes that `score` scores, in its order."""
        return scored_labels(self, trace)

    def generate(
        self,
        text: str,
        tokens: int = 20,
        intervention: HeadInterventions | None = None,
        target_language: str | None = None,
    ) -> str:
        """Generate a greedy continuation, translation or summary of a text, of at most `tokens` new tokens.

        Raises:
            OpenError: this network generates no text.
            InterventionError: see `HeadInterventions.check`.
        """
        return run_to_end(self.generate_in_steps(text, tokens, intervention, target_language))

    @states_errors
    def generate_in_steps(
        self,
        text: str,
        tokens: int = 20,
        intervention: HeadInterventions | None = None,
        target_language: str | None = None,
    ) -> InSteps[str]:
        """`generate`, some tokens at a time.

        Raises:
            OpenError, InterventionError: as of `generate`.
        """
        if self.task not in ("complete", "translate"):
            raise OpenError("This model generates no text; open one of a decoder.")
        language = self.languages.code(target_language)
        ids = yield from self._generated(self._source(text), tokens, language, intervention)
        return self.reader.decode(ids, skip_special_tokens=True)

    @states_errors
    def top(self, trace: HubTrace, position: int, count: int = 5) -> list[tuple[str, float]]:
        """The most probable tokens at a position of a trace's logits, and their probabilities."""
        logits = torch.from_numpy(trace.logits[position]).double().softmax(dim=-1)
        best = logits.topk(min(count, len(logits)))
        return list(zip(labels_of(self.reader, best.indices.tolist()), best.values.tolist(), strict=True))

    def _read(
        self,
        trace_input: TraceInput,
        second: str | None,
        target: str | tuple[int, ...] | None,
        target_language: str | None,
    ) -> tuple[Tokens | None, Tokens | None, ModelInputs]:
        language = self.languages.code(target_language)
        if self.vision:
            if not isinstance(trace_input, Image.Image | np.ndarray):
                raise OpenError("This model reads pictures; give it one.")
            return None, None, picture_inputs(self.network, self.reader, trace_input)
        if not isinstance(trace_input, str):
            raise OpenError("This model reads text; give it one.")
        source = self._source(trace_input, second)
        if not self.has_decoder:
            return source, None, text_inputs(self.network, source)
        if isinstance(target, tuple):
            ids = target
        elif target is not None and self.classifies_by_decoder:
            raise OpenError("The decoder of this classifier reads the text itself; leave the target out.")
        elif target is not None:
            ids = self._target(target, language)
        elif self.task != "translate":  # nothing can be generated: the decoder is fed the text itself
            ids = self._fed(source.ids, language)
        else:
            ids = self._fed(run_to_end(self._generated(source, MOST_GENERATED, language)), language)
        self.limits.check(0, len(ids))
        tokens = tokens_of_ids(self.reader, ids, self.languages.ids.values())
        return source, tokens, pair_inputs(self.network, source, ids)

    def _source(self, text: str, second: str | None = None) -> Tokens:
        """Tokens of the input, no more than there are positions."""
        if second is not None and not self.takes_two_texts:
            raise OpenError("This model reads one text at a time; leave the second one out.")
        source = tokenize(self.reader, text, second)
        self.limits.check(len(source.ids))
        return source

    def _target(self, text: str, language: str | None) -> tuple[int, ...]:
        """What the decoder is fed for a target."""
        if language is None:
            ids = self.reader(text_target=text)["input_ids"]
        else:  # the tokenizer's own language stays as it is: others may use it meanwhile
            ids = self.reader(text, add_special_tokens=False)["input_ids"]
        fed = self._fed(tuple(ids), language)
        self.limits.check(0, len(fed))
        return fed

    def _fed(self, ids: tuple[int, ...], language: str | None) -> tuple[int, ...]:
        """What a decoder reads that answers with `ids`, which may begin with the code of the language."""
        first = first_ids(self.network, self.languages, language)
        if language is not None and ids[:1] == (self.languages.ids[language],):
            ids = ids[1:]
        return *first, *(ids[:-1] if ids and ids[-1] == end_id(self) else ids)

    def _generated(
        self, source: Tokens, tokens: int, language: str | None, intervention: HeadInterventions | None = None
    ) -> InSteps[tuple[int, ...]]:
        """New ids by greedy decoding."""
        tap = None
        if intervention is not None:
            longest = Tokens((0,) * (1 + tokens), (), (), (), ()) if self.has_decoder else None
            tap = intervention.tap(self._shapes(source, longest), self.layers)
        names, by = self.proof.plan.names, self.proof.by_interface
        most = self.limits.target if self.has_decoder else self.limits.source
        inputs = text_inputs(self.network, source)
        options = self.languages.options(language)
        return greedy_in_steps(self.network, inputs, tokens, names, tap, by_interface=by, most=most, language=options)

    def _reduce(
        self,
        index: int,
        call: AttentionCall,
        retention: TraceRetention,
        own: dict,
        interventions: HeadInterventions | None,
    ) -> LayerRecord | None:
        place = self.proof.plan.layer_of(index)
        if place is None or retention.layer not in (None, place[1]):
            return None
        kind, layer = place
        if call.outputs is None and interventions is not None:
            own_changes = (change for change in interventions.changes if change.kind == kind.name)
            if any(isinstance(change, Scale) and change.in_layer(layer) for change in own_changes):
                raise OpenError("This model's outputs of heads are not seen, so none can be ablated or scaled.")
        reported = own.get(kind.name)
        check = check_call(call, None if reported is None else reported[layer], kind, layer, interventions)
        return reduce_call(call, check, steps=retention.steps, half=retention.half)

    def _records(self, calls: list[LayerRecord | None]) -> dict[str, HubRecord]:
        records = {}
        for kind in self.kinds:
            of_kind = zip(self.layers[kind.name], self.proof.plan.places(kind), strict=True)
            if layers := {number: layer for number, place in of_kind if (layer := calls[place]) is not None}:
                records[kind.name] = stack_layers(list(layers.values()), list(layers))
        return records
