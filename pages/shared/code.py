"""The same in PyTorch: what a part shows as a short program, with the reader's own values, to be copied and run.

Each program is a file of Python, `assets/code/<page>/<part>.py`. Lines that end in `# yours` are assignments of values
it ships with; the page puts the present ones in their place. They follow from `VALUES` in `pages.shared.code_values`,
or from what the part hands to `render_program` itself. A program has 3 to 25 lines, not counting the blank ones that
ruff wants around definitions. Where a part shows more than fits, a further program has a fold of its own.
"""

from functools import lru_cache
from pathlib import Path

import streamlit as st

from views.text import prose
from views.text.catalogue import say

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "code"
YOURS = "  # yours"


@lru_cache(maxsize=64)
def _lines(page: str, part: str) -> tuple[str, ...]:
    return tuple((FOLDER / page / f"{part}.py").read_text(encoding="utf-8").splitlines())


def value_names(page: str, part: str) -> list[str]:
    """The values that a part's program takes.

    Raises:
        OSError: the part has no program.
    """
    return [line.partition(" = ")[0] for line in _lines(page, part) if line.endswith(YOURS)]


def fill_program(page: str, part: str, **values: object) -> str:
    """A part's program with these values in the place of those it ships with.

    Raises:
        OSError: the part has no program.
        KeyError: one of its values is missing.
    """
    lines = list(_lines(page, part))
    for place, line in enumerate(lines):
        if line.endswith(YOURS):
            name = line.partition(" = ")[0]
            lines[place] = f"{name} = {values[name]!r}{YOURS}"
    return "\n".join(lines)


def render_program(page: str, part: str, title: str = "", **values: object) -> None:
    """A fold with the part's program; nothing for a part without one, a sentence where its file cannot be read.

    Args:
        title: of the fold, where it is no part's own program but a further one.
    """
    try:
        text = fill_program(page, part, **values)
    except FileNotFoundError:
        return
    except (OSError, UnicodeDecodeError):
        st.caption(prose.DAMAGED(file=f"{part}.py", folder=f"assets/code/{page}"))
        return
    same = say("code.title", "The same in PyTorch") if "torch" in text else say("code.python", "The same in Python")
    with st.expander(title or same):
        st.code(text, language="python")
