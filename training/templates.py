"""Fill the Markdown templates of cards, `training/cards/<name>.md`.

A placeholder is a field of `str.format`, such as `{evaluation[greedy][bleu]:.2f}`; the format `.1f %` shows a share as
a percentage. Lines between `<!-- if name -->` and `<!-- end -->` remain where the value `name` is there and not empty,
lines between `<!-- unless name -->` and `<!-- end -->` where it is not.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Formatter
from typing import Any

TEMPLATES = Path(__file__).parent / "cards"
MARK = re.compile(r"<!-- (?:(?P<word>if|unless) (?P<name>\S+)|end) -->")


class CardFormatter(Formatter):
    """Format fields as `str.format` does, and shares as percentages."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Format one value; after `.1f %`, 0.25 is `25.0 %`."""
        if format_spec.endswith(" %"):
            return f"{100 * value:{format_spec.removesuffix(' %')}} %"
        return super().format_field(value, format_spec)

    def has(self, name: str, values: Mapping[str, Any]) -> bool:
        """Whether a value is there and not empty."""
        try:
            return bool(self.get_field(name, (), values)[0])
        except (KeyError, AttributeError):
            return False


def fill(name: str, **values: Any) -> str:
    """Fill the template `training/cards/<name>.md`; the text has no line break at its end.

    Raises:
        KeyError: a placeholder has no value.
        ValueError: the ends do not fit the conditions.
    """
    return fill_text((TEMPLATES / f"{name}.md").read_text(encoding="utf-8"), values).removesuffix("\n")


def fill_text(template: str, values: Mapping[str, Any]) -> str:
    """Fill the text of a template; see `fill`."""
    formatter, retained, conditions = CardFormatter(), list[str](), list[bool]()
    for line in template.splitlines(keepends=True):
        mark = MARK.fullmatch(line.rstrip("\n"))
        if mark is None:
            if all(conditions):
                retained.append(line)
        elif mark["word"]:
            conditions.append(formatter.has(mark["name"], values) == (mark["word"] == "if"))
        elif conditions:
            conditions.pop()
        else:
            raise ValueError("A template has an end without a condition.")
    if conditions:
        raise ValueError("A template has a condition without an end.")
    return formatter.vformat("".join(retained), (), values)


def table_rows(rows: Iterable[Iterable[object]]) -> str:
    """Lines of a Markdown table, one for each row of cells."""
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


def table_header(columns: Iterable[str]) -> str:
    """The two lines above the rows of a Markdown table."""
    columns = list(columns)
    return f"| {' | '.join(columns)} |\n|{' --- |' * len(columns)}"
