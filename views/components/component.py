"""What components share: how they are registered, the form of a payload, the first part of script and style."""

import base64
import html
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import streamlit as st

from .. import palette
from ..controls import sentence_input
from ..text import literal
from ..text.catalogue import Message

_FOLDER = Path(__file__).parent
FULL_PRECISION_BYTES = 1 << 18
_SHARED_FILES = {  # component -> parts of others that it uses
    "attention_grid": ["controls", "attention_map.map", "brushing"],
    "attention_lines": ["controls", "attention_grid.arranged", "brushing"],
    "attention_map": ["controls", "matrix_row.numbers", "brushing"],
    "head_list": ["controls", "attention_map.map", "matrix_row.numbers", "brushing"],
    "one_patch": ["controls", "matrix_row.numbers", "brushing"],
    "one_weight": ["controls", "brushing"],
    "patch_picture": ["controls", "brushing"],
}


class Component:
    """A component, registered once at import.

    Args:
        name: of the component and of its files.
        root: class of the element that its script fills.
    """

    def __init__(self, name: str, root: str) -> None:
        place = f'<div class="{root}"></div>\n<!-- filled by {name}.js -->'
        self._mount = st.components.v2.component(name, html=place, css=style(name), js=script(name))

    def __call__(
        self,
        key: str,
        data: object,
        marked: object = None,
        exact: tuple[str, np.ndarray] | None = None,
        **heard: tuple[Callable[[object], object], Callable[[Any], object]],
    ) -> None:
        """Mount it. It answers "light" or "dark" when the page's theme differs from what Python believes.

        Args:
            marked: what is chosen, see `mark`: the payload stays as it was when that changes.
            exact: its numbers, see `exactly`.
            heard: name under which the script answers -> what makes of an answer a valid one, or None, as browsers can
                send anything; and what takes it.
        """
        heard["theme"] = lambda sent: sent if sent in ("light", "dark") else None, sentence_input.remember_theme
        hear = {f"on_{name}_change": partial(_forward, key, name, *how) for name, how in heard.items()}
        if marked is None:
            self._mount(key=key, data=data, **hear)
            return
        with st.container(key=f"{key}-with-mark", gap=None):
            st.html(selection_mark(marked))
            if exact:
                st.html(exact_numbers_mark(*exact))
            self._mount(key=key, data=data, **hear)


def _forward(key: str, name: str, valid: Callable[[object], object], take: Callable[[Any], object]) -> None:
    """Hear an answer, unless its component has left with its page while the answer was on the way."""
    if key in st.session_state and (found := valid(st.session_state[key].get(name))) is not None:
        take(found)


def selection_mark(chosen: object) -> str:
    """What is chosen in a component, as HTML that stands beside it, where its script watches it."""
    return f'<span hidden data-chosen="{html.escape(json.dumps(chosen, default=vars))}"></span>'


def exact_numbers_mark(name: str, numbers: np.ndarray) -> str:
    """Numbers of what is chosen as float32, and what says which they are, as HTML beside a component.

    They are for a payload that has all of them rounded: they change with what is chosen, and the payload need not.
    """
    sent = base64.b64encode(numbers.astype("<f4").tobytes()).decode()
    return f'<span hidden data-exact="{html.escape(name)} {sent}"></span>'


def header_fields(shown: object, **more: object) -> dict[str, object]:
    """The fields of a dataclass for a payload's header: of an array its shape.

    Args:
        more: what else the script reads, or reads instead of a field.
    """
    described = {name: value.shape if isinstance(value, np.ndarray) else value for name, value in vars(shown).items()}
    return described | more


def pack(header: dict, *arrays: np.ndarray | None) -> bytes:
    """A payload as `unpack` in `shared.js` reads it: one block of bytes.

    A little-endian uint32 with the length of the header, the header as JSON padded with spaces to a multiple of four,
    then the arrays that there are, one behind the other. None that needs alignment may stand behind one that breaks it.
    """
    text = json.dumps(header, separators=(",", ":"), default=vars).encode()
    text += b" " * (-len(text) % 4)
    blocks = (np.ascontiguousarray(array).tobytes() for array in arrays if array is not None)
    return len(text).to_bytes(4, "little") + text + b"".join(blocks)


def pack_weights(weights: np.ndarray, exact_bytes: int = FULL_PRECISION_BYTES) -> tuple[str, np.ndarray]:
    """Attention weights in the form in which they travel, and its name for the header.

    Up to `exact_bytes` they are float32. Beyond that the lowest 8 of float32's bits are rounded away, which
    leaves 16 significant bits: three digits, and one more, of any weight however small.
    """
    exact = np.ascontiguousarray(weights, dtype="<f4")
    if exact.nbytes <= exact_bytes:
        return "float32", exact
    bits = exact.view("<u4") + np.uint32(0x80)
    return "float24", bits.view(np.uint8).reshape(-1, 4)[:, 1:]


def translated(messages: Mapping[str, Message]) -> dict[str, str]:
    """What a script says, in the reader's language; it fills the places in braces itself, with `filled`."""
    return {name: message() for name, message in messages.items()}


def labels(names: Iterable[str]) -> list[str]:
    """Labels of tokens and places as the browser writes them, with something to see in each."""
    return [literal.visible(literal.token(name)) for name in names]


def scales(kind: str, signed: bool = False) -> dict[str, tuple[str, ...]]:
    """The colours of a kind in both themes; the browser takes those of the theme it shows."""
    return {theme: palette.colours(kind, theme, signed) for theme in ("light", "dark")}


def script(name: str) -> str:
    """The script of a component: what all share, then its own; `<name>.<part>.js` are parts of a long one."""
    return _concatenated(name, "js")


def style(name: str) -> str:
    """The style sheet of a component: what all share, then its own."""
    return _concatenated(name, "css")


def _concatenated(name: str, ending: str) -> str:
    patterns = ("shared.*", *_SHARED_FILES.get(name, ()), f"{name}.*")
    own = [file for pattern in patterns for file in sorted(_FOLDER.glob(f"{pattern}.{ending}"))]
    files = (_FOLDER / f"shared.{ending}", *own, _FOLDER / f"{name}.{ending}")
    return "\n".join(file.read_text(encoding="utf-8") for file in files)


def valid_cell(chosen: object, rows: int, columns: int) -> tuple[int, int] | None:
    """What the browser sent as row and column, or None if it is no such cell: browsers can send anything."""
    if not isinstance(chosen, (list, tuple)) or len(chosen) != 2:
        return None
    return tuple(chosen) if all(map(is_index, chosen, (rows, columns))) else None


def valid_option(sent: object, names: Sequence[str]) -> str | None:
    """What the browser sent as one of some names, or None if it is none of them."""
    return sent if sent in names else None


def is_index(sent: object, count: int) -> bool:
    """Whether what a browser sent is one of the whole numbers from 0 below `count`."""
    return type(sent) is int and 0 <= sent < count
