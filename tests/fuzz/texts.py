"""Unusual sentences from a seed: every plane of Unicode, and text that breaks programs."""

from __future__ import annotations

import random
from collections.abc import Callable

MARK = "m4rk"  # in every piece of markup; must be rendered as text, never as an element
MARKUP = (
    f"<{MARK}>",
    f"<script>window.{MARK}=1</script>",
    f"<img src=/{MARK} onerror=window.{MARK}=1>",
    f"</div></style><{MARK} style=position:fixed>",
    f"\"'><{MARK} x='",
    f"<!--{MARK}",
    f"&lt;{MARK}&gt;&#60;{MARK}&#62;",
    f"**{MARK}** _{MARK}_ `{MARK}` ~~{MARK}~~",
    f"[{MARK}](javascript:{MARK}) ![{MARK}](/{MARK})",
    f"${MARK}^2$ $${MARK}$$ \\frac{{{MARK}}}{{2}}",
    f":red[{MARK}] :material/home: :{MARK}: :blue-badge[{MARK}]",
    f"# {MARK}\n- {MARK}\n> {MARK}\n\n---\n| {MARK} | {MARK} |\n| --- | --- |",
    f"www.{MARK}.example https://{MARK}.example {MARK}@{MARK}.example",
    f"../../{MARK} /etc/{MARK} C:\\{MARK} %2e%2e%2f file:///{MARK} {MARK}\x00.png",
    f"{{{MARK}}} {{0}} {{}} %s %({MARK})s ${{{MARK}}} {{{{{MARK}}}}}",
    f'=HYPERLINK("/{MARK}") +1 -1 @SUM({MARK})',
    f"'; DROP TABLE {MARK}; --",
    "</s> <s> <pad> <unk> <0x41> <0xFF> \u2581\u2581",
)
BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
INVISIBLE = "\u00ad\u034f\u115f\u180e\u200b\u200c\u200d\u2060\u2063\u3164\ufe0f\ufeff\U000e0001\U000e0041"
SPACES = " \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2009\u2028\u2029\u202f\u205f\u3000"
COMBINING = "\u0300\u0301\u0327\u0338\u0489\u0e47\u20dd\u3099\ua670\U0001e8d0"
EXPANDING = "\ufdfa\u3316\ufb03\u1e9b\u0390\u0130\u00df\u2126\u212b\uac00\u1100\u1161\u11a8\u01c4\u2460"  # under NFKC
WORDS = ("I", "want", "to", "buy", "a", "car", ".", "The", "animal", "didn't", "cross", "street", "because", "tired")
MEGABYTE = 1_000_000


def any_character(random: random.Random) -> str:
    """A code point of one of the 17 planes, lone surrogates and unassigned ones included."""
    plane = random.choice((0, 0, 0, 1, 1, 2, *range(17)))
    return chr((plane << 16) + random.randrange(0x10000))


def _plane(random: random.Random) -> str:
    plane = random.randrange(17) << 16
    return "".join(chr(plane + random.randrange(0x10000)) for _ in range(random.randint(1, 40)))


def _mixed(random: random.Random) -> str:
    return "".join(any_character(random) for _ in range(random.randint(1, 60)))


def _surrogates(random: random.Random) -> str:
    return "".join(
        chr(random.randrange(0xD800, 0xE000)) if random.random() < 0.5 else random.choice("ab \U0001f600")
        for _ in range(random.randint(1, 30))
    )


def _controls(random: random.Random) -> str:
    return "".join(random.choice([chr(random.randrange(32)), "\x7f", "\x9b", "a", " "]) for _ in range(40))


def _bidi(random: random.Random) -> str:
    alphabet = [*BIDI, "\u05d0", "\u0627", "a", "1", " ", "("]
    return "".join(random.choice(alphabet) for _ in range(random.randint(1, 50)))


def _invisible(random: random.Random) -> str:
    alphabet = [*INVISIBLE, *SPACES] + ["a"] * random.randrange(3)
    return "".join(random.choice(alphabet) for _ in range(random.randint(0, 40)))


def _towers(random: random.Random) -> str:
    return "".join(
        letter + "".join(random.choice(COMBINING) for _ in range(random.choice((1, 5, 30, 200))))
        for letter in random.choice(("a", "Zalgo", "\u05e9\u0627", "\U0001f468"))
    )


def _expanding(random: random.Random) -> str:
    return "".join(random.choice(EXPANDING) for _ in range(random.randint(1, 40)))


def _emoji(random: random.Random) -> str:
    parts = ["\U0001f468", "\u200d", "\U0001f3ff", "\ufe0f", "\U0001f1eb", "\u20e3", "1", "\U000e0067", "\U000e007f"]
    return "".join(random.choice(parts) for _ in range(random.randint(1, 30)))


def _markup(random: random.Random) -> str:
    return " ".join(random.choice(MARKUP) for _ in range(random.randint(1, 3)))


def _around_the_limit(random: random.Random) -> str:
    """Close to 128 tokens, from both sides."""
    return " ".join(random.choice(WORDS) for _ in range(random.randint(110, 140)))


def _repeated(random: random.Random) -> str:
    unit = random.choice((any_character(random), random.choice(WORDS), random.choice(MARKUP), "ab "))
    return unit * random.choice((2, 17, 128, 300, 1500))


def _characters_around_the_limit(random: random.Random) -> str:
    return (random.choice(("a", " ", "\u0301", "\U0001f600", "a ")) * 10_010)[: random.randint(9_990, 10_010)]


def _ordinary(random: random.Random) -> str:
    """A sentence with a few unusual characters, as in most accidents."""
    words = [random.choice(WORDS) for _ in range(random.randint(1, 14))]
    for _ in range(random.randint(0, 2)):
        words.insert(random.randrange(len(words) + 1), random.choice((any_character(random), random.choice(MARKUP))))
    return random.choice((" ", " ", "  ", "\u00a0", "")).join(words)


def _paste(random: random.Random) -> str:
    """A megabyte of one repeated unit."""
    unit = random.choice(
        (any_character(random), "word ", "\n", "\u0301", random.choice(MARKUP), "\ud800", _mixed(random))
    )
    return (unit * (MEGABYTE // len(unit) + 1))[:MEGABYTE]


_COMMON: tuple[Callable[[random.Random], str], ...] = (
    _plane, _plane, _mixed, _surrogates, _controls, _bidi, _invisible, _towers, _expanding, _emoji, _markup, _markup,
    _around_the_limit, _repeated, _ordinary, _ordinary, _ordinary,
)  # fmt: skip
_RARE = (_paste, _characters_around_the_limit)


def sentence(random: random.Random) -> str:
    """One case; one in fifty is huge."""
    return random.choice(_RARE if random.random() < 0.02 else _COMMON)(random)
