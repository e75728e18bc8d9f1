"""Any Hugging Face checkpoint as a `TracedModel`: opened, verified, traced."""

import weakref
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, overload

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ..attribution.rollout import Fusion, rollout
from ..networks.tap import Tap
from ..runtime.progress import InSteps, run_to_end
from ..tracing.head_interventions import OneHot, Pull, Scale, Temperature
from ..tracing.interventions import HeadInterventions, to_tap
from ..tracing.kinds import AttentionKind, kind_of
from ..tracing.trace import Verification, attach_model, check_trace
from .batches import ROWS, is_padding_neutral, run_padded, split_output
from .causal.opened_causal import OpenedCausalMethods
from .causal.resumable_pictured import PicturedCauses, ResumablePictured
from .chats import render_chat
from .eager_attention import AttentionCall, CallRecorder, repeat_kv
from .errors import OpenError, WrongCallError, states_errors
from .forward_run import output_tensor, residual_stream, run_network
from .hub_trace import HubTrace, notes_of
from .input_forms import TextForm, one_text, split_batch
from .model_inputs import picture_fields
from .opened_reading import MOST_GENERATED, OpenedReading, Pictures, TraceInput
from .picture_text_inputs import PictureText
from .readers import table_size
from .record import HubRecord, LayerRecord, reduce_call, stack_layers
from .scoring import score_trace, scored_labels
from .token_offsets import Tokens, labels_of
from .trace_limits import TraceRetention, plan_retention
from .verification import check_finite

# What an opened network answers: scores of a trace, generated text, likely tokens; and the size of a trace.


class OpenedAnswers(OpenedReading):
    """Scores and generated text of an opened network; see `OpenedModel`."""

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


Batch = list[str] | list[list[int]] | Mapping[str, Any]  # texts, ids of texts, or what a tokenizer returns


