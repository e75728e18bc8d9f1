"""What one visitor has set, beside what the browser is known to have seen of it.

Everything is kept as it stands in the address: names with strings. `Visitor` knows nothing of Streamlit.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote_plus, unquote_plus

from .codecs import AnyOf, AnyText, Codec, Raw
from .legacy_urls import to_current

# These hold on every page; whatever else a page has is its own and stands in its own address only.
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
    "present",  # the browser's alone: see presentation_mode.js
)
LANGUAGE = "lang"
# The browser's own word, never part of an address: it went back or forward, and has not heard an answer since. With its
# count of such steps, so that what it says of an address then differs from what it says of the same one later.
MOVED = "moved"
TEXT = "text"  # in every address that was written here: one without it is the beginning of an address, not a view

# What an address may hold of names that no control has claimed yet: those of a part of the page that is not open.
MOST_NAMES, LONGEST_VALUE = 80, 8_000
_NAME = re.compile(r"\w{1,40}", re.ASCII)
# Of the sentence, in the address. Proxies refuse addresses of more than 8 kB; 128 tokens always fit.
LONGEST_TEXT = 6_000
MOST_KNOWN = 50  # addresses that a browser may not have heard of yet

Query = dict[str, Raw]
QueryKey = tuple[tuple[str, Raw], ...]  # an address, to compare


@dataclass(frozen=True)
class DrawnControl:
    """A control as it was last drawn."""

    value: object
    codec: Codec
    default: object
    varies: bool  # what is offered, or shown first, depends on the page or on the sentence
    inside: bool = False  # a component draws it and tells what was chosen; no control of Streamlit's does
    within: tuple[str, ...] = ()  # the parts of the page that it stands in, the outermost first
    gone: bool = False  # the part was drawn again without it, and the browser has forgotten what it showed


@dataclass
class SessionSettings:
    """Settings of one visit.

    Attributes:
        page: the one that is open; None before the first.
        shared, own: the settings that were chosen, and for each page its own. What is not there has its default.
        shown: the controls of the open page.
        known: addresses the browser may still believe in, the oldest first, each with the values its controls show
            there: it sends the old one until it has heard of a new one.
    """

    page: str | None = None
    shared: Query = field(default_factory=dict)
    own: dict[str | None, Query] = field(default_factory=dict)
    shown: dict[str, DrawnControl] = field(default_factory=dict)
    known: list[tuple[QueryKey, dict[str, object]]] = field(default_factory=list)
    left: list[QueryKey] = field(default_factory=list)
    heard: QueryKey = ()  # the address that the browser believed in when it asked for this run
    unsure: bool = False  # the reader went elsewhere, and the browser may have heard of an older address since
    put: set[str] = field(default_factory=set)  # controls that callbacks have set since an address was written last
    told: bool = False  # an address was written in this visit
    within: list[str] = field(default_factory=list)  # the parts that are being drawn, the outermost first
    drawn: set[str] = field(default_factory=set)  # the controls that this run has drawn

    def stands(self, name: str) -> tuple[str, ...]:
        """The parts that a control stands in which is being drawn: a part that runs alone says no more than its own."""
        now, last = tuple(self.within), self.shown.get(name)
        return last.within if last is not None and last.within[-len(now) :] == now else now

    def leave(self, part: str = "") -> None:
        """End a run of a part, or of the page: what was drawn in it before and was not now is gone."""
        for name, shown in self.shown.items():
            if name not in self.drawn and (not part or part in shown.within):
                self.shown[name] = replace(shown, gone=True)

    def arrive(self, page: str, query: Query, moved: bool, on_screen: dict[str, object]) -> None:
        """Begin a run of `page`, asked for with the address `query`, which decides if this visit did not write it.

        Args:
            moved: the browser went back or forward, so the address decides in any case.
            on_screen: what the browser's controls show at this moment.
        """
        other_page, self.page = page != self.page, page
        if other_page:
            self.shown.clear()
            on_screen = {}
        told = [seen for seen, _ in self.known]
        late = [] if other_page else self.left
        if moved or comparable(query) not in (*told, *late):
            self.adopt(query)
            self.known = [(comparable(query), on_screen)]
            self.left = [*self.left, *told][-MOST_KNOWN:]
            self.unsure = bool(self.left)
        self.hear(query)

    def hear(self, query: Query) -> None:
        """The browser believes in this address, and will not believe in older ones again."""
        self.heard = comparable(query)
        place = next((place for place, (seen, _) in enumerate(self.known) if seen == self.heard), 0)
        self.known = self.known[place:][-MOST_KNOWN:]

    @property
    def waits(self) -> bool:
        """The browser went back or forward, and has not heard an answer since."""
        return any(name == MOVED for name, _ in self.heard)

    def on_screen(self, name: str) -> object:
        """What a control shows in a browser that believes in the address it sent; None if it shows nothing."""
        current = self.known and (self.known[0][0] == self.heard or self.heard in self.left)
        values = self.known[0][1] if current else {}
        return values.get(name, self.shown[name].value if name in self.shown else None)

    def adopt(self, query: Query) -> None:
        """Take over an address. A whole one says everything; the beginning of one changes what it names."""
        query = to_current({name: raw for name, raw in _bounded(query).items() if name != MOVED})
        shared = {name: raw for name, raw in query.items() if name in SHARED}
        own = {name: raw for name, raw in query.items() if name not in SHARED}
        if TEXT in query:
            self.shared, self.own[self.page] = shared, own
        else:
            self.shared |= shared
            self.own[self.page] = self.own.get(self.page, {}) | own

    def place(self, name: str) -> Query:
        """Where a setting is kept."""
        return self.shared if name in SHARED else self.own.setdefault(self.page, {})

    def record(self, name: str, value: object) -> None:
        """Take over a value that was chosen in a control; a default that is always the same needs no words."""
        shown = self.shown[name]
        if value == shown.default and not shown.varies:
            self.place(name).pop(name, None)
        else:
            self.place(name)[name] = shown.codec.write(value)

    def choose(self, name: str, value: object, drawn: bool) -> None:
        """Take over a value that something else than its control has chosen; `drawn`: the control is on the page."""
        if drawn:
            self.put.add(name)
        if name in self.shown:
            self.record(name, value)
        else:
            self.place(name)[name] = AnyOf(value).write(value) if isinstance(value, list) else AnyText().write(value)

    def take(self, name: str, current: object) -> None:
        """The browser says that a control shows `current`: take it over if a person has set it.

        What the browser has shown before is no deed: it sends the old value until it has heard of the new one. But what
        a person has set stays on the screen, whatever addresses the browser hears of later.
        """
        shown = self.shown[name]
        if name in self.put or current == self.on_screen(name):
            return
        if current != shown.value and (valid := shown.codec.valid(current)) is not None:
            self.record(name, valid)
        for _, values in self.known:
            values[name] = current

    def chosen(self, name: str, codec: Codec, default: object, varies: bool) -> object:
        """The value that a control is to show.

        What cannot be shown is forgotten, unless another page may still be able to.
        """
        place = self.place(name)
        raw = place.get(name)
        if raw is None:
            return default
        value = codec.read(raw)
        if value is None and name in self.shown:  # its limits or options have changed
            value = codec.valid(self.shown[name].value)
            if value is not None:
                place[name] = codec.write(value)
        if value is None:
            if not (varies and name in SHARED):
                del place[name]
            return default
        return value

    def address(self) -> Query:
        """The whole view, the sentence first."""
        own = self.own.get(self.page or "", {})
        text = {TEXT: (_shortened(self.shared[TEXT][-1]),)} if TEXT in self.shared else {}
        return text | {name: raw for name, raw in (self.shared | own).items() if name != TEXT}

    def tell(self) -> Query | None:
        """The address that the browser is to be told of; None if it surely believes in it already.

        The first one is always told: until then the browser sends whatever its address says, which is also what
        components write there before the server knows (`history.js`).
        """
        first, self.told = not self.told, True
        self.put.clear()
        address = self.address()
        seen = comparable(address)
        last = self.known[-1][0] if self.known else None
        if seen == last:
            self.known.pop()
        self.known.append((seen, {name: shown.value for name, shown in self.shown.items()}))
        unsure, self.unsure = self.unsure, False
        return None if seen == self.heard == last and not unsure and not first else address


def comparable(query: Mapping[str, Raw]) -> QueryKey:
    """An address, to compare: the order of names does not count."""
    return tuple(sorted((name, tuple(raw)) for name, raw in query.items()))


def _bounded(query: Query) -> Query:
    """Only what a page could have written."""
    fitting = {
        name: raw
        for name, raw in query.items()
        if name == TEXT or (_NAME.fullmatch(name) and sum(map(len, raw)) <= LONGEST_VALUE)
    }
    return dict(list(fitting.items())[:MOST_NAMES]) | {name: fitting[name] for name in (TEXT,) if name in fitting}


def _shortened(text: str) -> str:
    """As much of a text as an address can carry."""
    quoted = quote_plus(text)
    if len(quoted) <= LONGEST_TEXT:
        return text
    return unquote_plus(re.sub("%.?$", "", quoted[:LONGEST_TEXT]), errors="ignore")
