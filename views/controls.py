"""Settings of single pages, kept in the address bar. Whatever the address holds, a valid value comes back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from views import literal


def forget_unless(key: str, fits: Callable[[object], bool]) -> None:
    """Let go of a setting that does not fit: one that another page keeps under the same name, of another kind."""
    if key in st.session_state and not fits(st.session_state[key]):
        del st.session_state[key]


def pick(
    label: str, options: Sequence[str], key: str, default: str = "", help: str | None = None, hidden: bool = False
) -> str:
    """One of a few options, as buttons in a row; the first one where nothing else is said.

    Args:
        hidden: show no label; it is still read to those who cannot see the page.
    """
    default = default or options[0]
    forget_unless(key, lambda kept: kept in options)
    chosen = st.segmented_control(
        label,
        options,
        default=default,
        required=True,
        key=key,
        bind="query-params",
        help=help,
        label_visibility="collapsed" if hidden else "visible",
    )
    return chosen if chosen in options else default


def select(label: str, options: Sequence[str], key: str, default: str = "") -> str:
    """One of many options, which may change with the sentence; the default, or the first, where the old one is gone."""
    default = default or options[0]
    forget_unless(key, lambda kept: kept in options)
    chosen = st.selectbox(label, options, options.index(default), key=key, bind="query-params")
    return chosen if chosen in options else default


def slider(label: str, key: str, default: int, low: int, high: int, step: int = 1, help: str | None = None) -> int:
    """A whole number from `low` to `high`; one that a change of the limits has put outside moves to the nearest."""
    default = min(max(default, low), high)
    forget_unless(key, lambda kept: isinstance(kept, int))
    kept = st.session_state.get(key)
    if isinstance(kept, int) and not low <= kept <= high:
        st.session_state[key] = min(max(kept, low), high)
    value = st.slider(label, low, high, default, step, key=key, bind="query-params", help=help)
    if not isinstance(value, int) or not low <= value <= high:
        return default
    return value - (value - low) % step  # an address may hold a number between two steps


def decimal(label: str, key: str, default: float, low: float, high: float, step: float) -> float:
    """A decimal number from `low` to `high`; whatever else the address holds counts as the default."""
    forget_unless(key, lambda kept: isinstance(kept, float))
    value = st.slider(label, low, high, default, step, key=key, bind="query-params")
    return value if isinstance(value, float) and low <= value <= high else default


def number(label: str, key: str, default: float, low: float, high: float, step: float = 1, **options):
    """A number to type; outside its range it counts as the default. `options` go to `st.number_input`."""
    options = {"width": 130} | options
    value = st.number_input(
        label, min_value=low, max_value=high, value=default, step=step, key=key, bind="query-params", **options
    )
    return value if value is not None and low <= value <= high else default


def text(label: str, key: str, default: str, placeholder: str = "", help: str | None = None) -> str:
    """A line of text, without characters that UTF-8 cannot carry. Who uses it checks the rest."""
    kept = st.session_state.get(key)
    if isinstance(kept, str) and kept != literal.without_surrogates(kept):
        st.session_state[key] = literal.without_surrogates(kept)
    typed = st.text_input(label, default, key=key, bind="query-params", placeholder=placeholder, help=help)
    return literal.without_surrogates(typed or "")


def several(label: str, options: Sequence[str], key: str, default: Sequence[str] = (), help: str | None = None):
    """Any of some options, which may change with the sentence; those that are gone are forgotten. Returns a list."""
    kept = st.session_state.get(key)
    if isinstance(kept, list) and not set(kept) <= set(options):
        st.session_state[key] = [option for option in kept if option in options]
    chosen = st.multiselect(label, options, list(default), key=key, bind="query-params", help=help)
    return [option for option in chosen if option in options]


def toggles(label: str, options: Sequence[str], key: str, default: Sequence[str] = ()) -> list[str]:
    """Any of a few options as buttons that stay pressed, behind their label in one row."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(label, width=64)
        chosen = st.pills(
            label,
            options,
            selection_mode="multi",
            default=list(default),
            key=key,
            bind="query-params",
            label_visibility="collapsed",
            width="content",
        )
    return [option for option in chosen if option in options]