class OpenedModel(OpenedAnswers, OpenedCausalMethods):
    """A network of the library `transformers`, traced while it runs. Made by `model.open_model.open_model`.

    Its attributes are those of `model.hub.opened_network.OpenedNetwork`.

    Raises:
        OpenError: the check on opening fails; with the measured difference.
    """

    @overload
    def trace(
        self,
        given: TraceInput,
        *,
        second: str | None = None,
        target: str | tuple[int, ...] | None = None,
        target_language: str | None = None,
        intervention: HeadInterventions | Tap | None = None,
        keep: str | int = "auto",
        picture: Pictures = None,
        add_special_tokens: bool = True,
    ) -> HubTrace: ...

    @overload
    def trace(
        self,
        given: None = None,
        *,
        messages: list[dict[str, Any]],
        target: str | tuple[int, ...] | None = None,
        target_language: str | None = None,
        intervention: HeadInterventions | Tap | None = None,
        keep: str | int = "auto",
        picture: Pictures = None,
        tools: list[Any] | None = None,
        add_generation_prompt: bool | None = None,
        continue_final_message: bool = False,
        **template_options: Any,
    ) -> HubTrace: ...

    @overload
    def trace(
        self,
        given: Batch,
        *,
        second: str | None = None,
        target: str | tuple[int, ...] | None = None,
        target_language: str | None = None,
        intervention: HeadInterventions | Tap | None = None,
        keep: str | int = "auto",
        add_special_tokens: bool = True,
    ) -> list[HubTrace]: ...

    @states_errors
    def trace(
        self,
        given: TraceInput | Batch | None = None,
        *,
        second: str | None = None,
        target: str | tuple[int, ...] | None = None,
        target_language: str | None = None,
        intervention: HeadInterventions | Tap | None = None,
        keep: str | int = "auto",
        picture: Pictures = None,
        messages: list[dict[str, Any]] | None = None,
        add_special_tokens: bool = True,
        **chat_options: Any,
    ) -> HubTrace | list[HubTrace]:
        """Everything the network computes for an input, in one pass without a cache.

        Args:
            given: a text; the ids of its tokens, which are taken as they are; or a picture for a network that reads
                pictures, also as an array, or as its image processor returns it, see `model.hub.picture_forms`. Or a
                batch: a list of texts, a list of lists of ids, or what a tokenizer returns, with `attention_mask`,
                padded on either side. Texts of a batch may differ in length, and give what each would give alone.
            second: a second text, for a network that reads pairs.
            target: for an encoder-decoder, the text that the decoder is fed, or the ids that it chose, as in a trace;
                by default its own greedy output.
            target_language: the language that a decoder of several writes, as its tokenizer names it, such as
                "fra_Latn"; by default the one that the model itself states. `languages` has all.
            intervention: changes to heads during the pass; or a function of name and tensor, such as
                `encoder.0.self.weights` `(1, head, query, key)`, that returns what goes on. What a function changes is
                stated by `HubTrace.verify` as a difference.
            keep: "auto", "all", "weights" or a layer, numbered from 0 among all layers of the network; see
                `model.hub.trace_limits`.
            picture: one picture of PIL or a list of them, for a model that reads pictures with its text. The text says
                where by the placeholder of the model's processor, such as "<image>"; else they come first.
            messages: a chat in place of a text, such as `[{"role": "user", "content": "Hi"}]`, as the tokenizer's
                template writes it.
            chat_options: with `messages`, what the template reads: `tools`, `add_generation_prompt`,
                `continue_final_message` and names of its own, as of the library's `apply_chat_template`.
            add_special_tokens: whether the tokenizer adds its special tokens to a text; never to ids or a chat.

        Returns:
            A trace; of a batch, the list of its traces.

        Raises:
            OpenError: the input cannot be used, or the maps would be too large.
            WrongCallError: options of a chat, or names that there are not, without `messages`.
            InterventionError: see `HeadInterventions.check`.
        """
        options: dict[str, Any] = {"target": target, "target_language": target_language, "intervention": intervention}
        options |= {"keep": keep, "special": add_special_tokens}
        if messages is not None and given is not None:
            raise OpenError("Give a text or messages, not both.")
        if messages is None and chat_options:
            raise WrongCallError(f"trace() has {next(iter(chat_options))} only with messages=[...], if at all")
        if picture is not None or isinstance(given, PictureText):
            read = self.read_pictures(given, picture, messages, add_special_tokens, chat_options)
            others = {"second": second, "target": target, "target_language": target_language}
            if unused := next((name for name, value in others.items() if value is not None), None):
                raise OpenError("A text with pictures is traced without {name}; leave that out.", name=unused)
            return self._trace_pictures(read, intervention, keep, add_special_tokens and isinstance(given, str))
        if messages is not None:
            if second is not None:
                raise OpenError("A chat is traced without a second text; leave second out.")
            return self._trace_one(
                render_chat(self.reader, messages, chat_options), None, **options | {"special": False}
            )
        batch = None if self.vision else split_batch(given)
        if batch is None:
            return self._trace_one(given, second, **options)
        if second is not None:
            raise OpenError("A batch has no second texts; trace pairs one by one.")
        if self.has_decoder or intervention is not None or not self.proof.by_interface:
            return [self._trace_one(each, None, **options) for each in batch]
        return self._trace_batch(batch, keep, add_special_tokens)

    def _trace_one(
        self,
        given: Any,
        second: str | None,
        *,
        target: Any,
        target_language: str | None,
        intervention: HeadInterventions | Tap | None,
        keep: str | int,
        special: bool,
    ) -> HubTrace:
        source, decoder, inputs = self._read(given, second, target, target_language, special)
        layout = self._layout(inputs) if self.vision else None
        shapes = self._shapes(source, decoder, layout)
        tap = to_tap(intervention, lambda: shapes, self.layers)
        retention = self._retention(shapes, keep)
        plan = intervention if isinstance(intervention, HeadInterventions) else None
        unchanged = tap is None or (plan is not None and not plan.changes)
        own = self._own_weights(inputs) if not self.proof.by_interface and unchanged else {}
        reduce = partial(self._reduce, retention=retention, own=own, interventions=plan)
        recorder = CallRecorder(self.proof.plan.names, tap, reduce)
        output = run_network(self.network, inputs, recorder, self.proof.by_interface, output_hidden_states=True)
        fields = {} if layout is None else picture_fields(layout, inputs)
        if source is not None:
            fields["notes"] = notes_of(self.reader, source, special and isinstance(given, str))
        trace = self._as_trace(output, recorder.calls, retention, source, decoder, fields, intervention)
        return attach_model(trace, weakref.ref(self), intervention)

    def _trace_pictures(
        self, given: PictureText, intervention: HeadInterventions | Tap | None, keep: str | int, special: bool
    ) -> HubTrace:
        pictured = self.pictured
        assert pictured is not None, "texts with pictures are read only where it is there"
        tap = to_tap(intervention, lambda: pictured.shapes(given), pictured.check.layers)
        numbers = sorted({number for layers in pictured.check.layers.values() for number in layers})
        retention = plan_retention(pictured.count(given), numbers, keep)
        plan = intervention if isinstance(intervention, HeadInterventions) else None

        def reduce(kind: AttentionKind, layer: int, call: AttentionCall) -> LayerRecord | None:
            if retention.layer not in (None, layer):
                return None
            check = check_call(call, None, kind, layer, plan)
            return reduce_call(call, check, steps=retention.steps, half=retention.half)

        output, records, pictures = pictured.run(given, tap, reduce)
        if len(pictures) == 1 and pictures[0].tower is not None:
            records |= pictures[0].tower.records
        logits = output_tensor(output)
        towers = [record for picture in pictures if picture.tower for record in picture.tower.records.values()]
        maps = (record.weights for record in (*records.values(), *towers))
        check_finite(self.network, logits, maps, changed=intervention is not None)
        trace = HubTrace(
            records=records,
            logits=logits.cpu().numpy(),
            source=given.tokens,
            target=None,
            stream=residual_stream(output, "decoder") if retention.steps == "all" else {},
            kept=retention.steps if retention.layer is None else retention.layer,
            picture_text=given,
            pictures=pictures,
            notes=notes_of(self.reader, given.tokens, special),
        )
        return attach_model(trace, weakref.ref(self), intervention)

    def _trace_batch(self, batch: list[TextForm], keep: str | int, special: bool) -> list[HubTrace]:
        """Texts that run together where padding changes nothing, else one by one."""
        texts = [self._source(each, None, special) for each in batch]
        retentions = [self._retention(self._shapes(tokens, None), keep) for tokens in texts]
        alone: dict[str, Any] = {"target": None, "target_language": None, "intervention": None, "keep": keep}
        if len(texts) == 1 or not self._pads(texts):
            return [self._trace_one(each, None, special=special, **alone) for each in batch]
        traces = []
        for first in range(0, len(texts), ROWS):
            group, kept = texts[first : first + ROWS], retentions[first : first + ROWS]

            def reduce(row: int, index: int, call: AttentionCall, kept: list = kept) -> LayerRecord | None:
                return self._reduce(index, call, kept[row], {}, None)

            output, calls = run_padded(self.network, group, self._padding, self.proof.plan.names, reduce)
            for row, tokens in enumerate(group):
                own = split_output(output, row, len(tokens.ids), self.classes is None)
                fields = {"notes": notes_of(self.reader, tokens, special and isinstance(batch[first + row], str))}
                trace = self._as_trace(own, calls[row], kept[row], tokens, None, fields)
                traces.append(attach_model(trace, weakref.ref(self)))
        return traces

    def _pads(self, texts: list[Tokens]) -> bool:
        """Whether texts can run together; measured with the first ones."""
        if self._padding_is_neutral is None:
            by_token = self.classes is None
            self._padding_is_neutral = is_padding_neutral(self.network, texts, self._padding, by_token)
        return self._padding_is_neutral

    _padding_is_neutral: bool | None = None

    @cached_property
    def _padding(self) -> int:
        """The id that fills shorter texts of a batch."""
        ids = (getattr(self.config.get_text_config(), "pad_token_id", None), self.reader.pad_token_id)
        return next((id_ for id_ in ids if id_ is not None and 0 <= id_ < table_size(self.config)), 0)

    def _retention(self, shapes: dict[str, tuple[int, int, int, int]], keep: str | int) -> TraceRetention:
        numbers = sorted({number for layers in self.layers.values() for number in layers})
        return plan_retention(sum(int(np.prod(shape)) for shape in shapes.values()), numbers, keep)

    def _as_trace(
        self,
        output: Any,
        calls: list[LayerRecord | None],
        retention: TraceRetention,
        source: Tokens | None,
        decoder: Tokens | None,
        fields: dict[str, Any],
        intervention: object = None,
    ) -> HubTrace:
        if len(calls) != len(self.proof.plan.names):
            raise OpenError("This model takes another path for this input than for the one it was tried with.")
        records, logits = self._records(calls), output_tensor(output)
        maps = (record.weights for record in records.values())
        check_finite(self.network, logits, maps, changed=intervention is not None)
        return HubTrace(
            records=records,
            logits=logits.cpu().numpy(),
            source=source,
            target=decoder,
            stream=residual_stream(output, self.kinds[0].stack) if retention.steps == "all" else {},
            **fields,
            classes=self.classes,
            form=self.form,
            kept=retention.steps if retention.layer is None else retention.layer,
        )

    def with_picture(self, picture: Pictures, other: Pictures = None) -> PicturedCauses:
        """The causal methods of a model that reads pictures with its text: all their texts have this picture.

        Args:
            picture: one picture of PIL or a list of them, as of `trace`.
            other: the same for the second of two texts that are compared, as by `patch`; by default `picture`.

        Raises:
            OpenError: this model reads no pictures with a text, or a picture cannot be used.
        """
        self.prepare()
        for given in (picture,) if other is None else (picture, other):
            self.read_pictures("", given)
        return PicturedCauses(self, picture, other)

    _pictured_streams: ResumablePictured | None = None

    def pictured_streams(self, causes: PicturedCauses) -> ResumablePictured:
        """The residual streams of texts with pictures, found by `causes` once."""
        if self._pictured_streams is None:
            self._pictured_streams = causes.find_streams()
        return self._pictured_streams

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
                raise OpenError(
                    "The outputs of this model's heads cannot be reached, so no head can be ablated or scaled."
                )
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


