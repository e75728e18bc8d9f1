"""What an opened model is fed: the tokens of a text, ids or a chat, a picture, and the target of a decoder."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from PIL import Image

from ..networks.tap import Tap
from ..runtime.progress import InSteps, run_to_end
from ..tracing.interventions import HeadInterventions, to_tap
from .errors import OpenError
from .forward_run import ModelInputs
from .generation import greedy_in_steps
from .input_forms import TextForm, check_known, one_text, read_target, read_text
from .model_inputs import first_ids, own_decoder_ids, pair_inputs, picture_inputs, text_inputs
from .opened_network import OpenedNetwork
from .picture_text_inputs import PictureText, check_pictures, read_picture_text, render_picture_chat
from .scoring import end_id
from .token_offsets import Tokens, tokens_of_ids

# a text, ids, a picture, what an image processor returns, or the text with pictures of a trace
TraceInput = TextForm | Image.Image | np.ndarray | PictureText
Pictures = Image.Image | Sequence[Image.Image] | None  # that go with a text
MOST_GENERATED = 128  # tokens of a decoder's own target


class OpenedReading(OpenedNetwork):
    """Reads what a user gives to an opened model; see `model.hub.opened_model.OpenedModel`."""

    def _read(
        self,
        trace_input: TraceInput,
        second: str | None,
        target: str | tuple[int, ...] | None,
        target_language: str | None,
        special: bool = True,
    ) -> tuple[Tokens | None, Tokens | None, ModelInputs]:
        ignored = {"second": second if self.vision else None, "target": None if self.has_decoder else target}
        for name in (name for name, value in ignored.items() if value is not None):
            raise OpenError("This model reads one input alone; leave {name} out.", name=name)
        language = self.languages.code(target_language)
        if self.vision:
            return None, None, picture_inputs(self.network, self.reader, trace_input)
        source = self._source(one_text(trace_input), second, special)
        target = None if target is None else read_target(self.config, target)
        if not self.has_decoder:
            return source, None, text_inputs(self.network, source)
        is_chosen = isinstance(target, tuple)
        end: tuple[int, ...] = ()
        if isinstance(target, tuple):
            ids = target
        elif target is not None and self.classifies_by_decoder:
            raise OpenError("The decoder of this classifier reads the text itself; leave the target out.")
        elif target is not None:
            ids = self._target(target, language)
        elif self.classifies_by_decoder:
            ids = own_decoder_ids(self.network, source)
        elif self.task != "translate":  # nothing can be generated: the decoder is fed the text itself
            ids = self._fed(source.ids, language)
        else:
            answer = run_to_end(self._generated(source, MOST_GENERATED, language))
            ids, is_chosen = self._fed(answer, language), True
            end = answer[-1:] if answer[-1:] == (end_id(self),) else ()
        self.limits.check(0, len(ids))
        tokens = tokens_of_ids(self.reader, ids, self.languages.ids.values())
        tokens = self._with_chosen(tokens, end) if is_chosen else tokens
        return source, tokens, pair_inputs(self.network, source, ids)

    def _with_chosen(self, tokens: Tokens, end: tuple[int, ...]) -> Tokens:
        """What the decoder is fed, with the token that was chosen at each position; `end` is the last one, if any."""
        given = self.languages.length(tokens.ids)
        labels = tokens_of_ids(self.reader, (*tokens.ids, *end), self.languages.ids.values()).labels
        chosen = (*("",) * (given - 1), *labels[given:], *(() if end else ("",)))
        return replace(tokens, chosen=chosen, ends=bool(end))

    def read_pictures(
        self,
        given: object,
        pictures: object,
        messages: object = None,
        special: bool = True,
        chat_options: Mapping[str, Any] | None = None,
    ) -> PictureText:
        """A text or a chat with pictures, as the network reads it.

        Args:
            chat_options: of the template; see `model.hub.chats.render_chat`.

        Raises:
            OpenError: this model reads no pictures with a text; or the text or a picture cannot be used.
        """
        if self.vision:
            raise OpenError("This model reads a picture alone; give it in place of the text: model.trace(picture).")
        if self.pictured is None and self.picture_refusal is not None:
            raise OpenError(self.picture_refusal.template, **self.picture_refusal.values)
        if self.pictured is None:
            raise OpenError("This model reads text alone; leave `picture` out.")
        if isinstance(given, PictureText):
            return given
        processor = self.pictured.processor
        if messages is not None:
            count = len(check_pictures(pictures))
            given, special = render_picture_chat(processor, messages, count, chat_options), False
        read = read_picture_text(self.network, processor, given, pictures, special)
        self.limits.check(len(read.tokens.ids))
        return read

    def _source(self, text: TextForm, second: str | None = None, special: bool = True) -> Tokens:
        """Tokens of the input, no more than there are positions; `special` as of `read_text`."""
        if self.text_refusal is not None:
            raise OpenError(
                "This model reads a text only with a picture, given as `picture`. Of text alone: {reason}",
                reason=self.text_refusal,
            )
        if second is not None and not self.takes_two_texts:
            raise OpenError("This model reads one text at a time; leave the second one out.")
        source = read_text(self.reader, self.config, text, second, special)
        check_known(self.config, source)
        self.limits.check(len(source.ids))
        return source

    def _target(self, text: str, language: str | None) -> tuple[int, ...]:
        """What the decoder is fed for a target."""
        if language is None:
            ids = self.reader(text_target=text)["input_ids"]
        else:  # the tokenizer's own language stays as it is: others may use it meanwhile
            ids = self.reader(text, add_special_tokens=False)["input_ids"]
        fed = self._fed(tuple(ids), language)
        check_known(self.config.get_text_config(decoder=True), tokens_of_ids(self.reader, fed))
        self.limits.check(0, len(fed))
        return fed

    def _fed(self, ids: tuple[int, ...], language: str | None) -> tuple[int, ...]:
        """What a decoder reads that answers with `ids`, which may begin with the code of the language."""
        first = first_ids(self.network, self.languages, language)
        if language is not None and ids[:1] == (self.languages.ids[language],):
            ids = ids[1:]
        return *first, *(ids[:-1] if ids and ids[-1] == end_id(self) else ids)

    def _generated(
        self, source: Tokens, tokens: int, language: str | None, intervention: HeadInterventions | Tap | None = None
    ) -> InSteps[tuple[int, ...]]:
        """New ids by greedy decoding."""
        tap = None
        if intervention is not None:
            longest = Tokens((0,) * (1 + tokens), (), (), (), ()) if self.has_decoder else None
            tap = to_tap(intervention, lambda: self._shapes(source, longest), self.layers)
        names, by = self.proof.plan.names, self.proof.by_interface
        most = self.limits.target if self.has_decoder else self.limits.source
        inputs = text_inputs(self.network, source)
        options = self.languages.options(language)
        return greedy_in_steps(
            self.network, inputs, tokens, names, tap, by_interface=by, most=most, language=options, reader=self.reader
        )
