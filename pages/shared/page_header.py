"""The header of every text page: title, introduction, the sentence box and the decoding controls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model import DecodingOptions, InputError, Trace
from model.decoding.doubt import Doubt
from model.text.source_text import count_sentences, is_read_differently, normalize_source
from model.tracing.trace import SentenceTrace
from pages.shared.doubt import doubt_of_trace, note_html
from pages.shared.fragments import store_sentence
from pages.shared.models import open_service
from pages.shared.service import Service
from pages.shared.texts import block, caption, paragraph, warn_if_cut_off
from views.controls import sentence_input, widgets
from views.html import generated_tokens
from views.text import literal, prose
from views.text.catalogue import Message, say, say_error

Read = Literal["sentence", "decoding"]  # inputs that a page header may offer
NOTHING: frozenset[Read] = frozenset()
SENTENCE: frozenset[Read] = frozenset({"sentence"})
DECODING: frozenset[Read] = frozenset({"decoding"})
BOTH = SENTENCE | DECODING
TRANSLATION = Message("translation", "Translation")
METHOD_IN_VIEW = frozenset({"translate", "decoding"})  # pages with the decoding controls in view; others have a fold


@dataclass(frozen=True)
class Request:
    """The user's inputs, with the loaded translator."""

    service: Service
    text: str  # the sentence as the network reads it (`model.text.source_text`); box and address have it as typed
    options: DecodingOptions
    accepted: bool  # False if the model does not accept this text; the reason is on the page
    # an empty container below the sentence, or at the beginning of a fragment, for notices about the translation
    notice: DeltaGenerator
    reads: frozenset[Read] = BOTH  # the inputs that were offered; without them the text is empty, and decoding greedy

    def translation(self) -> tuple[int, ...]:
        """Return token ids of the translation; renders a notice if it was cut off."""
        ids = self.service.steps(self.text, self.options)[-1].ids
        warn_if_cut_off(self.service.has_ended(ids), at=self.notice)
        return ids

    def trace(self) -> Trace:
        """Return everything the network computes for the sentence and its translation; cached for the next page."""
        trace = self.service.trace(self.text, self.options)
        warn_if_cut_off(self.service.has_ended(trace.next_ids), at=self.notice)
        return trace


def render_header(page: str, reads: frozenset[Read] = BOTH, options: DeltaGenerator | None = None) -> Request:
    """Render the header of the page whose text is `assets/text/en/<page>.md`, and return the user's inputs.

    Args:
        reads: the inputs to offer.
        options: as of `render_inputs`.
    """
    render_title(page)
    return render_inputs(page, reads, options)


def render_title(page: str) -> None:
    """Render the title and the lead of a page."""
    st.title(prose.title(page), anchor=False)
    paragraph(page)


def render_inputs(page: str, reads: frozenset[Read] = BOTH, options: DeltaGenerator | None = None) -> Request:
    """Render the sentence box and the decoding controls of a page, and return what they are set to.

    Args:
        reads: the inputs to offer.
        options: container for the decoding controls and example sentences; by default the controls are next to the
            box, and the examples are rendered only if the text does not look English.
    """
    has_sentence = "sentence" in reads
    if options is not None:
        box, method = st.container(), options
    else:
        box, method = st.columns([5, 3], gap="medium") if has_sentence else [st.container()] * 2
    with box:
        text = sentence_input.sentence() if has_sentence else ""
    store_sentence(text)
    with method:
        in_fold = page not in METHOD_IN_VIEW
        decoding = sentence_input.decoding(in_fold) if "decoding" in reads else sentence_input.Decoding()
        if options is not None:
            sentence_input.examples(text)
    service, accepted = open_service(), True
    try:
        if has_sentence:
            service.tokens(text)
    except InputError as error:
        st.warning(literal.markdown(say_error(error)))
        accepted = False
    if has_sentence and accepted and not service.model.looks_english(text):
        with st.container(key="not-english"):  # hidden in the middle of a word, see web/src/page/content.css
            st.warning(block("notices", "not-english"))
            if options is None:
                sentence_input.examples(text)
    if has_sentence and accepted:
        render_reading(text)
    return Request(service, normalize_source(text), DecodingOptions(**vars(decoding)), accepted, st.empty(), reads)


def render_reading(text: str) -> None:
    """State how the network reads `text` where that differs from what was typed, and what several sentences do."""
    if is_read_differently(text):
        caption("notices", "read-as", text=literal.markdown(normalize_source(text)))
    if (count := count_sentences(text)) > 1:
        caption("notices", "several-sentences", count=count)


def render_translation_page(page: str, render: Callable[[Request, Trace], None]) -> None:
    """Render a page about one translation: its header, the translation, then `render`."""
    request = render_header(page)
    if request.accepted:
        trace = request.trace()
        with st.container(key="translated"):  # has its place before its content
            st.html(traced_translation_html(request.service, trace))
        render(request, trace)


def translation_html(translation: Doubt | str) -> str:
    """Return a translation after its label, as HTML; its doubtful tokens are underlined, if they are known."""
    if isinstance(translation, str):
        translation = Doubt(translation)
    return generated_tokens.labelled_sentence(TRANSLATION(), translation.text, "fr", translation.spans)


def pulled_translation_html(text: str, former: str) -> str:
    """Return a translation under pulls after its label, as HTML; words that the former one does not have are marked."""
    return generated_tokens.changed_sentence(TRANSLATION(), text, "fr", former)


def traced_translation_html(service: Service, trace: SentenceTrace) -> str:
    """Return the target of a trace after its label, with what the underline of doubtful tokens means, as HTML."""
    doubt = doubt_of_trace(service, trace)
    return translation_html(doubt) + note_html(service, [doubt])


def render_translation(translation: Doubt, label: str, empty: str = "\u2014") -> None:
    """Render a translation below a label; `pages.shared.doubt.render_note` states what the underline means."""
    st.html(translation_below(translation, label, empty))


def translation_below(translation: Doubt, label: str, empty: str = "\u2014") -> str:
    """Return a translation below a label, as HTML; `empty` in place of one without text."""
    shown = generated_tokens.sentence(translation.text or empty, "fr", translation.spans)
    return generated_tokens.label(label) + shown


def sentence_box(name: str, key: str, first: str) -> str:
    """Render a page's additional box for an English sentence; return its text."""
    return widgets.text(name, key, first, say("sentence.placeholder", "Type an English sentence"))


def is_usable(request: Request, text: str, name: str, english: bool = True) -> bool:
    """Return True if the model accepts `text` of the box `name`; else render the reason and return False.

    Args:
        english: whether to warn of text that does not look English; for text that the encoder reads.
    """
    model = request.service.model
    try:
        (model.check if english else model.check_target)(text)
    except InputError as error:
        st.warning(block("notices", "refused-in-a-box", name=name, reason=literal.markdown(say_error(error))))
        return False
    if english and not model.looks_english(text):
        st.warning(block("notices", "not-english-in-a-box", name=name))
    if english:
        render_reading(text)
    return True
