"""Texts of a CSV file that a spreadsheet would run as a formula or turn into a date, time, number or truth value.

"5 a" becomes 5:00, "3 May" and "1-2" dates, "6 1/2" a number, "1e5" 100,000, and the text is lost when the file is
saved again. Spreadsheets do so in the language of their user, so the names of months are those of several languages.
A plain number, "12", "0.5" or "12.5 %", is left as it is: its value stays.
"""

import re

from ..text import literal

_FORMULA = re.compile(r"[=+\-@\uff1d\uff0b\uff0d\uff20]")  # the last four: the same signs in full width
_MONTHS = (
    "jan(uary|v|vier|uar|eiro)?|feb(ruary|ruar|rero)?|f[eé]vr?(ier|ereiro)?|mar(ch|s|zo|ço)?|m[aä]rz|mrz|apr(il|ile)?"
    "|avr(il)?|abr(il)?|may|mai|mayo|maio|mag(gio)?|june?|juni|juin|junio|junho|giu(gno)?|july?|juli|juil(let)?|julio"
    "|julho|lug(lio)?|aug(ust)?|ago(sto)?|ao[uû]t|sept?(ember|embre|iembre|tembre)?|set(embro|tembre)?"
    "|o[ck]t(ober|obre|ubre)?|out(ubro)?|ott(obre)?|nov(ember|embre|iembre|embro)?|de[cz](ember|embro)?|d[eé]c(embre)?"
    "|dic(iembre|embre)?|ene(ro)?|gen(naio)?"
)
_BETWEEN = r"[\s./,-]*"
_REWRITTEN = re.compile(
    "|".join(
        (
            rf"(\d+{_BETWEEN})?({_MONTHS})\.?({_BETWEEN}\d+)+(\s+\d+:\d+.*)?",  # 3 May 2020, MAR1, May-3
            rf"\d+{_BETWEEN}({_MONTHS})\.?",  # 3 May
            r"\d+\s*[./-]\s*\d+\s*[./-]\s*\d+\.?(\s.*)?",  # 1.2.2020, 2020-01-02T
            r"(\d+\s+)?\d+\s*[/-]\s*\d+",  # 1/2, 1-2, 6 1/2
            r"\d+\s*:\s*\d+.*",  # 5:00, 5:00 pm
            r"\d+\s*[apAP]\.?([mM]\.?)?",  # 5 a, 5 pm
            r"\d+\s*[\u5e74\u6708\u65e5\ub144\uc6d4\uc77c].*",  # year, month and day in Japanese, Chinese, Korean
            r"(\uc624\uc804|\uc624\ud6c4)\s*\d.*",  # a.m. and p.m. in Korean
            r"[\d.,]+\s*e\s*[+-]?\d+",  # 1e5
            r"0\d+(\.\d*)?|\d{16,}|\.\d+|\d+\.",  # 007, more digits than a number has, .5
            r"\d+([,' \u00a0\u202f\u2009]\d+)+([.,]\d+)?|\d+(\.\d{3}){2,}",  # 1,000, 5 000
            r"[$€£¥₩\uffe6]\s*[\d.,]+|[\d.,]+\s*[$€£¥₩\uffe6]|\(\s*[\d.,]+\s*\)|%\s*[\d.,]+",  # $5, (5)
            r"true|false|vrai|faux|wahr|falsch|verdadero|falso|vero|verdadeiro",
            r"#[\w/]+[!?]?",  # names of errors, #N/A
        )
    ),
    re.IGNORECASE,
)


def cell(value: object) -> object:
    """Escape a value for a table that a spreadsheet may open; numbers and harmless texts are not changed.

    A text that a spreadsheet would interpret, even after spaces, gets a leading apostrophe. One that begins with
    apostrophes gets one more, so that `text_of_cell` restores it. Signs of writing direction are for screens alone.
    """
    if not isinstance(value, str):
        return value
    text = literal.without_isolates(value)
    return f"'{text}" if is_interpreted(text) else text


def text_of_cell(cell: str) -> str:
    """The text that `cell` wrote."""
    return cell[1:] if cell.startswith("'") and is_interpreted(cell[1:]) else cell


def is_interpreted(text: str) -> bool:
    """Whether a spreadsheet would run `text` or show something else, or would if apostrophes before it were removed."""
    bare = text.lstrip("'").strip()
    return bool(_FORMULA.match(bare) or _REWRITTEN.fullmatch(bare))
