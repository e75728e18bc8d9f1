"""Model cards are translated text by text; numbers, hashes and code stay."""

import re
from pathlib import Path

import pytest

from views.text import catalogue
from views.text.catalogue import using_language, with_whole_logs
from views.text.model_card import texts_of_card, translated_card

CARDS = sorted((Path(__file__).resolve().parents[3] / "assets").rglob("card.md"))
CARD = """# Model card: translator

It has 8,000 tokens and
d_model 256, d_ff 1024.

- SHA-256: `4f67`
- 3 epochs,
  then 5

| head | share |
| --- | --- |
| encoder 1.1 | 54.2 % |"""


def test_texts_have_places_for_numbers_and_code():
    assert list(texts_of_card(CARD)) == [
        "translator",
        "It has {0} tokens and d_model {1}, d_ff {2}.",
        "SHA-{0}: {1}",
        "{0} epochs, then {1}",
        "head",
        "share",
        "encoder {0}",
    ]


def test_every_text_is_translated_in_its_place():
    with using_language(catalogue.PSEUDO):
        assert translated_card(CARD).splitlines()[-6:] == [
            "- \u27e6SHA-256: `4f67`\u27e7",
            "- \u27e63 epochs, then 5\u27e7",
            "",
            "| \u27e6head\u27e7 | \u27e6share\u27e7 |",
            "| --- | --- |",
            "| \u27e6encoder 1.1\u27e7 | 54.2\u00a0% |",
        ]


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.parent.name)
def test_an_english_card_stays_as_it_is(path: Path):
    card = path.read_text(encoding="utf-8")
    texts = translated_card(card), re.sub(r"(?<=[ (])-(?=\d)", "\u2212", with_whole_logs(card))
    words, expected = (text.replace("|", " ").split() for text in texts)
    assert words == expected[len(["#", "Model", "card:"]) :]


@pytest.mark.parametrize("path", CARDS, ids=lambda path: path.parent.name)
def test_a_card_is_complete_in_korean(path: Path):
    """With all numbers of the English card, and the form of each particle chosen."""
    card = path.read_text(encoding="utf-8")
    with using_language("ko"):
        translated = translated_card(card)
    assert [number for number in re.findall(r"\d+(?:[.,]\d+)*", card) if number not in translated] == []
    assert re.search("[가-힣]", translated) and not re.search("%[가-힣]|[ (]-\\d", translated)
    assert not re.search(r"\{\d|[가-힣]/[가-힣]|[은을이과]\([가-힣]\)|\([으이]\)", translated)
