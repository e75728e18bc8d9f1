"""Near duplicates among sentence pairs."""

from itertools import combinations

import pytest

from model.data.near_duplicates import (
    HeldOutForms,
    count_one_word_apart,
    normalize_english,
    normalize_french,
    split_words,
    without_near_duplicates,
)

EQUAL = [
    ("I'm tired.", "I am tired!", "i\N{RIGHT SINGLE QUOTATION MARK}m tired", "I am TIRED …"),
    ("He isn't here.", "He's not here.", "He is not here."),
    ("I can't go.", "I cannot go.", "I can not go", "“I can’t go.”"),
    ("She won't.", "She will not.", "She'll not."),
    ("They'd eaten.", "They had eaten."),
    ("I'd go.", "I would go."),
    ("You should've come.", "You should have come."),
    ("Let's go.", "Let us go!"),
    ("I'm gonna sing.", "I am going to sing."),
    ("It isn't an any-time thing.", "It's not an anytime thing."),
    ("We aren't ready", "We're not ready."),
    ("He's left.", "He has left."),
    ("Ｔｏｍ paid 20 dollars.", "Tom paid 20 dollars"),
]


@pytest.mark.parametrize("texts", EQUAL)
def test_case_punctuation_and_contractions_do_not_distinguish_english_sentences(texts):
    assert len({normalize_english(text) for text in texts}) == 1


def test_other_letters_and_digits_distinguish_english_sentences():
    texts = [group[0] for group in EQUAL] + ["I am not tired.", "Tom paid 21 dollars.", "He is left here.", "…", "?!"]
    for one, other in combinations(texts, 2):
        assert normalize_english(one) != normalize_english(other), (one, other)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Tu es seul.", "tu es seul !", True),
        ("L'ÉTÉ est là.", "L\N{RIGHT SINGLE QUOTATION MARK}été est là…", True),
        ("Où ?", "Ou ?", False),  # an accent is part of the letter
        ("Il l'a vu.", "Il la vue.", False),
        ("!!", "??", False),
    ],
)
def test_french_sentences_are_compared_by_their_letters(one, other, same):
    assert (normalize_french(one) == normalize_french(other)) == same


def test_a_pair_is_a_near_duplicate_by_either_side():
    forms = HeldOutForms({"I'm here.": ["Me voici.", "Je suis là."]})
    assert forms.same_english(("I am here!", "Présent."))
    assert not forms.same_english(("Here I am.", "Me voici !"))
    assert forms.same_french(("Here I am.", "Me voici !"))
    assert not forms.same_french(("I am here!", "Présent."))


def test_sentences_without_near_duplicates_share_no_letters_on_either_side():
    heldout = {"Go on.": ["Continue."], "It's late.": ["Il est tard."], "Stop.": ["Arrête.", "Halte !"]}
    assert without_near_duplicates(heldout, [("Nothing.", "Rien.")]) == heldout
    others = [("It is late!", "C'est tard."), ("Cease.", "HALTE")]
    assert without_near_duplicates(heldout, others) == {"Go on.": ["Continue."]}
    assert without_near_duplicates(heldout, []) == heldout


def edit_distance(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Words changed, added or left out, by the table of Levenshtein."""
    row = list(range(len(other) + 1))
    for place, word in enumerate(one, start=1):
        before, row = row, [place]
        for at, against in enumerate(other):
            row.append(min(before[at] + (word != against), before[at + 1] + 1, row[at] + 1))
    return row[-1]


def test_one_word_apart_is_an_edit_distance_of_words(data_file):
    lines = [line.split("\t")[0] for line in data_file.read_text(encoding="utf-8").splitlines()]
    known = lines[:9] + ["Stop it now.", "We don't know.", "Yes."]
    asked = [*lines[100:160], "Stop it.", "Stop it right now!", "now it stop", "We know.", "No.", "", "Yes, yes.", "…"]
    expected = [
        text
        for text in asked
        if split_words(text) and any(edit_distance(split_words(text), split_words(other)) <= 1 for other in known)
    ]
    assert 0 < len(expected) < len(asked)
    assert count_one_word_apart(asked, known) == len(expected)
    for text in asked:
        assert count_one_word_apart([text], known) == (text in expected), text
