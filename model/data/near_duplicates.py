"""Near duplicates among sentence pairs: the same letters, the same French, or one word apart."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

Pair = tuple[str, str]  # English, French

# Full and contracted forms become the same word: "is" and "has" both become "s", "would" and "had" become "d".
_SPECIAL = {"won't": "ll nt", "can't": "can nt", "shan't": "shall nt", "cannot": "can nt", "let's": "let us"}
_SPECIAL |= {"gonna": "going to", "wanna": "want to", "gotta": "got to"}
_CONTRACTED = {"is": "s", "has": "s", "would": "d", "had": "d", "will": "ll", "have": "ve", "are": "re", "am": "m"}
_CONTRACTED |= {"not": "nt"}
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


def split_words(text: str) -> tuple[str, ...]:
    """Words in lower case, apostrophes inside retained, without punctuation."""
    plain = unicodedata.normalize("NFKC", text).casefold().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    return tuple(_WORD.findall(plain))


def normalize_english(text: str) -> str:
    """The letters and digits of an English sentence, contractions and full forms made equal: "I'm" is "I am".

    A text without any letter is returned as it is.
    """
    parts = []
    for word in split_words(text):
        spelt = _SPECIAL.get(word, word)
        spelt = re.sub(r"n't$", " nt", spelt).replace("'", " ")
        parts += [_CONTRACTED.get(part, part) for part in spelt.split()]
    return "".join(parts) or text


def normalize_french(text: str) -> str:
    """The letters and digits of a French sentence, in lower case; a text without any is returned as it is."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in plain if character.isalnum()) or text


class HeldOutForms:
    """The normalised sentences of a held-out set, both languages, to recognise near duplicates of them."""

    def __init__(self, heldout: dict[str, list[str]]) -> None:
        self.english = {normalize_english(english) for english in heldout}
        self.french = {normalize_french(text) for translations in heldout.values() for text in translations}

    def same_english(self, pair: Pair) -> bool:
        """True where the English side has the letters of a held-out sentence."""
        return normalize_english(pair[0]) in self.english

    def same_french(self, pair: Pair) -> bool:
        """True where the French side has the letters of a held-out translation."""
        return normalize_french(pair[1]) in self.french


def without_near_duplicates(heldout: dict[str, list[str]], others: Iterable[Pair]) -> dict[str, list[str]]:
    """The held-out sentences of which no pair in `others` has the same English letters or the same French letters."""
    pairs = list(others)
    english = {normalize_english(text) for text, _ in pairs}
    french = {normalize_french(text) for _, text in pairs}
    return {
        sentence: translations
        for sentence, translations in heldout.items()
        if normalize_english(sentence) not in english and not any(normalize_french(t) in french for t in translations)
    }


def count_one_word_apart(sentences: Iterable[str], others: Iterable[str]) -> int:
    """How many sentences equal one of `others` once a word at most is changed, added or left out.

    Words are those of `split_words`. Sentences without words are not counted.
    """
    known = {split_words(text) for text in set(others)}
    changed = {pattern for words in known for pattern in _with_gap(words)}
    shortened = {shorter for words in known for shorter in _shortened(words)}
    count = 0
    for text in sentences:
        words = split_words(text)
        near = words in known or words in shortened
        near = near or any(pattern in changed for pattern in _with_gap(words))
        count += bool(words) and (near or any(shorter in known for shorter in _shortened(words)))
    return count


def _with_gap(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words with each of them in turn replaced by an empty string, which is no word."""
    return ((*words[:place], "", *words[place + 1 :]) for place in range(len(words)))


def _shortened(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words with each of them in turn left out; never no words at all."""
    return ((*words[:place], *words[place + 1 :]) for place in range(len(words)) if len(words) > 1)
