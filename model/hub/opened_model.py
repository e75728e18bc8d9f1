"""Any Hugging Face checkpoint as a `TracedModel`: opened, verified, traced."""

import weakref
from collections.abc import Mapping
from functools import cached_property, partial
from typing import Any, overload

import numpy as np

from ..networks.tap import Tap
from ..tracing.head_interventions import Scale
from ..tracing.interventions import HeadInterventions, to_tap
from ..tracing.kinds import AttentionKind
from ..tracing.model_of_trace import attach_model
from .batches import ROWS, is_padding_neutral, run_padded, split_output
from .call_check import check_call
from .causal.opened_causal import OpenedCausalMethods
from .causal.pictured_causes import PicturedCauses
from .causal.resumable_pictured import ResumablePictured
from .chats import render_chat
from .eager_attention import AttentionCall, CallRecorder
from .errors import OpenError, WrongCallError, states_errors
from .finite_numbers import check_finite
from .forward_run import output_tensor, residual_stream, run_network
from .hub_trace import HubTrace, notes_of
from .input_forms import TextForm, split_batch
from .model_inputs import picture_fields
from .opened_answers import OpenedAnswers
from .opened_reading import Pictures, TraceInput
from .picture_text_inputs import PictureText
from .readers import table_size
from .record import HubRecord, LayerRecord, reduce_call, stack_layers
from .token_offsets import Tokens
from .trace_limits import TraceRetention, plan_retention

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
