"""Settings of single pages, kept in the address bar. Whatever the address holds, a valid value comes back.

The value of a control with options is the id of one; what the control says for it is in the reader's language. `looks`
go to Streamlit's own control.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, overload

import streamlit as st

from ..text.catalogue import Message, Untranslated
from ..url_state.bound_settings import component_setting, control
from ..url_state.codecs import AnyOf, AnyText, Decimal, OneOf, WholeNumber

# Ids, each with what the control says for it unless it speaks for itself.
Option = TypeVar("Option", bound=str)
Options = Sequence[Option] | Mapping[Option, str | Message | Untranslated]


def pick(
    label: str,
    options: Options[Option],
    key: str,
    default: str = "",
    help: str | None = None,
    hidden: bool = False,
    varies: bool = False,
    on_change: Callable[[], None] | None = None,
) -> Option:
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
            **_option_arguments(options, key),
            required=True,
            help=help,
            label_visibility="collapsed" if hidden else "visible",
            on_change=on_change,
        ),
        varies,
    )


@dataclass(frozen=True)
class Choice:
    """A setting with some options, which Streamlit draws on one page, a component on another. Fields as of `pick`."""

    label: str
    options: Options
    key: str
    default: str = ""
    help: str | None = None
    varies: bool = False

    @property
    def first(self) -> str:
        """The option that is chosen until a person chooses."""
        return self.default or next(iter(self.options))

    def pick(self) -> str:
        """Draw it as buttons in a row, and return what is chosen."""
        return pick(self.label, self.options, self.key, self.default, self.help, varies=self.varies)

    def select(self, **looks) -> str:
        """Draw it as a list to open, and return what is chosen. `looks` go to Streamlit's control."""
        return select(self.label, self.options, self.key, self.default, **looks)

    def inside(self) -> str:
        """What is chosen, where a component draws it and `settings.choose` takes what it tells."""
        return component_setting(self.key, OneOf(tuple(self.options)), self.first, self.varies)

    def said(self) -> list[tuple[str, str]]:
        """Its options, each with what is said for it."""
        said = _option_arguments(self.options, self.key)["format_func"]
        return [(id, said(id)) for id in self.options]


def select(label: str, options: Options[Option], key: str, default: str = "", **looks) -> Option:
    """One of many options, which may change with the sentence; the default, or the first, where the old one is gone."""
    offered = _option_arguments(options, key)
    first = default or next(iter(options))
    return control(key, OneOf(tuple(options)), first, partial(st.selectbox, label, **offered, **looks), varies=True)


def chips(label: str, options: Options, key: str) -> str:
    """One of several, such as tokens in a row, as buttons that wrap; the first where nothing else was chosen."""
    offered = _option_arguments(options, key)
    draw = partial(st.pills, label, **offered, required=True, label_visibility="collapsed")
    return control(key, OneOf(tuple(options)), next(iter(options)), draw, varies=True)


def slider(
    label: str, key: str, default: int, low: int, high: int, step: int = 1, varies: bool = False, **looks
) -> int:
    """A whole number from `low` to `high`; one that a change of the limits has put outside moves to the nearest."""
    return control(
        key,
        WholeNumber(low, high, step, nearest=True),
        min(max(default, low), high),
        lambda: st.slider(label, low, high, step=step, key=key, **looks),
        varies,
    )


def decimal(label: str, key: str, default: float, low: float, high: float, step: float) -> float:
    """A decimal number from `low` to `high`; whatever else the address holds counts as the default."""
    return control(key, Decimal(low, high), default, lambda: st.slider(label, low, high, step=step, key=key))


@overload
def number(
    label: str, key: str, default: int, low: int, high: int, step: int = 1, varies: bool = False, **looks
) -> int: ...


@overload
def number(
    label: str, key: str, default: float, low: float, high: float, step: float = 1, varies: bool = False, **looks
) -> float: ...


def number(
    label: str, key: str, default: float, low: float, high: float, step: float = 1, varies: bool = False, **looks
) -> float:
    """A number to type, whole where `default` is; outside its range it counts as the default."""
    looks = {"width": 130} | looks
    return control(
        key,
        WholeNumber(low, high) if isinstance(default, int) else Decimal(low, high),
        default,
        lambda: st.number_input(label, min_value=low, max_value=high, step=step, key=key, **looks),
        varies,
    )


def text(label: str, key: str, default: str, placeholder: str = "", varies: bool = False, **looks) -> str:
    """A line of text, without characters that UTF-8 cannot carry. Who uses it checks the rest."""
    # No limit here: a box that ignores what is pasted explains nothing, while an answer states the count.
    return control(
        key, AnyText(), default, lambda: st.text_input(label, key=key, placeholder=placeholder, **looks) or "", varies
    )


def paragraphs(label: str, key: str, default: str, **looks) -> str:
    """Several lines of text, otherwise as `text`."""
    return control(key, AnyText(), default, lambda: st.text_area(label, key=key, **looks) or "")


def multiselect(label: str, options: Options, key: str, default: Sequence[str] = ()) -> list[str]:
    """Any of some options, which may change with the sentence; those that are gone are forgotten."""
    offered = _option_arguments(options, key)
    return control(key, AnyOf(tuple(options)), list(default), partial(st.multiselect, label, **offered), varies=True)


def toggles(label: str, options: Options, key: str, default: Sequence[str] = ()) -> list[str]:
    """Any of a few options as buttons that stay pressed, behind their label in one row."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(label, width=64)
        looks = {"selection_mode": "multi", "label_visibility": "collapsed", "width": "content"}
        draw = partial(st.pills, label, **_option_arguments(options, key), **looks)
        return control(key, AnyOf(tuple(options)), list(default), draw)


def _option_arguments(options: Options, key: str) -> dict[str, object]:
    """What Streamlit's control is given: its options, what it says for each of them, and its key."""
    said = str
    if isinstance(options, Mapping):
        texts = {id: text if isinstance(text, str) else text() for id, text in options.items()}
        said = lambda id: texts.get(id, id)  # noqa: E731
    return {"options": tuple(options), "format_func": said, "key": key}
