"""Settings of single pages, kept in the address bar. Whatever the address holds, a valid value comes back.

The value of a control with options is the id of one; what the control says for it is in the reader's language. `looks`
go to Streamlit's own control.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from views.address.codecs import AnyOf, Decimal, OneOf, Text, Whole
from views.address.settings import control

Options = Sequence[str] | Mapping[str, str]  # ids, each with what the control says for it unless it speaks for itself


def pick(
    label: str,
    options: Options,
    key: str,
    default: str = "",
    help: str | None = None,
    hidden: bool = False,
    varies: bool = False,
    on_change: Callable[[], None] | None = None,
) -> str:
    """One of a few options, as buttons in a row; the first one where nothing else is said.

    Args:
        hidden: show no label; it is still read to those who cannot see the page.
        varies: what is offered, or the default, depends on the page or on the sentence.
    """
    return control(
        key,
        OneOf(tuple(options)),
        default or next(iter(options)),
        lambda: st.segmented_control(
            label,
            tuple(options),
            format_func=_said(options),
            required=True,
            key=key,
            help=help,
            label_visibility="collapsed" if hidden else "visible",
            on_change=on_change,
        ),
        varies,
    )


def select(label: str, options: Options, key: str, default: str = "", **looks) -> str:
    """One of many options, which may change with the sentence; the default, or the first, where the old one is gone."""
    draw = lambda: st.selectbox(label, tuple(options), format_func=_said(options), key=key, **looks)  # noqa: E731
    return control(key, OneOf(tuple(options)), default or next(iter(options)), draw, varies=True)


def slider(
    label: str, key: str, default: int, low: int, high: int, step: int = 1, varies: bool = False, **looks
) -> int:
    """A whole number from `low` to `high`; one that a change of the limits has put outside moves to the nearest."""
    return control(
        key,
        Whole(low, high, step, nearest=True),
        min(max(default, low), high),
        lambda: st.slider(label, low, high, step=step, key=key, **looks),
        varies,
    )


def decimal(label: str, key: str, default: float, low: float, high: float, step: float) -> float:
    """A decimal number from `low` to `high`; whatever else the address holds counts as the default."""
    return control(key, Decimal(low, high), default, lambda: st.slider(label, low, high, step=step, key=key))


def number(
    label: str, key: str, default: float, low: float, high: float, step: float = 1, varies: bool = False, **looks
) -> float:
    """A number to type, whole where `default` is; outside its range it counts as the default."""
    looks = {"width": 130} | looks
    return control(
        key,
        Whole(low, high) if isinstance(default, int) else Decimal(low, high),
        default,
        lambda: st.number_input(label, min_value=low, max_value=high, step=step, key=key, **looks),
        varies,
    )


def text(label: str, key: str, default: str, placeholder: str = "", varies: bool = False, **looks) -> str:
    """A line of text, without characters that UTF-8 cannot carry. Who uses it checks the rest."""
    # No limit here: a box that ignores what is pasted explains nothing, while an answer states the count.
    return control(
        key, Text(), default, lambda: st.text_input(label, key=key, placeholder=placeholder, **looks) or "", varies
    )


def several(label: str, options: Options, key: str, default: Sequence[str] = ()) -> list[str]:
    """Any of some options, which may change with the sentence; those that are gone are forgotten."""
    draw = lambda: st.multiselect(label, tuple(options), format_func=_said(options), key=key)  # noqa: E731
    return control(key, AnyOf(tuple(options)), list(default), draw, varies=True)


def toggles(label: str, options: Options, key: str, default: Sequence[str] = ()) -> list[str]:
    """Any of a few options as buttons that stay pressed, behind their label in one row."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(label, width=64)
        return control(
            key,
            AnyOf(tuple(options)),
            list(default),
            lambda: st.pills(
                label,
                tuple(options),
                format_func=_said(options),
                selection_mode="multi",
                key=key,
                label_visibility="collapsed",
                width="content",
            ),
        )


def _said(options: Options) -> Callable[[str], str]:
    """What a control says for each of its options."""
    return (lambda id: options.get(id, id)) if isinstance(options, Mapping) else str
