"""Settings in, settings out: what every control shows, and what the address bar says, come from here.

The visit keeps what a person has chosen (`views.url_state.session_state`). A run begins with the browser's address,
which decides if this visit did not write it or the reader went back or forward to it; otherwise what was chosen
decides. At
the end of the run the whole view is written to the address, once; `history.js` says whether that makes a new entry.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

import streamlit as st

from .. import streamlit_internals
from ..text import catalogue
from .codecs import Codec
from .session_state import LANGUAGE, SHARED, TEXT, Query, Shown, Visitor, as_seen

_VISITOR = "settings"  # in the session
_MISSING = object()


@contextmanager
def page(name: str, text: str) -> Iterator[None]:
    """Surround a run of the page called `name`.

    Args:
        text: the sentence, until a person writes another.
    """
    visitor = _visitor()
    moved = streamlit_internals.moved()
    on_screen = {key: st.session_state[key] for key in _drawn(visitor)}
    if name != visitor.page:
        for key in on_screen:  # another page may have another control under the same name
            del st.session_state[key]
    elif not moved:
        _take_deeds()
    visitor.arrive(name, _query(), moved, on_screen)
    visitor.shared.setdefault(TEXT, (text,))
    visitor.drawn.clear()
    visitor.within.clear()
    with catalogue.speaking(language()), _told():
        yield
        visitor.leave()


def elsewhere(name: str) -> str | None:
    """The page that the reader went back or forward to, where the browser still asks for the one called `name`.

    Until it has heard an answer, the browser shows the page that was left; a click there asks for that page again.
    """
    visitor = _visitor()
    return visitor.page if name != visitor.page and visitor.waits and as_seen(_query()) == visitor.heard else None


@contextmanager
def part(name: str) -> Iterator[None]:
    """Surround a run of the part of the page called `name`, by itself.

    Where the message that asked for it also set a control outside the part, the whole page runs instead.
    """
    visitor = _visitor()
    outside = [key for key in _drawn(visitor) if name not in visitor.shown[key].within]
    if any(st.session_state[key] != visitor.shown[key].value for key in outside):
        st.rerun()
    _take_deeds()
    visitor.drawn.clear()
    with catalogue.speaking(language()), _told(), within(name):
        yield
        visitor.leave(name)


@contextmanager
def within(part: str) -> Iterator[None]:
    """Surround the drawing of a part."""
    around = _visitor().within
    before = len(around)
    around.append(part)
    try:
        yield
    finally:
        del around[before:]


@contextmanager
def _told() -> Iterator[None]:
    """At the end, write the address. A run that another one replaces leaves that to it: the reader may be elsewhere."""
    try:
        yield
    except Exception:  # an error in the page
        _write()
        raise
    _write()


def language() -> str:
    """The reader's language: the one that was chosen, else the one that the browser asks for."""
    return _language(_visitor().shared)


def language_to_come() -> str:
    """`language()` as it will be in `page`, for the menu, which is drawn before it is known which page is open."""
    chosen = _visitor().shared if LANGUAGE in _visitor().put else _visitor().shared | _query()
    return _language(chosen)


def _language(chosen: Query) -> str:
    named = chosen.get(LANGUAGE, ("",))[-1]
    return named if named in catalogue.languages() else catalogue.nearest(st.context.locale)


def stop() -> NoReturn:
    """End the run here, with the address written: after `st.stop` nothing more can be."""
    _write()
    st.stop()


