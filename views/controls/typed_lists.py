"""Read lists as users type or paste them: plain numbers, Python lists, and what NumPy and PyTorch print.

Spaces, commas and brackets separate items. Rows are the innermost brackets; outside brackets, lines. A semicolon ends a
row everywhere.
"""

import math
import re

_MODULE = r"(?:torch|np|numpy|jnp|tf)\."
_CALL = rf"(?:{_MODULE})?(?:tensor|Tensor|LongTensor|IntTensor|FloatTensor|DoubleTensor|array|asarray|Size|list|tuple)"
_SCALAR = re.compile(rf"(?:{_CALL}|(?:{_MODULE})?(?:float|int|uint)\d*)\(\s*([^\s\[\](),;]+)\s*\)")  # np.float64(0.2)
_PREFIX = re.compile(r"^\s*(?:>>>\s*)?(?:[A-Za-z_]\w*\s*=\s*)?")  # of a pasted line: `>>> data = `
_NAME = re.compile(rf"{_CALL}\s*(?=[\[({{])")
_OPTION = re.compile(
    r"(?:,\s*|\b)(?:dtype|device|requires_grad|grad_fn|layout)\s*=\s*(?:<[^>]*>|'[^']*'|\"[^\"]*\"|[\w.]+)"
)
_SIGNS = str.maketrans({"\u2212": "-", "\uff0c": ",", "\u3001": ",", "\uff1b": ";"})  # of typeset and Asian texts
_TOKENS = re.compile(r"[\[\](){}]|;|\n|[^\s\[\](){},;]+")
_DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,4})?")
_OPEN, _CLOSE, _LINE, _ROW = "[({", "])}", "\n", ";"


def split_rows(text: str) -> list[list[str]]:
    """Split a list or a list of lists into its rows of items.

    A pair of brackets that contains nothing is an empty row. Brackets that are not paired are separators like the
    others. Whether the items are numbers is the caller's business.
    """
    rows: list[list[str]] = []
    row: list[str] = []
    depth, empty = 0, False  # whether the last bracket opened and nothing followed

    def end_row() -> None:
        if row:
            rows.append(row.copy())
            row.clear()

    for token in _TOKENS.findall(_without_code(text)):
        if token in _OPEN:
            end_row()
            depth, empty = depth + 1, True
            continue
        if token in _CLOSE:
            if empty:
                rows.append([])
            end_row()
            depth = max(0, depth - 1)
        elif token == _ROW or (token == _LINE and not depth):
            end_row()
        elif token != _LINE:
            row.append(token)
        empty = empty and token == _LINE
    end_row()
    return rows


def read_decimals(items: list[str]) -> list[float]:
    """Convert items such as `0.2`, `-1`, `.5` and `1e-3`.

    Raises:
        ValueError: one is no finite number.
    """
    numbers = [float(item) if _DECIMAL.fullmatch(item) else math.nan for item in items]
    if not all(map(math.isfinite, numbers)):
        raise ValueError("One of the items is no finite number.")
    return numbers


def _without_code(text: str) -> str:
    """Remove what surrounds the brackets of a printed or assigned tensor."""
    text = _PREFIX.sub("", text.translate(_SIGNS).replace("\r\n", "\n").replace("\r", "\n"))
    return _OPTION.sub("", _NAME.sub("", _SCALAR.sub(r"\1", text)))