# Check one call of attention against a second computation made in another way.

FUSED = "fused"  # scaled_dot_product_attention, with bias, mask and sinks
DOUBLE = "double"  # in double precision, from queries and keys, with the interventions as they are described
EAGER = "eager"  # the model's own eager implementation


def check_call(
    call: AttentionCall,
    own: Tensor | None,
    kind: AttentionKind,
    layer: int,
    interventions: HeadInterventions | None,
) -> tuple[str, Verification]:
    """Compare recorded weights and outputs with a second computation; returns which one and the differences.

    Args:
        own: weights `(1, H, Q, K)` that the model reports itself, where its softmax is watched.
        layer: from 0.
        interventions: those that were active in the call, if any.
    """
    outputs: Tensor | None
    if interventions is not None and interventions.changes:
        by, (weights, outputs) = DOUBLE, in_double(call, kind, layer, interventions)
    elif own is not None:
        by, weights, outputs = EAGER, own.to(call.weights.device), None
    elif call.softcap is not None or call.queries is None or call.keys is None or call.values is None:
        by, (weights, outputs) = DOUBLE, in_double(call, kind, layer, HeadInterventions())
    else:
        by, (weights, outputs) = FUSED, fused(call)
    difference = _distance(weights, call.weights)
    if outputs is not None and call.outputs is not None:
        difference = max(difference, _distance(outputs, call.outputs))
    recorded_sums, sums = (table.sum(dim=-1, dtype=torch.float64) for table in (call.weights, weights))
    masked = 0.0 if call.mask is None or by == DOUBLE else _masked_weight(call.weights, call.mask)
    return by, Verification(difference, _distance(recorded_sums, sums), masked)


