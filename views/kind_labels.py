"""Kinds of attention with their labels: the axes, the wording in sentences and on controls."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from .map_labels import numbered
from .text import terms
from .text.catalogue import Message, Untranslated, say

Label = Callable[[], str]  # a `Message` or an `Untranslated` text


@dataclass(frozen=True)
class Kind:
    """A kind of attention, such as cross-attention, and its names."""

    name: str  # its id in URLs and in the model
    in_sentence: Label  # its name within a sentence
    # `queries`, `keys`: what the rows and the columns are, such as "English query token"; an axis has it as its title
    queries: Label
    keys: Label
    brief: Label  # the same in one word
    short: Label  # the same on a control
    causal: bool = False  # a query may only attend to itself and earlier tokens
    axes: tuple[Message, Message] = (terms.QUERY, terms.KEY)  # names of a row and of a column, in files
    places: bool = False  # rows and columns are positions in a picture: their names all differ and need no number
    in_heading: Label | None = None  # its name at the beginning of a heading; `in_sentence` if None

    @property
    def title(self) -> str:
        return self.in_sentence()

    @property
    def headline(self) -> str:
        return (self.in_heading or self.in_sentence)()

    @property
    def query_axis(self) -> str:
        return _title(self.queries())

    @property
    def key_axis(self) -> str:
        return _title(self.keys())

    @property
    def languages(self) -> tuple[str, str]:
        """The languages of the tokens of queries and of keys; empty where they are unknown."""
        return _LANGUAGES.get(self.queries, ""), _LANGUAGES.get(self.keys, "")

    def heading(self, place: str) -> str:
        """A heading: the kind, and what is shown of it, such as layer and head."""
        return say("kind.heading", "{kind}, {place}", kind=self.headline, place=place)

    @property
    def corner(self) -> str:
        """The header of the row names in a table or a file, left of the column names."""
        return " \\ ".join(axis() for axis in self.axes)

    @property
    def of_words(self) -> "Kind":
        """The same kind, whose rows and columns are whole words."""
        queries, keys = (_WORDS.get(label, label) for label in (self.queries, self.keys))
        return replace(self, queries=queries, keys=keys)

    def names(self, labels: Sequence[str]) -> list[str]:
        """Labels of an axis for a table, a file or a list of options: all different."""
        return list(labels) if self.places else numbered(labels)


def _title(label: str) -> str:
    return label[:1].upper() + label[1:]


_ENGLISH_QUERY = Message("kind.english.query", "English query token")
_ENGLISH_KEY = Message("kind.english.key", "English key token")
_FRENCH_QUERY = Message("kind.french.query", "French query token")
_FRENCH_KEY = Message("kind.french.key", "French key token")
_ROW, _COLUMN = Message("kind.patches.row", "row of patches"), Message("kind.patches.column", "column of patches")
_PATCH = Message("kind.patch", "patch")
KINDS = {
    "encoder": Kind(
        "encoder",
        Message("kind.encoder", "encoder self-attention"),
        _ENGLISH_QUERY,
        _ENGLISH_KEY,
        Message("kind.encoder.brief", "encoder"),
        Message("kind.encoder.short", "Encoder"),
        in_heading=Message("kind.encoder.heading", "Encoder self-attention"),
    ),
    "decoder": Kind(
        "decoder",
        Message("kind.decoder", "masked decoder self-attention"),
        _FRENCH_QUERY,
        _FRENCH_KEY,
        Message("kind.decoder.brief", "decoder"),
        Message("kind.decoder.short", "Decoder"),
        causal=True,
        in_heading=Message("kind.decoder.heading", "Masked decoder self-attention"),
    ),
    "cross": Kind(
        "cross",
        Message("kind.cross", "cross-attention"),
        _FRENCH_QUERY,
        _ENGLISH_KEY,
        Message("kind.cross.brief", "cross"),
        Message("kind.cross.short", "Cross"),
        in_heading=Message("kind.cross.heading", "Cross-attention"),
    ),
}
ALIGNMENTS = {  # cross-attention of recurrent networks, by its score
    "additive": replace(
        KINDS["cross"],
        in_sentence=Message("kind.alignment.additive", "alignment by the additive score"),
        in_heading=Message("kind.alignment.additive.heading", "Alignment by the additive score"),
    ),
    "dot": replace(
        KINDS["cross"],
        in_sentence=Message("kind.alignment.dot", "alignment by dot products"),
        in_heading=Message("kind.alignment.dot.heading", "Alignment by dot products"),
    ),
}
ANY_TOKENS = Message("kind.any.query", "query token"), Message("kind.any.key", "key token")
_ANY = Message("kind.given", "attention")
ANY_ATTENTION = Kind("encoder", _ANY, *ANY_TOKENS, _ANY, _ANY, in_heading=Message("kind.given.heading", "Attention"))
_WORDS: dict[Label, Message] = {  # what rows and columns are -> the same of whole words
    ANY_TOKENS[0]: Message("kind.any.query.word", "query word"),
    ANY_TOKENS[1]: Message("kind.any.key.word", "key word"),
    _ENGLISH_QUERY: Message("kind.english.query.word", "English query word"),
    _ENGLISH_KEY: Message("kind.english.key.word", "English key word"),
    _FRENCH_QUERY: Message("kind.french.query.word", "French query word"),
    _FRENCH_KEY: Message("kind.french.key.word", "French key word"),
}
_LANGUAGES: dict[Label, str] = {
    _WORDS[label] if of_words else label: language
    for language, labels in (("en", (_ENGLISH_QUERY, _ENGLISH_KEY)), ("fr", (_FRENCH_QUERY, _FRENCH_KEY)))
    for label in labels
    for of_words in (False, True)
}
OF_STACK = {"encoder": "en", "decoder": "fr"}  # the language of the tokens of each stack of the translator
VISION = Kind(
    "vision",
    Message("kind.vision", "ViT self-attention"),
    Message("kind.vision.query", "query position"),
    Message("kind.vision.key", "key position"),
    Message("kind.vision.brief", "vision"),
    Message("kind.vision.short", "Vision"),
    places=True,
)
PREFIX = Kind(  # of a text whose beginning, or whose pictures, are seen by earlier tokens too
    "prefix",
    Message("kind.prefix", "decoder self-attention with a visible prefix"),
    *ANY_TOKENS,
    Message("kind.prefix.brief", "decoder"),
    Message("kind.prefix.short", "Decoder"),
    in_heading=Message("kind.prefix.heading", "Decoder self-attention with a visible prefix"),
)
GRID = replace(VISION, queries=_ROW, keys=_COLUMN, axes=(_ROW, _COLUMN))
PATCHES = replace(
    VISION,
    in_sentence=Message("kind.patches", "similarity of position vectors"),
    queries=_PATCH,
    keys=_PATCH,
    axes=(_PATCH, _PATCH),
    in_heading=Message("kind.patches.heading", "Similarity of position vectors"),
)
CLS = "CLS"
_OF_HEADS = Message("kind.of-heads", "{kind}, layers with {heads} {heads:head|heads}")


def find_kind(name: str) -> Kind | None:
    """The kind with this id, or the part of one in layers of so many heads; None if it is none of this project's."""
    whole, _, rest = name.partition("-")
    kind = {VISION.name: VISION, PREFIX.name: PREFIX, **KINDS}.get(whole)
    if kind is None or not rest:
        return kind
    match = re.fullmatch(r"([1-9]\d{0,3})-heads", rest)
    return None if match is None else _with_heads(kind, name, match[1])


def _with_heads(kind: Kind, name: str, heads: str) -> Kind:
    """The part of a kind in layers of so many heads, of a network whose layers differ in their number of heads."""

    def label(whole: Label) -> Label:
        return partial(_OF_HEADS, kind=whole(), heads=heads)

    heading = label(kind.in_heading or kind.in_sentence)
    sentence, brief, short = label(kind.in_sentence), label(kind.brief), label(kind.short)
    return replace(kind, name=name, in_sentence=sentence, in_heading=heading, brief=brief, short=short)


def kind_named(name: str) -> Kind:
    """The kind with this id; one whose id is its only name if it is none of this project's."""
    label = Untranslated(name)
    return find_kind(name) or Kind(name, label, *ANY_TOKENS, label, label)


def any_model_kind(name: str) -> Kind:
    """The kind with this id, with labels that fit any model."""
    kind = kind_named(name)
    return kind if kind.places else replace(kind, queries=ANY_TOKENS[0], keys=ANY_TOKENS[1])
