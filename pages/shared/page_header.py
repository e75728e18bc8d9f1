"""How every text page begins: title, what to look for, the sentence and how it is to be translated."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import DecodingOptions, InputError, Trace
from pages.shared.models import open_service
from pages.shared.service import Service
from pages.shared.texts import block, paragraph, warn_if_cut_off
from views.controls import sentence_input, widgets
from views.html import generated_tokens
from views.text import literal, prose
from views.text.catalogue import say, say_error

Read = Literal["sentence", "decoding"]  # what a page may ask for at its beginning
NOTHING: frozenset[Read] = frozenset()
SENTENCE: frozenset[Read] = frozenset({"sentence"})
DECODING: frozenset[Read] = frozenset({"decoding"})
BOTH = SENTENCE | DECODING


@dataclass(frozen=True)
class Request:
    """What the person asked for, with the loaded translator that answers.

    Attributes:
        accepted: False if the model does not take this text, and the reason is on the page.
        notice: an empty place under the sentence, or where a part of the page begins, for what there is to say about
            its translation.
        reads: what was asked for; the text is empty, and decoding greedy, where it was not.
    """

    service: Service
    text: str
    options: DecodingOptions
    accepted: bool
    notice: DeltaGenerator
    reads: frozenset[Read] = BOTH

    def translation(self) -> tuple[int, ...]:
        """Token ids of the translation; if it was cut off, the page says so."""
        ids = self.service.steps(self.text, self.options)[-1].ids
        warn_if_cut_off(self.service.ended(ids), at=self.notice)
        return ids

    def trace(self) -> Trace:
        """Everything the network computes for the sentence and its translation; kept for the next page."""
        trace = self.service.trace(self.text, self.options)
        warn_if_cut_off(self.service.ended(trace.next_ids), at=self.notice)
        return trace


def render_header(page: str, reads: frozenset[Read] = BOTH, options: DeltaGenerator | None = None) -> Request:
    """Show the beginning of the page whose text is `assets/text/en/<page>.md`, and return what was asked.

    Args:
        reads: what to ask for.
        options: where to choose how the next token is chosen, with sentences to begin with; by default beside the box,
            without sentences unless the text does not look English.
    """
    st.html(generated_tokens.STYLE)
    st.title(prose.title(page), anchor=False)
    paragraph(page)
    read = "sentence" in reads
    if options is not None:
        box, method = st.container(), options
    else:
        box, method = st.columns([5, 3], gap="medium") if read else [st.container()] * 2
    with box:
        text = sentence_input.sentence() if read else ""
    with method:
        chosen = sentence_input.decoding() if "decoding" in reads else sentence_input.Decoding()
        if options is not None:
            sentence_input.examples(text)
    service, taken = open_service(), True
    try:
        if read:
            service.tokens(text)
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        taken = False
    if read and taken and not service.model.looks_english(text):
        st.warning(block("notices", "not-english"))
        if options is None:
            sentence_input.examples(text)
    return Request(service, text, DecodingOptions(**vars(chosen)), taken, st.empty(), reads)


def render_translation_page(page: str, show: Callable[[Request, Trace], None], style: str = "") -> None:
    """A page about one translation: its beginning, the translation with the `style` of the page, and what it shows."""
    request = render_header(page)
    if request.accepted:
        trace = request.trace()
        st.html(style + translation_html(trace.target_text))
        show(request, trace)


def translation_html(text: str) -> str:
    """The translation `text` behind its label, as HTML."""
    return generated_tokens.labelled_sentence(say("translation", "Translation"), text, "fr")


def render_translation(text: str, label: str) -> None:
    """A translation under a label."""
    st.html(generated_tokens.label(label) + generated_tokens.sentence(text, "fr"))


def sentence_box(name: str, key: str, first: str) -> str:
    """A page's own box for an English sentence."""
    return widgets.text(name, key, first, say("sentence.placeholder", "Type an English sentence"))


def is_usable(request: Request, text: str, name: str, english: bool = True) -> bool:
    """True if the model takes `text`, typed into a page's own box, `name`; else the reason is on the page.

    Args:
        english: whether the model is to read it, not to generate it: then the page warns of what is not English.
    """
    try:
        request.service.model.check(text)
    except InputError as error:
        st.warning(block("notices", "refused-in-a-box", name=name, reason=literal.markdown(say_error(error))))
        return False
    if english and not request.service.model.looks_english(text):
        st.warning(block("notices", "not-english-in-a-box", name=name))
    return True
