"""Settings that are bound to the URL: the value of every control, and the query in the browser's address bar.

A visit's settings are stored in `st.session_state` (`views.url_state.session_state`). A run begins with the query that
the browser sent: it wins if this visit did not write it, or after Back or Forward; otherwise the stored settings win.
At its end the run writes all settings to the URL, once; `web/src/page/history.ts` decides whether that makes a history
entry.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NoReturn, TypeVar

from ..streamlit_module import st
from ..text import catalogue
from .codecs import DIGITS, Codec, WholeNumber
from .session_state import LANGUAGE, SHARED, TEXT, DrawnControl, Query, SessionSettings, comparable

_SESSION_KEY = "settings"  # in `st.session_state`
_MISSING = object()

T = TypeVar("T")


@contextmanager
def page_run(name: str, text: str) -> Iterator[None]:
    """Context of one run of the page called `name`: read the query at the start, write it at the end.

    Args:
        text: the sentence, until the user types another.
    """
    from .. import streamlit_internals

    session = _session()
    history_navigation = streamlit_internals.is_history_navigation()
    widget_values = {key: st.session_state[key] for key in _widget_names(session)}
    if name != session.page:
        for key in widget_values:  # another page may have another control under the same name
            del st.session_state[key]
    elif not history_navigation:
        _take_user_changes()
    session.begin_run(name, _browser_query(), history_navigation, widget_values)
    session.shared.setdefault(TEXT, (text,))
    session.drawn.clear()
    session.open_parts.clear()
    with catalogue.using_language(language()), _writing_url():
        yield
        session.end_run()


def history_target(name: str) -> str | None:
    """The page that Back or Forward led to, if the browser still requests the one called `name`; else None.

    Until it has received the answer, the browser shows the page that was left; a click there requests that page again.
    The server drops such a request (`server.run_order`), but not after the browser has connected again.
    """
    session = _session()
    stale = name != session.page and session.awaits_history_answer and comparable(_browser_query()) == session.received
    return session.page if stale else None


@contextmanager
def part_run(name: str) -> Iterator[None]:
    """Context of a run of one part of the page alone, a Streamlit fragment.

    If the message that requested it also set a control outside the part, the whole page runs instead.
    """
    session = _session()
    outside = [key for key in _widget_names(session) if name not in session.controls[key].parts]
    if any(st.session_state[key] != session.controls[key].value for key in outside):
        st.rerun()
    _take_user_changes()
    session.drawn.clear()
    with catalogue.using_language(language()), _writing_url(), open_part(name):
        yield
        session.end_run(name)


@contextmanager
def open_part(name: str) -> Iterator[None]:
    """Context in which a part of the page is drawn: its controls are noted as belonging to it."""
    parts = _session().open_parts
    depth = len(parts)
    parts.append(name)
    try:
        yield
    finally:
        del parts[depth:]


@contextmanager
def _writing_url() -> Iterator[None]:
    """Write the URL at the end, also after an error in the page.

    A run that Streamlit replaces does not write it: the user may be on another page.
    """
    try:
        yield
    except Exception:
        _write_url()
        raise
    _write_url()


def language() -> str:
    """The user's language: the one that was chosen, else the one that the browser asks for."""
    return _language(_session().shared)


def pending_language() -> str:
    """`language()` as it will be in `page_run`, for the menu, which is drawn before the open page is known."""
    session = _session()
    return _language(session.shared if LANGUAGE in session.set_by_callback else session.shared | _browser_query())


def _language(query: Query) -> str:
    code = query.get(LANGUAGE, ("",))[-1]
    return code if code in catalogue.languages() else catalogue.nearest_language(st.context.locale)


def stop() -> NoReturn:
    """Write the URL and end the run: after `st.stop` nothing more can be written."""
    _write_url()
    st.stop()


def control(name: str, codec: Codec[T], default: T, draw: Callable[[], object], varies: bool = False) -> T:
    """Draw a widget and return its value, which is valid whatever the URL contains.

    Args:
        name: of the query parameter, and the widget's key.
        default: its value until the user changes it.
        draw: makes the widget with `name` as its key and without a value of its own; returns its value.
        varies: options or default depend on the page or on the sentence.
    """
    from .. import streamlit_internals

    session = _session()
    last = session.controls.get(name)
    now = DrawnControl(None, codec, default, varies, parts=session.enclosing_parts(name))
    session.drawn.add(name)
    discarded = last is not None and (last.in_component or last.removed)
    current = _MISSING if discarded else st.session_state.get(name, _MISSING)
    if current is not _MISSING:
        if last is not None:
            session.take_user_change(name, current)
        elif (valid := codec.valid(current)) is not None:
            session.controls[name] = now
            session.store(name, valid)
    value = session.resolve(name, codec, default, varies)
    # A browser that reconnects to another server reports widgets of which this server knows nothing.
    new = current is _MISSING and last is None and not session.url_written
    reported = streamlit_internals.reported_widget_id(name) if new and not session.awaits_history_answer else None
    # While the answer to Back is on its way, the widget must be set again: else what is typed meanwhile would be lost.
    if reported is None and (
        current is _MISSING or current != value or last is None or last.codec != codec or session.awaits_history_answer
    ):
        st.session_state[name] = value
    drawn = codec.valid(draw())
    session.controls[name] = replace(now, value=value)
    if reported is not None and drawn != value:
        if drawn is None or not streamlit_internals.is_drawn(reported):
            # With other limits or options it is another widget, which begins with a value of its own.
            session.set_by_callback.add(name)
            st.rerun()
        session.store(name, drawn)
        session.controls[name] = replace(now, value=drawn)
    return value if drawn is None else drawn


