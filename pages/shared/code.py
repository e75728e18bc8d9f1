"""Code export: a section's computation as a short PyTorch program, with the user's own values, to be copied and run.

A program is a Python file, `assets/code/<page>/<section>.py`, or the lines of `model` that compute what the section
shows, see `pages.shared.shared_programs`. Lines that end in `# yours` assign default values; the page replaces them by
the current ones, which come from `VALUES` in `pages.shared.code_values` or from the arguments of `render_program`. A
program has 3 to 25 lines, not counting the blank ones that ruff requires around definitions. Where a section shows more
than fits, a further program has a fold of its own.
"""

from functools import lru_cache
from pathlib import Path

import streamlit as st

from pages.shared.shared_programs import SHARED, shared_program
from views.html.program import program_html
from views.shipped_files import ShippedFileError, read_shipped
from views.text import prose
from views.text.catalogue import say
from views.text.program_comments import with_translated_comments

FOLDER = Path(__file__).resolve().parents[2] / "assets" / "code"
YOURS = "  # yours"


def programs() -> list[tuple[str, str]]:
    """Return page and section of every program."""
    return sorted({*SHARED, *((path.parent.name, path.stem) for path in FOLDER.glob("*/*.py"))})


@lru_cache(maxsize=64)
def _lines(page: str, section: str) -> tuple[str, ...]:
    if (page, section) in SHARED:
        return tuple(shared_program(page, section, YOURS).splitlines())
    return tuple(read_shipped(FOLDER / page / f"{section}.py").decode("utf-8").splitlines())


def value_names(page: str, section: str) -> list[str]:
    """Return the names of the values that a section's program uses.

    Raises:
        OSError: the section has no program.
    """
    return [line.partition(" = ")[0] for line in _lines(page, section) if line.endswith(YOURS)]


def fill_program(page: str, section: str, **values: object) -> str:
    """Return a section's program with these values instead of its default ones.

    Raises:
        OSError: the section has no program.
        KeyError: one of its values is missing.
    """
    lines = list(_lines(page, section))
    for place, line in enumerate(lines):
        if line.endswith(YOURS):
            name = line.partition(" = ")[0]
            lines[place] = f"{name} = {values[name]!r}{YOURS}"
    return "\n".join(lines)


def render_program(page: str, section: str, title: str = "", /, **values: object) -> None:
    """Render a fold with the section's program; nothing without one, a notice where its file cannot be read.

    Args:
        title: of the fold, for a further program of the section.
    """
    try:
        text = fill_program(page, section, **values)
    except FileNotFoundError:
        return
    except ShippedFileError:
        st.caption(prose.ALTERED(file=f"{section}.py", folder=f"assets/code/{page}"))
        return
    except (OSError, UnicodeDecodeError):
        st.caption(prose.DAMAGED(file=f"{section}.py", folder=f"assets/code/{page}"))
        return
    same = say("code.title", "The same in PyTorch") if "torch" in text else say("code.python", "The same in Python")
    with st.expander(title or same):
        st.html(program_html(with_translated_comments(text), title or same))
