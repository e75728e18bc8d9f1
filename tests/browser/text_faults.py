"""Find faults of the Korean texts of an open page: what is cut or overlaps, and what is not Korean as it should be."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import Page

from views.text.catalogue import with_particle

_FIND = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
# a name, token or piece of code is between the first two, a formula is the third
_NAME = re.compile("\ufff9[^\ufffb]*\ufffb|\ufffc")
_PARTICLES = {form: pair for pair in ("은/는", "이/가", "을/를", "과/와", "으로/로") for form in pair.split("/")}
_VALUE = re.compile(
    rf"([0-9A-Za-z\u00c0-\u024f%\u00b0]+)[\u201d\"'\u2019*\ufff9\ufffb\u2060]*({'|'.join(_PARTICLES)})(?![가-힣])"
)
_UNRENDERED = re.compile(
    r"\*\*|\]\(|term:|`|\{\w+[}:]|\\[a-z]+\{|은\(는\)|이\(가\)|을\(를\)|과\(와\)|\(으\)로|U\+2060|[가-힣]/[가-힣]\}"
)
_COUNTED = re.compile(r"%\u2060?(?:개|쌍|번|명|배)")
# headings that are names in every language
NAMES = frozenset(
    ("Attention Atlas", "ALiBi", "PNG", "SVG", "CSV", "NPZ", "Query", "Key", "Value", "softmax", "Top-p", "Add & Norm")
)


def text_faults(page: Page) -> list[str]:
    """List the faults of the texts on a page that is open in Korean, each with what is wrong."""
    found = page.evaluate(_FIND)
    return [
        *found["faults"],
        *(f"{fault}: {text[:160]}" for text in found["texts"] for fault in language_faults(text)),
        *(f"heading without Korean: {text}" for text in found["headings"] if is_latin(text)),
        *(f"a word twice in the title of an axis: {text}" for text in found["axes"] if has_word_twice(text)),
    ]


def language_faults(text: str) -> list[str]:
    """What is wrong with a text as it is shown: particles, marks that were not rendered, a counted percentage."""
    wrong = [
        f"{word}{form} is {right}"
        for word, form in _VALUE.findall(text)
        if (right := with_particle(word, _PARTICLES[form])) != word + form
    ]
    prose = _NAME.sub("", text)
    wrong += [f"{match[0]} was not rendered" for match in _UNRENDERED.finditer(prose)]
    return wrong + [f"{match[0]} counts a percentage" for match in _COUNTED.finditer(text)]


def is_latin(heading: str) -> bool:
    """Whether a heading has English words alone; names, tokens and code aside."""
    prose = _NAME.sub("", heading).strip()
    return prose not in NAMES and bool(re.search("[A-Za-z]{3}", prose)) and not re.search("[가-힣]", prose)


def has_word_twice(title: str) -> bool:
    """Whether the title of an axis has a word twice, such as "Key: English key token"."""
    words = re.findall(r"[^\W\d_]{2,}", title.lower())
    return len(words) != len(set(words)) and bool(re.search("[가-힣]|key|query", title.lower()))
