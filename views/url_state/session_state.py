"""The settings of one visit, and which URL queries its browser may still be showing.

Everything is stored as in the URL: names with strings. `SessionSettings` does not depend on Streamlit.

Three places hold settings: this object (in `st.session_state`), the URL and the widgets in the browser. They differ
while messages travel, since the browser keeps sending its old URL and old widget values until it has received new ones.
So each run first decides who is right. The URL wins if this visit did not write it, or after Back or Forward; otherwise
the stored settings win, with what the user changed in widgets since.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from urllib.parse import quote_plus, unquote_plus

from .codecs import AnyOf, AnyText, Codec, Raw

# These hold on every page; any other setting belongs to one page and is in that page's URL only.
SHARED = (
    "text",
    "method",
    "beam",
    "penalty",
    "temperature",
    "top_k",
    "top_p",
    "seed",
    "kind",
    "layer",
    "head",
    "units",
    "lang",
    "present",  # only the browser uses it: see web/src/page/presentation_mode.ts
)
LANGUAGE = "lang"
# A parameter that `web/src/page/history.ts` adds to its messages between Back or Forward and the answer, with the
# number of such steps, so that messages about the same URL differ. It is never part of a stored or written URL.
MOVED = "moved"
TEXT = "text"  # in every URL that was written here: a URL without it only changes the settings that it names

# Limits for names in a URL that no control has claimed yet: settings of a part of the page that is not open.
MOST_NAMES, LONGEST_VALUE = 80, 8_000
MEMBERS_END = ";"  # between the members of a list, such as those of pulls
_NAME = re.compile(r"\w{1,40}", re.ASCII)
# Of the sentence, in the URL. Proxies refuse URLs of more than 8 kB; 128 tokens always fit.
LONGEST_TEXT = 6_000
MOST_SENT = 50  # queries that a browser may not have received yet

Query = dict[str, Raw]
QueryKey = tuple[tuple[str, Raw], ...]  # a query that can be compared, see `comparable`
T = TypeVar("T")


@dataclass(frozen=True)
class DrawnControl:
    """A control as it was last drawn."""

    value: object
    codec: Codec[Any]
    default: object
    varies: bool  # options or default depend on the page or on the sentence
    in_component: bool = False  # a component draws it and reports its value; it is no Streamlit widget
    parts: tuple[str, ...] = ()  # the parts of the page that contain it, outermost first
    removed: bool = False  # its part was drawn again without it, and the browser has discarded its value


@dataclass
class SessionSettings:
    """Settings of one visit."""

    page: str | None = None  # the open page; None before the first run
    # `shared`, `own`: the settings that were chosen: those of all pages, and by page its own. A setting that is missing
    # has its default.
    shared: Query = field(default_factory=dict)
    own: dict[str | None, Query] = field(default_factory=dict)
    controls: dict[str, DrawnControl] = field(default_factory=dict)  # the controls of the open page
    # queries that the browser may be showing, oldest first, each with the values of its controls there
    sent: list[tuple[QueryKey, dict[str, object]]] = field(default_factory=list)
    # queries that were sent before the URL last decided; a late message may still carry one
    abandoned: list[QueryKey] = field(default_factory=list)
    received: QueryKey = ()  # the query that the browser sent with this run
    must_send: bool = False  # the URL decided, and the browser may have received an older query since
    # controls that callbacks have set since a query was last sent
    set_by_callback: set[str] = field(default_factory=set)
    url_written: bool = False  # a query was sent in this visit
    open_parts: list[str] = field(default_factory=list)  # the parts of the page that are being drawn, outermost first
    drawn: set[str] = field(default_factory=set)  # the controls that this run has drawn
    # settings that the open page has chosen itself: they are in its URL, and no other page has them
    stated: Query = field(default_factory=dict)
    # what widgets show that are no settings, such as the example sentence that is in the box
    marks: dict[str, object] = field(default_factory=dict)

    def enclosing_parts(self, name: str) -> tuple[str, ...]:
        """The parts of the page that contain the control being drawn; a part that runs alone only knows its own."""
        now, last = tuple(self.open_parts), self.controls.get(name)
        return last.parts if last is not None and last.parts[-len(now) :] == now else now

    def end_run(self, part: str = "") -> None:
        """Mark as removed what this run of the page, or of one part, did not draw again."""
        for name, control in self.controls.items():
            if name not in self.drawn and (not part or part in control.parts):
                self.controls[name] = replace(control, removed=True)

    def begin_run(self, page: str, query: Query, history_navigation: bool, widget_values: dict[str, object]) -> None:
        """Begin a run of `page`, requested with `query`, which wins if this visit did not write it.

        Args:
            history_navigation: the browser went back or forward, so the query wins in any case.
            widget_values: what the browser's widgets show now.
        """
        other_page, self.page = page != self.page, page
        self.stated.clear()
        if other_page:
            self.controls.clear()
            widget_values = {}
        widget_values = self.marks | widget_values
        sent = [key for key, _ in self.sent]
        late = [] if other_page else self.abandoned
        known = comparable(query) in (*sent, *late)
        if history_navigation or not (known or self.take_component_choices(query)):
            self.adopt(query)
            self.sent = [(comparable(query), widget_values)]
            self.abandoned = [*self.abandoned, *sent][-MOST_SENT:]
            self.must_send = bool(self.abandoned)
        self.receive(query)

    def take_component_choices(self, query: Query) -> bool:
        """Store what components have written into a query that was sent; False if the query differs in anything else.

        The browser writes a choice there before the server knows it (`web/src/page/history.ts`).
        """
        names = {name for name, control in self.controls.items() if control.in_component}
        key = comparable(query)
        for position, (sent, values) in reversed([*enumerate(self.sent)]):
            written = {name for name, _ in {*key} ^ {*sent}}
            if written and written <= names:
                for name in written:
                    self.store_of(name).pop(name, None)
                    if name in query:
                        self.store_of(name)[name] = query[name]
                self.sent.insert(position + 1, (key, values))
                return True
        return False

    def receive(self, query: Query) -> None:
        """Note the query that the browser sent: it has received this one and will not send older ones again."""
        self.received = comparable(query)
        position = next((position for position, (key, _) in enumerate(self.sent) if key == self.received), 0)
        self.sent = self.sent[position:][-MOST_SENT:]

    def may_show(self, name: str, value: object) -> bool:
        """Whether the browser may still show `value` in a widget because the server set it: then no user chose it."""
        if self.sent and self.sent[0][0] == self.received:
            return self.browser_value(name) == value
        return any(values.get(name) == value for _, values in self.sent)

    @property
    def awaits_history_answer(self) -> bool:
        """True from Back or Forward until the browser has received the answer."""
        return any(name == MOVED for name, _ in self.received)

    def browser_value(self, name: str) -> object:
        """The value that a control shows in the browser, by the query it sent; None if it shows nothing."""
        current = self.sent and (self.sent[0][0] == self.received or self.received in self.abandoned)
        values = self.sent[0][1] if current else {}
        return values.get(name, self.controls[name].value if name in self.controls else self.marks.get(name))

    def adopt(self, query: Query) -> None:
        """Take settings from a query. A whole one replaces all settings; one without a sentence only those it names."""
        query = to_current({name: raw for name, raw in _bounded(query).items() if name != MOVED})
        shared = {name: raw for name, raw in query.items() if name in SHARED}
        own = {name: raw for name, raw in query.items() if name not in SHARED}
        if TEXT in query:
            self.shared, self.own[self.page] = shared, own
        else:
            self.shared |= shared
            self.own[self.page] = self.own.get(self.page, {}) | own

    def store_of(self, name: str) -> Query:
        """The dictionary that holds a setting: the shared one, or the open page's."""
        return self.shared if name in SHARED else self.own.setdefault(self.page, {})

    def store(self, name: str, value: object) -> None:
        """Store a control's value. A default that never varies is not stored, so that it is not in the URL."""
        if name in self.stated:
            self.store_stated()
        control = self.controls[name]
        if value == control.default and not control.varies:
            self.store_of(name).pop(name, None)
        else:
            self.store_of(name)[name] = control.codec.write(value)

    def set_value(self, name: str, value: object, drawn: bool) -> None:
        """Store a value that was set by a callback; `drawn`: its control is a widget on the page."""
        if drawn:
            self.set_by_callback.add(name)
        if name in self.stated:
            self.store_stated()
        if name in self.controls:
            self.store(name, value)
        else:
            self.store_of(name)[name] = (
                AnyOf(value).write(value) if isinstance(value, list) else AnyText().write(str(value))
            )

    def store_stated(self) -> None:
        """Store what the page has chosen itself, when the user changes a part of it."""
        for name, raw in self.stated.items():
            self.store_of(name).setdefault(name, raw)
        self.stated.clear()

    def take_user_change(self, name: str, current: object) -> None:
        """Store `current`, which the browser reports for a control, if the user has set it.

        A value that the browser already displayed is not a user change: it keeps sending the old value until it
        receives the new one. What the user did set remains on the screen, whatever queries the browser receives later.
        """
        control = self.controls[name]
        if name in self.set_by_callback or current == self.browser_value(name):
            return
        if current != control.value and (valid := control.codec.valid(current)) is not None:
            self.store(name, valid)
        for _, values in self.sent:
            values[name] = current

    def resolve(self, name: str, codec: Codec[T], default: T, varies: bool) -> T:
        """The value that a control is to show.

        A stored value that is invalid is removed, unless it is shared and another page may be able to show it.
        """
        store = self.store_of(name)
        raw = store.get(name)
        if raw is None:
            return default
        value = codec.read(raw)
        if value is None and name in self.controls:  # its limits or options have changed
            value = codec.valid(self.controls[name].value)
            if value is not None:
                store[name] = codec.write(value)
        if value is None:
            if not (varies and name in SHARED):
                del store[name]
            return default
        return value

    def query(self) -> Query:
        """All settings that hold on the open page, as a URL query, the sentence first."""
        stored = self.stored_query()
        return stored | {name: raw for name, raw in self.stated.items() if name not in stored}

    def stored_query(self) -> Query:
        """`query` without what the page has chosen itself."""
        own = self.own.get(self.page or "", {})
        text = {TEXT: (_shortened(self.shared[TEXT][-1]),)} if TEXT in self.shared else {}
        return text | {name: raw for name, raw in (self.shared | own).items() if name != TEXT}

    def next_query(self) -> Query | None:
        """The query to send to the browser, which counts as sent; None if it certainly shows that one already.

        The first is always sent: until then the browser sends whatever its URL contains, which includes what components
        write there before the server knows (`web/src/page/history.ts`).
        """
        first, self.url_written = not self.url_written, True
        self.set_by_callback.clear()
        query = self.query()
        key = comparable(query)
        last = self.sent[-1][0] if self.sent else None
        if key == last:
            self.sent.pop()
        self.sent.append((key, self.marks | {name: control.value for name, control in self.controls.items()}))
        must_send, self.must_send = self.must_send, False
        return None if key == self.received == last and not must_send and not first else query