def fused(call: AttentionCall) -> tuple[Tensor, Tensor]:
    """Weights `(1, H, Q, K)` and outputs `(1, H, Q, d_v)` by PyTorch's fused attention.

    A sink becomes one more key: a score of its own, and a value of zeros.
    """
    assert call.queries is not None and call.keys is not None and call.values is not None
    queries = call.queries.float()
    keys, values = repeat_kv(call.keys, call.queries).float(), repeat_kv(call.values, call.queries).float()
    added = call.mask  # stays bool without a bias: the kernel accepts it
    if call.bias is not None:
        added = call.bias.float()
        if call.mask is not None:
            added = added.masked_fill(~call.mask, -torch.inf)
    identity = torch.eye(keys.shape[2], device=queries.device).expand(*keys.shape[:2], -1, -1)
    if call.sinks is not None:
        if added is None or added.dtype == torch.bool:
            added = torch.zeros(call.weights.shape, device=queries.device)
            added = added if call.mask is None else added.masked_fill(~call.mask, -torch.inf)
        added = added.expand(call.weights.shape)
        column = call.sinks.float().reshape(1, -1, 1, 1).expand(*added.shape[:-1], 1)
        added = torch.cat([added, column], dim=-1)
        keys, values, identity = (F.pad(part, (0, 0, 0, 1)) for part in (keys, values, identity))
    weights, outputs = (
        F.scaled_dot_product_attention(queries, keys, applied, attn_mask=added, scale=call.scaling)
        for applied in (identity, values)
    )
    return weights, outputs


