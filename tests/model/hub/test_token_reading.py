"""Labels show what a network reads, and words follow the marks of tokenizers that have no fast form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers

from model.hub.token_offsets import Tokens, tokenize, tokens_of_ids
from tests.tiers import nightly

WORDPIECES = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "na", "##ive", "cat", ".", "un", "##like", "##ly"]


def wordpiece(folder: Path) -> transformers.PreTrainedTokenizerBase:
    (folder / "vocab.txt").write_text("\n".join(WORDPIECES))
    return transformers.BertTokenizer(str(folder / "vocab.txt"))


def unigram(**special: str) -> transformers.PreTrainedTokenizerFast:
    """A tokenizer of SentencePiece's kind that puts what it does not know into bytes."""
    pieces = [
        "<unk>",
        *(f"<0x{byte:02X}>" for byte in range(256)),
        "\u2581",
        "a",
        "b",
        "\u2581of\u2581the",
        "\u2581cat",
    ]
    backend = Tokenizer(models.Unigram([(piece, -1.0) for piece in pieces], unk_id=0, byte_fallback=True))
    backend.normalizer = normalizers.NFKC()
    backend.pre_tokenizer = pre_tokenizers.Metaspace(split=False)
    backend.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace(), decoders.Fuse()])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, **special)


def words_of(tokens: Tokens) -> list[str]:
    return [word.text for word in tokens.whole_words() if not word.special]


def test_lower_case_and_stripped_accents_are_shown_as_they_are_read(tmp_path):
    tokens = tokenize(wordpiece(tmp_path), "The the THE na\u00efve")
    assert tokens.labels == ("[CLS]", "the", "the", "the", "na", "ive", "[SEP]")
    assert words_of(tokens) == ["the", "the", "the", "naive"]


def test_an_unknown_token_is_labelled_with_the_text_it_replaces(tmp_path):
    tokens = tokenize(wordpiece(tmp_path), "the \u2603\u2603 cat", "\u4e2d the")
    assert tokens.labels == ("[CLS]", "the", "[UNK] \u2603\u2603", "cat", "[SEP]", "[UNK] \u4e2d", "the", "[SEP]")
    assert words_of(tokens) == ["the", "\u2603\u2603", "cat", "\u4e2d", "the"]


def test_a_character_that_normalization_splits_is_shown_as_it_is_read():
    tokens = tokenize(unigram(), "\u00aa b")  # the feminine ordinal is read as an a
    assert [label for label in tokens.labels if label != "\u2423"][0] == "a"


def test_bytes_of_one_character_share_its_label():
    tokens = tokenize(unigram(), "a\U0001f642 of the cat")
    assert tokens.labels[-6:] == (*(f"\U0001f642 {number}/4" for number in range(1, 5)), "of the", "cat")
    assert words_of(tokens)[-2:] == ["of the", "cat"]
    assert tokens_of_ids(unigram(), tokens.ids).labels == tokens.labels


def test_a_line_break_is_drawn_and_ends_a_word():
    tokens = tokenize(unigram(), "a\nb")
    assert "\u21b5" in tokens.labels and [word for word in words_of(tokens) if word in "ab"] == ["a", "b"]


def slow_tokenizers(folder: Path) -> dict[str, transformers.PreTrainedTokenizerBase]:
    (folder / "vocab.txt").write_text("\n".join(WORDPIECES))
    merges = ["h e", "he l", "l o</w>", "t h", "th e</w>", "d o"]
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *merges, ""]))
    (folder / "phobert-merges.txt").write_text("".join(f"{merge} 1\n" for merge in merges))
    (folder / "phobert.txt").write_text("hel@@ 5\nlo 4\nthe 3\ndo@@ 2\ng 2\n")
    names = {"hel@@": 0, "lo": 1, "the": 2, "<unk>": 3, "do@@": 4, "g": 5}
    (folder / "ctrl.json").write_text(json.dumps(names))
    proteins = ["<cls>", "<pad>", "<eos>", "<unk>", "<mask>", *"MKTAYIQR"]
    (folder / "esm.txt").write_text("\n".join(proteins))
    return {
        "phobert": transformers.PhobertTokenizer(str(folder / "phobert.txt"), str(folder / "phobert-merges.txt")),
        "ctrl": transformers.CTRLTokenizer(str(folder / "ctrl.json"), str(folder / "merges.txt")),
        "prophetnet": transformers.ProphetNetTokenizer(str(folder / "vocab.txt")),
        "byt5": transformers.ByT5Tokenizer(),
        "canine": transformers.CanineTokenizer(),
        "esm": transformers.EsmTokenizer(str(folder / "esm.txt")),
    }


@pytest.mark.parametrize(
    ("kind", "text", "labels", "words"),
    [
        ("phobert", "hello the dog", ("hel", "lo", "the", "do", "g"), ["hello", "the", "dog"]),
        nightly("phobert", "the lo", ("the", "lo"), ["the", "lo"]),  # no token has a mark
        nightly("ctrl", "the dog hello", ("the", "do", "g", "hel", "lo"), ["the", "dog", "hello"]),
        ("prophetnet", "The unlikely cat.", ("the", "un", "like", "ly", "cat", "."), ["the", "unlikely", "cat", "."]),
        ("byt5", "a \u00e9b", ("a", "\u2423", "\u00e9 1/2", "\u00e9 2/2", "b"), ["a", "\u2423", "\u00e9b"]),
        nightly("canine", "a \u00e9b", ("a", "\u2423", "\u00e9", "b"), ["a", "\u2423", "\u00e9b"]),
        ("esm", "MKTAY", tuple("MKTAY"), list("MKTAY")),  # a protein has no words
    ],
)
def test_tokens_without_offsets(tmp_path, kind: str, text: str, labels: tuple[str, ...], words: list[str]):
    tokenizer = slow_tokenizers(tmp_path)[kind]
    tokens = tokenize(tokenizer, text)
    plain = [label for label, special in zip(tokens.labels, tokens.special, strict=True) if not special]
    assert (tuple(plain), words_of(tokens)) == (labels, words)
    assert bool(tokens.words) == (kind != "esm")
    assert all(label.isprintable() for label in tokens.labels)
    again = tokens_of_ids(tokenizer, tokens.ids)
    assert (again.labels, again.words) == (tokens.labels, tokens.words)


def test_special_tokens_without_a_printed_name_have_the_name_of_their_role():
    assert tokenize(transformers.CanineTokenizer(), "a").labels == ("[CLS]", "a", "[SEP]")


def test_an_unknown_word_without_offsets_is_found_between_known_words(tmp_path):
    tokens = tokenize(slow_tokenizers(tmp_path)["prophetnet"], "the \u2603\u2603 cat \u4e2d.")
    assert tokens.labels[:5] == ("the", "[UNK] \u2603\u2603", "cat", "[UNK] \u4e2d", ".")


def test_chinese_has_no_whole_words():
    tokens = tokenize(unigram(), "\u6211\u559c\u6b22\u6df1\u5ea6")
    assert not tokens.words and len(tokens.whole_words()) == len(tokens.ids)