def comparable(query: Mapping[str, Raw]) -> QueryKey:
    """A query in a form to compare: the order of names does not count."""
    return tuple(sorted((name, tuple(raw)) for name, raw in query.items()))


def _bounded(query: Query) -> Query:
    """The query without parameters that no page could have written; of a list that is too long its first members."""
    fitting = {
        name: raw if name == TEXT else _cut(raw) for name, raw in query.items() if name == TEXT or _NAME.fullmatch(name)
    }
    fitting = {name: raw for name, raw in fitting.items() if raw}
    return dict(list(fitting.items())[:MOST_NAMES]) | {name: fitting[name] for name in (TEXT,) if name in fitting}


def _cut(raw: Raw) -> Raw:
    """Values of a parameter, a list cut after the last whole member that fits; empty if nothing fits."""
    if sum(map(len, raw)) <= LONGEST_VALUE:
        return raw
    members = raw[0][:LONGEST_VALUE].rpartition(MEMBERS_END)[0] if len(raw) == 1 else ""
    return (members,) if members else ()


def _shortened(text: str) -> str:
    """The text, cut to `LONGEST_TEXT` characters in the URL's encoding."""
    quoted = quote_plus(text)
    if len(quoted) <= LONGEST_TEXT:
        return text
    return unquote_plus(re.sub("%.?$", "", quoted[:LONGEST_TEXT]), errors="ignore")


