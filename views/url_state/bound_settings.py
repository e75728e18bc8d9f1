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
from .session_state import LANGUAGE, SHARED, TEXT, DrawnControl, Query, SessionSettings, comparable

_SESSION_KEY = "settings"  # in the session
_MISSING = object()


@contextmanager
def page_run(name: str, text: str) -> Iterator[None]:
    """Surround a run of the page called `name`.

    Args:
        text: the sentence, until a person writes another.
    """
    visitor = _session()
    moved = streamlit_internals.is_history_navigation()
    on_screen = {key: st.session_state[key] for key in _widget_names(visitor)}
    if name != visitor.page:
        for key in on_screen:  # another page may have another control under the same name
            del st.session_state[key]
    elif not moved:
        _take_user_changes()
    visitor.arrive(name, _browser_query(), moved, on_screen)
    visitor.shared.setdefault(TEXT, (text,))
    visitor.drawn.clear()
    visitor.within.clear()
    with catalogue.using_language(language()), _writing_url():
        yield
        visitor.leave()


def history_target(name: str) -> str | None:
    """The page that the reader went back or forward to, where the browser still asks for the one called `name`.

    Until it has heard an answer, the browser shows the page that was left; a click there asks for that page again.
    """
    visitor = _session()
    return (
        visitor.page
        if name != visitor.page and visitor.waits and comparable(_browser_query()) == visitor.heard
        else None
    )


@contextmanager
def part_run(name: str) -> Iterator[None]:
    """Surround a run of the part of the page called `name`, by itself.

    Where the message that asked for it also set a control outside the part, the whole page runs instead.
    """
    visitor = _session()
    outside = [key for key in _widget_names(visitor) if name not in visitor.shown[key].within]
    if any(st.session_state[key] != visitor.shown[key].value for key in outside):
        st.rerun()
    _take_user_changes()
    visitor.drawn.clear()
    with catalogue.using_language(language()), _writing_url(), open_part(name):
        yield
        visitor.leave(name)


@contextmanager
def open_part(part: str) -> Iterator[None]:
    """Surround the drawing of a part."""
    around = _session().within
    before = len(around)
    around.append(part)
    try:
        yield
    finally:
        del around[before:]


@contextmanager
def _writing_url() -> Iterator[None]:
    """At the end, write the address. A run that another one replaces leaves that to it: the reader may be elsewhere."""
    try:
        yield
    except Exception:  # an error in the page
        _write_url()
        raise
    _write_url()


def language() -> str:
    """The reader's language: the one that was chosen, else the one that the browser asks for."""
    return _language(_session().shared)


def pending_language() -> str:
    """`language()` as it will be in `page`, for the menu, which is drawn before it is known which page is open."""
    chosen = _session().shared if LANGUAGE in _session().put else _session().shared | _browser_query()
    return _language(chosen)


def _language(chosen: Query) -> str:
    named = chosen.get(LANGUAGE, ("",))[-1]
    return named if named in catalogue.languages() else catalogue.nearest_language(st.context.locale)


def stop() -> NoReturn:
    """End the run here, with the address written: after `st.stop` nothing more can be."""
    _write_url()
    st.stop()


def control(name: str, codec: Codec, default: object, draw: Callable[[], object], varies: bool = False):
    """Draw a control and return its value, which is valid whatever the address holds.

    Args:
        name: in the address, and the control's key.
        default: its value until a person chooses.
        draw: makes the control with `name` as its key and no value of its own; returns its value.
        varies: what it offers, or its default, depends on the page or on the sentence.
    """
    visitor = _session()
    last, now = visitor.shown.get(name), DrawnControl(None, codec, default, varies, within=visitor.stands(name))
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
    carried = streamlit_internals.reported_widget_id(name) if new and not visitor.waits else None
    # What the answer to Back shows may still be on its way: it would take the place of what was typed meanwhile.
    if carried is None and (
        current is _MISSING or current != value or last is None or last.codec != codec or visitor.waits
    ):
        st.session_state[name] = value
    found = codec.valid(draw())
    visitor.shown[name] = replace(now, value=value)
    if carried is not None and found != value:
        if found is None or not streamlit_internals.is_drawn(carried):
            # With other limits or options it is another control, which begins with a value of its own.
            visitor.put.add(name)
            st.rerun()
        visitor.record(name, found)
        visitor.shown[name] = replace(now, value=found)
    return value if found is None else found


def component_setting(name: str, codec: Codec, default: object, varies: bool = False):
    """The value of a setting whose control a component draws: it is set by `choose`. Arguments as of `control`."""
    visitor = _session()
    value = visitor.chosen(name, codec, default, varies)
    visitor.drawn.add(name)
    visitor.shown[name] = DrawnControl(value, codec, default, varies, inside=True, within=visitor.stands(name))
    return value


def set_value(name: str, value: object) -> None:
    """Set a control from a callback, drawn or not."""
    visitor = _session()
    drawn = name in st.session_state and not (name in visitor.shown and visitor.shown[name].inside)
    visitor.choose(name, value, drawn)
    if drawn:
        st.session_state[name] = value


def current_value(name: str):
    """What a control of the open page shows or, once it has been set from a callback, will show."""
    visitor = _session()
    shown = visitor.shown[name]
    return visitor.chosen(name, shown.codec, shown.default, shown.varies)


def pending_value(name: str, codec: Codec, default: object):
    """What a control that is not drawn yet will show."""
    return _session().chosen(name, codec, default, False)


def stored_text(name: str) -> str:
    """A text of the open page that no control shows; empty where there is none."""
    return _session().place(name).get(name, ("",))[-1]


def store_text(name: str, text: str) -> None:
    """Keep such a text; an empty one leaves the address."""
    place = _session().place(name)
    if text:
        place[name] = (text,)
    else:
        place.pop(name, None)


def browser_value(name: str) -> object:
    """What a control shows in the browser that sent the last message, which may be a step behind; None if nothing."""
    visitor = _session()
    visitor.hear(_browser_query())
    return visitor.on_screen(name)


def shared_query() -> dict[str, str | list[str]]:
    """What every page shares, for links to other pages; the sentence is always among it."""
    return _to_params({name: raw for name, raw in _session().address().items() if name in SHARED})


def view_query() -> dict[str, str | list[str]]:
    """The whole view, for a link to it."""
    return _to_params(_session().address())


def _take_user_changes() -> None:
    """Take over what was set in any control, drawn in this run or not: Streamlit may forget it after the run."""
    visitor = _session()
    visitor.hear(_browser_query())
    for name in _widget_names(visitor):
        visitor.take(name, st.session_state[name])


def _widget_names(visitor: SessionSettings) -> list[str]:
    """The settings that Streamlit's controls show: of others it may still hold an old value."""
    return [
        name
        for name, shown in visitor.shown.items()
        if name in st.session_state and not shown.inside and not shown.gone
    ]


def _session() -> SessionSettings:
    if _SESSION_KEY not in st.session_state:
        st.session_state[_SESSION_KEY] = SessionSettings()
        st.session_state[_SESSION_KEY].adopt(_browser_query())
    return st.session_state[_SESSION_KEY]


def _browser_query() -> Query:
    """The address as the browser told it."""
    return {name: tuple(st.query_params.get_all(name)) for name in st.query_params}


def _write_url() -> None:
    told = _session().tell()  # looking into the session ends a run that has been replaced, before anything is told
    if told is not None:
        st.query_params.from_dict(_to_params(told))


def _to_params(query: Query) -> dict[str, str | list[str]]:
    return {name: raw[0] if len(raw) == 1 else list(raw) for name, raw in query.items()}
