"""The conditions that every fuzz case must fulfil."""

from __future__ import annotations

import html
import re
import string
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser

import numpy as np
from streamlit.testing.v1 import AppTest

from model import InputError, Translator
from model.sentence_check import MAX_TOKENS
from tests.fuzz.addresses import messages
from tests.fuzz.texts import MARK
from views import kind_labels
from views.controls import pictures
from views.export import downloads
from views.html import generated_tokens
from views.text import literal

ISOLATED = re.compile("\u2068([^\u2068\u2069]*)\u2069")  # a part whose writing direction changes nothing around it
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_BARE_MARKUP = re.compile(rf"(?<!\\)[<*_`$\[]{MARK}")


class Tags(HTMLParser):
    """The names of the elements in a text and of their attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[tuple[str, ...]] = set()
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add((tag, *sorted(name for name, _ in attributes)))


def check_text_is_escaped(text: str) -> None:
    """Check the functions that escape typed text."""
    whole = literal.without_surrogates(text)
    whole.encode()
    safe = literal.html(text)
    assert not set(safe) & set("<>\"'") and html.unescape(safe) == html.unescape(html.escape(whole))
    assert not Tags(f'<p>{safe}</p><p title="{safe}">').tags - {("p",), ("p", "title")}
    escaped = literal.markdown(text)
    assert "\n" not in escaped and "\r" not in escaped
    bare = re.sub(r"\\.", "", escaped)
    assert not set(bare) & set(string.punctuation)
    visible = ISOLATED.sub(r"\1", literal.visible(text)).replace("\u200c", "").replace("\u200d", "")
    assert not any(unicodedata.category(char) in HIDDEN for char in visible)
    assert literal.token(text)
    assert "$" not in literal.plotly(text) and "<" not in literal.plotly(text)
    cell = str(downloads.cell(text))
    assert not cell.lstrip().startswith(("=", "+", "-", "@"))
    assert downloads.text_of_cell(cell) == literal.without_isolates(text)


def check_sentence(translator: Translator, text: str, translate: bool) -> bool:
    """Check a sentence from the tokenizer to the page; whether it was accepted."""
    try:
        ids = translator.check(text)
    except InputError as error:
        reason = str(error)
        assert reason.endswith(".") and "\n" not in reason and len(reason) < 200 and MARK not in reason
        return False
    assert 0 < len(ids) <= MAX_TOKENS
    labels = translator.tokenizer.display(ids)
    assert len(labels) == len(ids)
    assert not any(unicodedata.category(char) in HIDDEN for label in labels for char in label)
    chips = generated_tokens.chips(tuple(labels), "encoder") + generated_tokens.sentence(text, "en")
    assert (
        Tags(chips).tags <= Tags(generated_tokens.chips(("a",), "encoder") + generated_tokens.sentence("a", "en")).tags
    )
    if translate:
        steps = list(translator.stream(text))
        trace = translator.trace(text, target_ids=steps[-1].ids)
        assert np.isfinite(trace.logits).all()
        assert trace.verify().masked_weight == 0
        rows = trace.predictions(5)
        assert len(rows) == len(steps)
        chips_and_cards = generated_tokens.chips(
            trace.next_tokens, "decoder", [row.probability for row in rows]
        ) + generated_tokens.cards(rows)
        assert MARK not in "".join("".join(tag) for tag in Tags(chips_and_cards).tags)
        downloads.attention_npz("cross", trace.cross_attention[:1, :1], *trace.axes("cross"))
        downloads.matrix_csv(trace.cross_attention[0, 0], *trace.axes("cross"), kind_labels.KINDS["cross"])
    return True


def check_file(content: bytes) -> pictures.Picture | None:
    """Check that an upload becomes a valid picture or an error of one sentence; None for an error."""
    try:
        picture = pictures.read_picture(content)
    except pictures.PictureError as error:
        reason = str(error)
        assert reason.endswith(".") and "\n" not in reason and len(reason) < 160
        return None
    image = picture.image
    assert image.mode == "RGB" and image.info == {}
    assert 0 < image.width * image.height <= pictures.WORKING_PIXELS and max(image.size) <= pictures.WORKING_SIDE
    assert picture.size[0] * picture.size[1] <= pictures.MAX_PIXELS
    assert np.asarray(image).shape == (image.height, image.width, 3)
    return picture


def check_page(app: AppTest) -> None:
    """Check that a page has no traceback but a title, and that nothing of the address became markup."""
    assert not app.exception, [(error.value, error.stack_trace[-3:]) for error in app.exception]
    assert app.title
    for element in app.html:
        assert MARK not in "".join("".join(tag) for tag in Tags(element.value).tags)
    for text in markdown_texts(app):
        assert not _BARE_MARKUP.search(text), text


def markdown_texts(app: AppTest) -> Iterator[str]:
    """Texts of a page that the browser renders as Markdown: paragraphs, labels, buttons, choices and hints."""
    for element in (*app.markdown, *app.caption, *app.warning, *app.error, *app.info, *app.success):
        yield element.value
    for message in messages(app._tree):
        for name in ("label", "help", "caption"):
            if isinstance(text := getattr(message, name, None), str):
                yield text
        if type(message).__name__ == "ButtonGroup":
            yield from (option.content for option in message.options)