def component_setting(name: str, codec: Codec[T], default: T, varies: bool = False) -> T:
    """The value of a setting whose control a component draws; `set_value` sets it. Arguments as of `control`."""
    session = _session()
    value = session.resolve(name, codec, default, varies)
    session.drawn.add(name)
    parts = session.enclosing_parts(name)
    session.controls[name] = DrawnControl(value, codec, default, varies, in_component=True, parts=parts)
    return value


def set_value(name: str, value: object) -> None:
    """Set a setting from a callback, whether or not its control is on the page."""
    session = _session()
    drawn = name in st.session_state and not (name in session.controls and session.controls[name].in_component)
    session.set_value(name, value, drawn)
    if drawn:
        st.session_state[name] = value


def set_language(code: str) -> None:
    """Set the user's language from a callback; the address of every page has it from then on."""
    _session().set_value(LANGUAGE, code, drawn=True)  # before the open page is known: see `pending_language`


def current_value(name: str) -> Any:
    """The value of a control of the open page; after `set_value` in a callback the new one."""
    session = _session()
    control = session.controls[name]
    return session.resolve(name, control.codec, control.default, control.varies)


def pending_value(name: str, codec: Codec[T], default: T) -> T:
    """The value that a control will show that is not drawn yet."""
    return _session().resolve(name, codec, default, False)


def stored_text(name: str) -> str:
    """A text of the open page that is in the URL and in no control; empty if there is none."""
    return _session().store_of(name).get(name, ("",))[-1]


def stored_number(name: str) -> int:
    """Such a text as a whole number; 0 if there is none, or one that no page has stored."""
    return WholeNumber(0, 10**DIGITS - 1).read((stored_text(name),)) or 0


def store_text(name: str, text: str) -> None:
    """Store such a text; an empty one is removed from the URL."""
    store = _session().store_of(name)
    if text:
        store[name] = (text,)
    else:
        store.pop(name, None)


def own_names() -> set[str]:
    """The settings of the open page alone that are stored, with or without a control."""
    return set(_session().own.get(_session().page, {}))


def state_choice(name: str, *values: str) -> None:
    """Put into the URL of the open page what it has chosen itself, until the user changes it; no other page has it."""
    _session().stated[name] = values or ("",)


def store_stated() -> None:
    """Store, in a callback, what the page has put into its URL by `state_choice`."""
    _session().store_stated()


def mark(name: str, value: object) -> None:
    """Show `value` in a widget that is no setting; `chosen_value` tells what the user chooses there."""
    st.session_state[name] = _session().marks[name] = value


def chosen_value(name: str) -> Any:
    """What the user has chosen in a widget, in its callback; None if its value is one that the server has set before.

    Streamlit calls a callback also for a message that was sent before the browser received another value.
    """
    session = _session()
    session.receive(_browser_query())
    value = st.session_state.get(name)
    return None if session.may_show(name, value) else value


def shared_query() -> dict[str, str | list[str]]:
    """The settings that every page shares, for links to other pages; the sentence is always among them."""
    return _to_params({name: raw for name, raw in _session().stored_query().items() if name in SHARED})


def view_query() -> dict[str, str | list[str]]:
    """All settings of the open page, for a link to it."""
    return _to_params(_session().query())


def _take_user_changes() -> None:
    """Store what was set in any widget, drawn in this run or not: Streamlit may discard its value after the run."""
    session = _session()
    session.receive(_browser_query())
    for name in _widget_names(session):
        session.take_user_change(name, st.session_state[name])


def _widget_names(session: SessionSettings) -> list[str]:
    """The controls that are widgets of Streamlit: of others `st.session_state` may still hold an old value."""
    return [
        name
        for name, control in session.controls.items()
        if name in st.session_state and not control.in_component and not control.removed
    ]


def _session() -> SessionSettings:
    if _SESSION_KEY not in st.session_state:
        st.session_state[_SESSION_KEY] = SessionSettings()
        st.session_state[_SESSION_KEY].adopt(_browser_query())
    return st.session_state[_SESSION_KEY]


def _browser_query() -> Query:
    """The query that the browser sent."""
    return {name: tuple(st.query_params.get_all(name)) for name in st.query_params}


def _write_url() -> None:
    query = _session().next_query()  # reading the session ends a run that was replaced, before anything is written
    if query is not None:
        st.query_params.from_dict(_to_params(query))


def _to_params(query: Query) -> dict[str, str | list[str]]:
    return {name: raw[0] if len(raw) == 1 else list(raw) for name, raw in query.items()}
