"""Streamlit widgets whose values are settings in the URL. Each function draws one and returns its valid value.

The value of a widget with options is the id of one; the label that it shows for it is in the user's language.
`appearance` goes to Streamlit's own widget.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, TypedDict, TypeVar, overload

from ..streamlit_module import st
from ..text.catalogue import Message, Untranslated
from ..url_state.bound_settings import chosen_value, component_setting, control
from ..url_state.codecs import AnyOf, AnyText, Decimal, OneOf, WholeNumber

# Ids, or ids with their labels.
Option = TypeVar("Option", bound=str)
Options = Sequence[Option] | Mapping[Option, str | Message | Untranslated]


class _OptionArguments(TypedDict):
    options: tuple[str, ...]
    format_func: Callable[[str], str]
    key: str


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
    """One of a few options, as buttons in a row; the default is the first one unless another is named.

    Args:
        hidden: show no label; screen readers still read it.
        varies: options or default depend on the page or on the sentence.
        on_change: called when the user has chosen another option.
    """

    def on_message() -> None:
        if on_change and chosen_value(key) is not None:
            on_change()

    return control(
        key,
        OneOf(tuple(options)),
        _default_option(options, default),
        lambda: st.segmented_control(
            label,
            **_option_arguments(options, key),
            required=True,
            help=help,
            label_visibility="collapsed" if hidden else "visible",
            on_change=on_message if on_change else None,
        ),
        varies,
    )


@dataclass(frozen=True)
class Choice(Generic[Option]):
    """A setting with some options, drawn by a Streamlit widget or by a component. Fields as the arguments of `pick`."""

    label: str
    options: Options[Option]
    key: str
    default: str = ""
    help: str | None = None
    varies: bool = False

    @property
    def first(self) -> Option:
        """The option that is selected until the user chooses."""
        return _default_option(self.options, self.default)

    def pick(self) -> Option:
        """Draw it as buttons in a row and return the selected option."""
        return pick(self.label, self.options, self.key, self.default, self.help, varies=self.varies)

    def select(self, **appearance) -> Option:
        """Draw it as a drop-down list and return the selected option."""
        return select(self.label, self.options, self.key, self.default, **appearance)

    def in_component(self, default: str = "") -> Option:
        """The selected option, for a choice that a component draws and `bound_settings.set_value` sets.

        Args:
            default: the option until the user chooses, if it is one; otherwise `first`.
        """
        first = _default_option(self.options, default or self.default)
        return component_setting(self.key, OneOf(tuple(self.options)), first, self.varies)

    def labelled_options(self) -> list[tuple[Option, str]]:
        """Its options with their labels."""
        label = _option_arguments(self.options, self.key)["format_func"]
        return [(id, label(id)) for id in self.options]


def select(label: str, options: Options[Option], key: str, default: str = "", **appearance) -> Option:
    """One of many options, as a drop-down list. They may change with the sentence; an invalid value gives the default.

    The default is the first option unless another is named.
    """
    arguments = _option_arguments(options, key)
    first = _default_option(options, default)
    draw = partial(st.selectbox, label, **arguments, **appearance)
    return control(key, OneOf(tuple(options)), first, draw, varies=True)


def chips(label: str, options: Options[Option], key: str) -> Option:
    """One of several options, such as tokens in a row, as buttons that wrap; the first until the user chooses."""
    arguments = _option_arguments(options, key)
    draw = partial(st.pills, label, **arguments, required=True, label_visibility="collapsed")
    return control(key, OneOf(tuple(options)), next(iter(options)), draw, varies=True)


def slider(
    label: str, key: str, default: int, low: int, high: int, step: int = 1, varies: bool = False, **appearance
) -> int:
    """A whole number from `low` to `high`; a value outside limits that have changed moves to the nearest."""
    return control(
        key,
        WholeNumber(low, high, step, nearest=True),
        min(max(default, low), high),
        lambda: st.slider(label, low, high, step=step, key=key, **appearance),
        varies,
    )


def decimal(label: str, key: str, default: float, low: float, high: float, step: float) -> float:
    """A decimal number from `low` to `high`; any other value in the URL counts as the default."""
    return control(key, Decimal(low, high), default, lambda: st.slider(label, low, high, step=step, key=key))


@overload
def number(
    label: str, key: str, default: int, low: int, high: int, step: int = 1, varies: bool = False, **appearance
) -> int: ...


@overload
def number(
    label: str, key: str, default: float, low: float, high: float, step: float = 1, varies: bool = False, **appearance
) -> float: ...


def number(
    label: str, key: str, default: float, low: float, high: float, step: float = 1, varies: bool = False, **appearance
) -> float:
    """A number to type, whole where `default` is; outside its range it counts as the default."""
    appearance = {"width": 130} | appearance

    def draw() -> object:
        return st.number_input(label, min_value=low, max_value=high, step=step, key=key, **appearance)

    if isinstance(default, int):
        return control(key, WholeNumber(int(low), int(high)), default, draw, varies)
    return control(key, Decimal(low, high), default, draw, varies)


def text(label: str, key: str, default: str, placeholder: str = "", varies: bool = False, **appearance) -> str:
    """A line of text, without characters that UTF-8 cannot carry. The caller checks the rest."""
    # No length limit: a box that cuts what is pasted explains nothing, while the error of the caller states the count.
    draw = partial(st.text_input, label, key=key, placeholder=placeholder, **appearance)
    return control(key, AnyText(), default, lambda: draw() or "", varies)


def paragraphs(label: str, key: str, default: str, **appearance) -> str:
    """Several lines of text, otherwise as `text`."""
    return control(key, AnyText(), default, lambda: st.text_area(label, key=key, **appearance) or "")


def multiselect(label: str, options: Options, key: str, default: Sequence[str] = (), **appearance) -> list[str]:
    """Any of some options, which may change with the sentence; selected ones that no longer exist are dropped."""
    draw = partial(st.multiselect, label, **_option_arguments(options, key), **appearance)
    return control(key, AnyOf(tuple(options)), list(default), draw, varies=True)


def toggles(label: str, options: Options, key: str, default: Sequence[str] = (), varies: bool = False) -> list[str]:
    """Any of a few options as toggle buttons, after their label in one row."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.text(label, width=64)
        draw = partial(
            st.pills,
            label,
            **_option_arguments(options, key),
            selection_mode="multi",
            label_visibility="collapsed",
            width="content",
        )
        return control(key, AnyOf(tuple(options)), list(default), draw, varies)


def _default_option(options: Options[Option], default: str) -> Option:
    """The option that is called `default`, else the first."""
    return next((option for option in options if option == default), next(iter(options)))


def _option_arguments(options: Options[Option], key: str) -> _OptionArguments:
    """Arguments of a Streamlit widget: the options, the function that labels them, and the key."""
    labels: dict[str, str] = {}
    if isinstance(options, Mapping):
        labels = {id: label if isinstance(label, str) else label() for id, label in options.items()}
    return {"options": tuple(options), "format_func": lambda id: labels.get(id, id), "key": key}