# Convert settings in URLs that earlier versions wrote. This happens once, when a URL is read.
#
# In earlier versions a value was the label on the screen; now it is an id.

_KINDS = ("encoder", "decoder", "cross", "vision")
_CLASSES = (  # of the classifier
    *("tench", "English springer", "cassette player", "chain saw", "church"),
    *("French horn", "garbage truck", "gas pump", "golf ball", "parachute"),
)

# Settings whose old values become ids by their spelling: lower case, with hyphens for all but letters and digits.
SPELLED = frozenset(
    (
        *("method", "kind", "scale", "part", "nodes", "axis", "inside", "projection", "stack", "undone", "view"),
        *("measure", "vasks", "change", "masks", "mask", "method_shown", "numbers", "facet", "form", "curve", "where"),
        *("look", "units", "marks", "vision_query_piece", "of", "sort", "vsort", "do", "vdo"),
        *(f"{kind}{what}" for kind in _KINDS for what in ("mask", "_key_piece")),
    )
)

# name of the setting -> old value -> id, for other settings
VALUES: dict[str, dict[str, str]] = {
    # every page
    "scale": {"Per head": "own", "Per map": "own", "Logarithmic": "log"},
    # pages/decoding, pages/loss and pages/tokens
    "part": {
        "One word, many contexts": "contexts",
        "Piece by piece": "token-by-token",
        "Smoothing and gradient": "smoothing-gradient",
    },
    # pages/lessons
    "lesson": {"tokens-sizes": "tokens-step-by-step"},
    # pages/decoding
    "nodes": {"All considered": "all"},
    # pages/loss
    "scored": {"Your target": "target", "Five given pieces": "five"},
    # pages/inside and pages/tokens
    "step": {
        "1 Pieces": "tokens",
        "2 Ids": "ids",
        "3 Embedding rows": "rows",
        "4 \u00d7 \u221ad_model": "scaled",
        "5 + position": "positions",
        "1 Q, K, V": "projections",
        "2 Q K\u1d40": "products",
        "3 \u00f7 \u221ad\u2096": "scores",
        "4 Mask": "masked",
        "5 Softmax": "weights",
        "6 \u00d7 V": "output",
        "7 Concat, W\u2092": "sublayer-output",
    },
    # pages/vision
    "view": {"CLS attention": "cls", "Through the layers": "layers"},
    "explain": {"the answer": "answer"} | {name: str(number) for number, name in enumerate(_CLASSES, 1)},
    "vasks": {"Every position": "all"},
    # pages/vision and pages/positions
    "change": {"Set to 0": "none"},
    # compare
    "b": {"Same sentence, changed": "changed", "Another sentence": "other"},
    "reads": {"Its own translation": "own", "The translation of A": "a"},
    **{f"{kind}mask": {"No causal mask": "none", "Forbid pieces": "forbid"} for kind in _KINDS},
    **{f"{kind}asks": {"every query": "every"} for kind in _KINDS},
    # attribution
    "erase": {"Deleting it": "delete", "Hiding it": "mask"},
    "method_shown": {
        "Cross-attention, last layer": "last-layer",
        "Cross-attention, all layers": "all-layers",
        "Value-weighted attention": "value-weighted",
        "Gradient relevance": "gradient",
    },
    "numbers": {"Each row by its largest": "by-largest"},
    # positions
    "facet": {"Table and curves": "table", "A basis": "basis", "In the trained model": "trained-model"},
    "form": {"Column index": "column"},
    "basis": {"Columns of the encoding": "columns", "Harmonics of the length": "harmonics"},
    # attention viewer
    "units": {"Pieces": "tokens", "Whole words": "words"},
    **{f"{kind}_key_piece": {"the strongest": "strongest"} for kind in _KINDS},
    # head ranking
    **dict.fromkeys(("shown", "vshown"), {"first in the list": "first"}),
    # changes of heads
    **dict.fromkeys(("do", "vdo"), {"Switch off": "ablate", "Force a look": "one-hot"}),
}

