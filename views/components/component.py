"""What components share: registration, fields of payloads, and checks of answers."""

import base64
import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np

from .. import palette
from ..controls import sentence_input
from ..streamlit_module import st
from ..text import literal
from ..text.catalogue import Message
from ..viewer import built_files

# A check of a value that the browser sent, which returns None if it is invalid, and the callback for valid values.
Handler = tuple[Callable[[Any], object], Callable[[Any], object]]


class Component:
    """A component, registered when it is first mounted.

    Args:
        name: of the component and of its module in web/src/views.
        root: CSS class of the element that its script fills.
    """

    def __init__(self, name: str, root: str) -> None:
        self._name, self._root = name, root

    @cached_property
    def _mount(self) -> Any:
        element = f'<div class="{self._root}"></div>\n<!-- filled by {self._name} -->'
        return st.components.v2.component(self._name, html=element, js=built_files.loader(self._name))

    def __call__(
        self,
        key: str,
        data: object,
        selection: object = None,
        exact: tuple[str, np.ndarray] | None = None,
        answer: object = None,
        changes: bytes | None = None,
        **handlers: Handler,
    ) -> None:
        """Mount the component. It also reports the page's theme when that differs from `sentence_input.theme()`.

        Args:
            data: the payload, see `views.viewer.payload`, or fields for a small component.
            selection: the user's selection, see `selection_mark`: the payload stays the same when that changes.
            exact: the selected numbers, see `exact_numbers_mark`.
            answer: to the component's last request, see `answer_mark`.
            changes: in the payload, which itself stays the same, see `changes_mark`; empty for none. A component that
                has any in some runs has this mark in all: at another place in its container the browser mounts it anew.
            handlers: by the name of a state or trigger of the component.
        """
        handlers["theme"] = partial(valid_option, names=("light", "dark")), sentence_input.remember_theme
        callbacks: dict[str, Any] = {
            f"on_{name}_change": partial(_forward, key, name, *handler) for name, handler in handlers.items()
        }
        if selection is None:
            self._mount(key=key, data=data, **callbacks)
            return
        with st.container(key=f"{key}-with-mark", gap=None):
            st.html(selection_mark(selection))
            if exact:
                st.html(exact_numbers_mark(*exact))
            if answer is not None:
                st.html(answer_mark(answer))
            if changes is not None:
                st.html(changes_mark(changes))
            self._mount(key=key, data=data, **callbacks)


def _forward(key: str, name: str, check: Callable[[Any], object], callback: Callable[[Any], object]) -> None:
    """Call `callback` with a valid answer, unless the component was removed while the answer was on its way."""
    if key in st.session_state and (answer := check(st.session_state[key].get(name))) is not None:
        callback(answer)


def selection_mark(selection: object) -> str:
    """The selection of a component as a hidden HTML element next to it, which its script watches."""
    return f'<span hidden data-chosen="{html.escape(json.dumps(selection, default=vars))}"></span>'


def answer_mark(answer: object) -> str:
    """The answer to a component's request as a hidden HTML element next to it: the payload stays the same."""
    return f'<span hidden data-answer="{html.escape(json.dumps(answer, default=vars))}"></span>'


def changes_mark(changes: bytes) -> str:
    """What differs from a component's payload as a hidden HTML element next to it: the rest is not sent again."""
    return f'<span hidden data-changes="{base64.b64encode(changes).decode()}"></span>'


def exact_numbers_mark(name: str, numbers: np.ndarray) -> str:
    """The selected numbers as float32, and a name for them, as a hidden HTML element next to a component.

    For a payload in which all numbers are rounded: the exact ones change with the selection, the payload does not.
    """
    encoded = base64.b64encode(numbers.astype("<f4").tobytes()).decode()
    return f'<span hidden data-exact="{html.escape(name)} {encoded}"></span>'


def header_fields(instance: object, **more: object) -> dict[str, object]:
    """The fields of a dataclass instance for a payload's header, without arrays, which are sent next to it.

    Args:
        more: further fields for the script, or other values of fields.
    """
    return {name: value for name, value in vars(instance).items() if not isinstance(value, np.ndarray)} | more


def translated(messages: Mapping[str, Message]) -> dict[str, str]:
    """The texts of a script in the user's language. The script fills their placeholders with `filled`."""
    return {name: message() for name, message in messages.items()}


def labels(names: Iterable[str]) -> list[str]:
    """Labels of tokens and positions as the browser writes them, without invisible characters."""
    return [literal.visible(literal.token(name)) for name in names]


def scales(kind: str, signed: bool = False) -> dict[str, tuple[str, ...]]:
    """The colours of a kind in both themes; the browser uses those of its theme."""
    return {"light": palette.colours(kind, "light", signed), "dark": palette.colours(kind, "dark", signed)}


def valid_cell(sent: object, rows: int, columns: int) -> tuple[int, int] | None:
    """A cell that the browser sent, as row and column; None if it is invalid: browsers can send anything."""
    if not isinstance(sent, (list, tuple)) or len(sent) != 2:
        return None
    row, column = sent
    return (row, column) if is_index(row, rows) and is_index(column, columns) else None


def valid_option(sent: object, names: Sequence[str]) -> str | None:
    """A name that the browser sent; None if it is not in `names`."""
    return sent if isinstance(sent, str) and sent in names else None


def is_index(sent: object, count: int) -> bool:
    """Whether a value that the browser sent is a whole number from 0 below `count`."""
    return type(sent) is int and 0 <= sent < count