def control(name: str, codec: Codec, default: object, draw: Callable[[], object], varies: bool = False):
    """Draw a control and return its value, which is valid whatever the address holds.

    Args:
        name: in the address, and the control's key.
        default: its value until a person chooses.
        draw: makes the control with `name` as its key and no value of its own; returns its value.
        varies: what it offers, or its default, depends on the page or on the sentence.
    """
    visitor = _visitor()
    last, now = visitor.shown.get(name), Shown(None, codec, default, varies, within=visitor.stands(name))
    visitor.drawn.add(name)
    left = last is not None and (last.inside or last.gone)
    current = _MISSING if left else st.session_state.get(name, _MISSING)
    if current is not _MISSING:
        if last is not None:
            visitor.take(name, current)
        elif (valid := codec.valid(current)) is not None:
            visitor.shown[name] = now
            visitor.record(name, valid)
    value = visitor.chosen(name, codec, default, varies)
    new = current is _MISSING and last is None and not visitor.told
    carried = streamlit_internals.said_for(name) if new and not visitor.waits else None
    # What the answer to Back shows may still be on its way: it would take the place of what was typed meanwhile.
    if carried is None and (
        current is _MISSING or current != value or last is None or last.codec != codec or visitor.waits
    ):
        st.session_state[name] = value
    found = codec.valid(draw())
    visitor.shown[name] = replace(now, value=value)
    if carried is not None and found != value:
        if found is None or not streamlit_internals.drawn(carried):
            # With other limits or options it is another control, which begins with a value of its own.
            visitor.put.add(name)
            st.rerun()
        visitor.record(name, found)
        visitor.shown[name] = replace(now, value=found)
    return value if found is None else found


def inside(name: str, codec: Codec, default: object, varies: bool = False):
    """The value of a setting whose control a component draws: it is set by `choose`. Arguments as of `control`."""
    visitor = _visitor()
    value = visitor.chosen(name, codec, default, varies)
    visitor.drawn.add(name)
    visitor.shown[name] = Shown(value, codec, default, varies, inside=True, within=visitor.stands(name))
    return value


def choose(name: str, value: object) -> None:
    """Set a control from a callback, drawn or not."""
    visitor = _visitor()
    drawn = name in st.session_state and not (name in visitor.shown and visitor.shown[name].inside)
    visitor.choose(name, value, drawn)
    if drawn:
        st.session_state[name] = value


def value(name: str):
    """What a control of the open page shows or, once it has been set from a callback, will show."""
    visitor = _visitor()
    shown = visitor.shown[name]
    return visitor.chosen(name, shown.codec, shown.default, shown.varies)


def to_come(name: str, codec: Codec, default: object):
    """What a control that is not drawn yet will show."""
    return _visitor().chosen(name, codec, default, False)


def held(name: str) -> str:
    """A text of the open page that no control shows; empty where there is none."""
    return _visitor().place(name).get(name, ("",))[-1]


def hold(name: str, text: str) -> None:
    """Keep such a text; an empty one leaves the address."""
    place = _visitor().place(name)
    if text:
        place[name] = (text,)
    else:
        place.pop(name, None)


def on_screen(name: str) -> object:
    """What a control shows in the browser that sent the last message, which may be a step behind; None if nothing."""
    visitor = _visitor()
    visitor.hear(_query())
    return visitor.on_screen(name)


def shared() -> dict[str, str | list[str]]:
    """What every page shares, for links to other pages; the sentence is always among it."""
    return _plain({name: raw for name, raw in _visitor().address().items() if name in SHARED})


def address() -> dict[str, str | list[str]]:
    """The whole view, for a link to it."""
    return _plain(_visitor().address())


def _take_deeds() -> None:
    """Take over what was set in any control, drawn in this run or not: Streamlit may forget it after the run."""
    visitor = _visitor()
    visitor.hear(_query())
    for name in _drawn(visitor):
        visitor.take(name, st.session_state[name])


def _drawn(visitor: Visitor) -> list[str]:
    """The settings that Streamlit's controls show: of others it may still hold an old value."""
    return [
        name
        for name, shown in visitor.shown.items()
        if name in st.session_state and not shown.inside and not shown.gone
    ]


def _visitor() -> Visitor:
    if _VISITOR not in st.session_state:
        st.session_state[_VISITOR] = Visitor()
        st.session_state[_VISITOR].adopt(_query())
    return st.session_state[_VISITOR]


def _query() -> Query:
    """The address as the browser told it."""
    return {name: tuple(st.query_params.get_all(name)) for name in st.query_params}


def _write() -> None:
    told = _visitor().tell()  # looking into the session ends a run that has been replaced, before anything is told
    if told is not None:
        st.query_params.from_dict(_plain(told))


def _plain(query: Query) -> dict[str, str | list[str]]:
    return {name: raw[0] if len(raw) == 1 else list(raw) for name, raw in query.items()}