_NUMBERED = re.compile(r"([0-9]+) .*", re.DOTALL), r"\1"  # the position of a token, and the token
_PATCH = re.compile(r"row ([0-9]+), column ([0-9]+)"), r"\1-\2"
_HEAD = re.compile(r"([a-z]+) ([0-9]+)\.([0-9]+)"), r"\1-\2-\3"

# name of the setting -> pattern of old values -> id
PATTERNS: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    # attention viewer
    **{f"{kind}_{side}_piece": (_PATCH, _NUMBERED) for kind in _KINDS for side in ("query", "key")},
    # head ranking
    **dict.fromkeys(("shown", "vshown"), (_HEAD,)),
    # compare
    **{f"{kind}{what}": (_NUMBERED,) for kind in _KINDS for what in ("asks", "sees", "forbid")},
    # masks
    "sequence": ((re.compile(r"([0-9]+) \([0-9]+ long\)"), r"\1"),),
    # attribution and tokens
    **dict.fromkeys(("target_word", "near", "piece"), (_NUMBERED,)),
}


# settings that were separate from the one that every page now shares
RENAMED = {"try_beam": "beam", "try_penalty": "penalty"}


def to_current(query: Mapping[str, Raw]) -> dict[str, Raw]:
    """The query with the current names and values."""
    converted = {name: tuple(_value(name, value) for value in raw) for name, raw in query.items()}
    return {RENAMED[name]: raw for name, raw in converted.items() if name in RENAMED} | {
        name: raw for name, raw in converted.items() if name not in RENAMED
    }


def _value(name: str, value: str) -> str:
    if (id := VALUES.get(name, {}).get(value)) is not None:
        return id
    for pattern, id in PATTERNS.get(name, ()):
        if match := pattern.fullmatch(value):
            return match.expand(id)
    return re.sub("[^a-z0-9_]+", "-", value.lower()).strip("-") if name in SPELLED else value