def in_double(
    call: AttentionCall, kind: AttentionKind, layer: int, interventions: HeadInterventions
) -> tuple[Tensor, Tensor | None]:
    """Weights and outputs in double precision under interventions.

    Computed from the recorded scores where the queries, or how their products become scores, are not known.
    """
    if call.scaling is not None and call.queries is not None and call.keys is not None:
        scores = call.queries.double() @ repeat_kv(call.keys, call.queries).double().transpose(-2, -1) * call.scaling
        if call.softcap is not None:
            scores = torch.tanh(scores / call.softcap) * call.softcap
        if call.bias is not None:
            scores = scores + call.bias.double()
    else:
        scores = call.original_scores.double()
    hidden = torch.zeros(scores.shape, dtype=torch.bool, device=scores.device)
    if call.original_mask is not None:
        hidden |= ~call.original_mask
    own = [change for change in interventions.changes if change.kind == kind.name]
    factor = torch.ones(scores.shape[1], device=scores.device, dtype=torch.float64)
    for head in {head for change in own for head in change.in_layer(layer)}:
        hidden[:, head] = _hidden(call, kind, layer, head, interventions)
    for change in own:
        heads = change.in_layer(layer)
        if isinstance(change, Temperature):
            scores[:, heads] /= change.temperature
        elif isinstance(change, Pull):
            scores[:, heads, change.query, change.key] += change.delta
        elif isinstance(change, Scale):
            factor[heads] *= change.factor
    scores = scores.masked_fill(hidden, -torch.inf)
    if call.sinks is not None:
        column = call.sinks.double().reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)
        weights = torch.cat([scores, column], dim=-1).softmax(dim=-1)[..., :-1]
    else:
        weights = scores.softmax(dim=-1)
    for change in own:
        if isinstance(change, OneHot):
            rows = change.rows(*scores.shape[2:])
            for head in change.in_layer(layer):
                weights[:, head, rows] = torch.eye(scores.shape[3], dtype=torch.float64)[change.key].to(weights.device)
    if call.values is None:
        return weights, None
    return weights, weights @ repeat_kv(call.values, weights).double() * factor[:, None, None]


def _hidden(
    call: AttentionCall, kind: AttentionKind, layer: int, head: int, interventions: HeadInterventions
) -> Tensor:
    """`(query, key)` bool: the keys hidden from a head that interventions change.

    They follow from the description of the interventions and, unless these remove the mask, from the model's own mask.
    """
    queries, keys = call.weights.shape[2:]
    visible = torch.from_numpy(interventions.allowed(kind.name, layer, head, queries, keys).copy())
    own = [change for change in interventions.changes if change.kind == kind.name and head in change.in_layer(layer)]
    hidden = ~visible.to(call.weights.device)
    if call.original_mask is not None and not any(change.step == "mask" for change in own):
        mask = call.original_mask[0]
        hidden = hidden | ~mask[min(head, mask.shape[0] - 1)]
    return hidden


def _distance(first: Tensor, second: Tensor) -> float:
    """Largest |difference|; numbers of one precision are subtracted in it, which is exact where they are close."""
    if first.dtype != second.dtype:
        first, second = first.double(), second.double()
    return float((first - second).abs_().max())


def _masked_weight(weights: Tensor, mask: Tensor) -> float:
    """Largest weight on a masked key; where all heads share a mask, the largest weight over heads is taken first."""
    if mask.ndim == 4 and mask.shape[1] == 1:
        weights = weights.amax(dim=1, keepdim=True)
    return float(weights.masked_fill(mask, 0).max())
