"""Text to tokens and back, over all of Unicode."""

import re
import unicodedata

import pytest
import sentencepiece
from hypothesis import example, given, settings
from hypothesis import strategies as st

from model.text.tokenizer import THIN_SPACE, WORD_MARK, Tokenizer, train_tokenizer
from tests.model.toy_language import toy_pairs

HOSTILE = (
    "éœ가각\u1100\u1161\u11a8\u0344\u0308\u0301\u0327\u2581\u00a0\u3000\u00a8ﬁ①㍍\u200b\u200d\ufeff\t\n\r\0\x1b"
    "😀👩\U0001f1eb\ud800\udfff <>s/pad0x41"
)
KNOWN = st.characters(exclude_categories=("Cn",))  # characters in Python's tables; surrogates included
TEXT = st.text(KNOWN) | st.text(st.sampled_from(HOSTILE) | KNOWN)


def normalise(text: str) -> str:
    """The normalisation of the module's docstring, implemented without SentencePiece."""
    text = "".join("\ufffd" if 0xD800 <= ord(char) <= 0xDFFF else char for char in text)
    text = unicodedata.normalize("NFKC", text).replace("\u2581", " ")
    return re.sub(" +", " ", text).strip(" ")


@settings(max_examples=400)
@given(TEXT)
@example("  two   spaces  ")
@example("a\u2581\u2581b\u2581")
@example("A\u030a\u0344 e\u0320\u034c\u0348 \u1112\u1161\u11ab")
@example("\0\x01\x7f\x85\u2028\u202e")
@example("\ud83d\ude00 \udcff")
def test_a_round_trip_loses_only_the_documented_normalisation(tokenizer, text):
    assert tokenizer.decode(tokenizer.encode(text)) == normalise(text)


def test_every_single_character_survives_or_is_normalised_as_documented(tokenizer):
    known = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code)) not in ("Cn", "Co")]
    wrong = [char for char in known if tokenizer.normalize(f"a{char}b") != normalise(f"a{char}b")]
    assert len(known) > 140_000
    assert wrong == []


@settings(max_examples=400)
@given(TEXT)
def test_normalising_twice_changes_nothing_more(tokenizer, text):
    once = tokenizer.normalize(text)
    assert tokenizer.normalize(once) == once


@given(st.text() | st.text(st.sampled_from(HOSTILE)))
def test_no_text_is_encoded_as_unknown_or_special_tokens(tokenizer, text):
    ids = tokenizer.encode(text)
    assert not {tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id} & set(ids)
    assert all(0 <= token < len(tokenizer) for token in ids)


@given(TEXT)
def test_every_token_of_any_text_has_a_visible_label(tokenizer, text):
    ids = tokenizer.encode(text)
    labels = tokenizer.display(ids)
    assert len(labels) == len(ids)
    for label in labels:
        assert label
        assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for char in label)
        assert WORD_MARK not in label


@pytest.mark.parametrize("literal", ["<s>", "</s>", "<pad>", "<unk>", "<0x41>"])
def test_a_special_token_typed_as_text_stays_text(tokenizer, literal):
    ids = tokenizer.encode(f"a {literal} b")
    assert tokenizer.decode(ids) == f"a {literal} b"
    assert literal not in tokenizer.tokens(ids)


def test_source_and_target_have_the_tokens_that_the_network_expects(tokenizer):
    ids = tokenizer.encode("The cat sees a boat.")
    assert (tokenizer.pad_id, tokenizer.unk_id, tokenizer.bos_id, tokenizer.eos_id) == (0, 1, 2, 3)
    assert tokenizer.tokens(range(4)) == ["<pad>", "<unk>", "<s>", "</s>"]
    assert tokenizer.encode_source("The cat sees a boat.") == [*ids, 3]
    assert tokenizer.encode_target("The cat sees a boat.") == [2, *ids, 3]
    assert tokenizer.encode("") == []


def test_decoding_leaves_special_tokens_out_and_replaces_broken_bytes(tokenizer):
    ids = tokenizer.encode("The dog.")
    assert tokenizer.decode([2, *ids, 3, 0, 0]) == "The dog."
    first_byte = tokenizer.encode("한")[-3]
    assert tokenizer.tokens([first_byte]) == ["<0xED>"]
    assert tokenizer.decode([first_byte]) == "\ufffd"


def test_the_256_bytes_follow_the_special_tokens(tokenizer):
    assert tokenizer.tokens(range(4, 260)) == [f"<0x{byte:02X}>" for byte in range(256)]


def test_a_word_starts_with_a_thin_space_in_its_label(tokenizer):
    ids = tokenizer.encode("the cat")
    assert "".join(tokenizer.tokens(ids)) == "▁the▁cat"
    assert "".join(tokenizer.display(ids)) == f"{THIN_SPACE}the{THIN_SPACE}cat"


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("한", ["U+D55C 1/3", "U+D55C 2/3", "U+D55C 3/3"]),
        ("😀", ["U+1F600 1/4", "U+1F600 2/4", "U+1F600 3/4", "U+1F600 4/4"]),
        ("\0", ["U+0000"]),
        ("\x1b\n", ["U+001B", "U+000A"]),
        ("\u200b", ["U+200B 1/3", "U+200B 2/3", "U+200B 3/3"]),
        ("¤\u202e", ["U+00A4 1/2", "U+00A4 2/2", "U+202E 1/3", "U+202E 2/3", "U+202E 3/3"]),
    ],
)
def test_a_character_outside_the_vocabulary_shows_as_its_code_point(tokenizer, text, labels):
    ids = tokenizer.encode(text)
    assert tokenizer.display(ids) == [THIN_SPACE, *labels]


def test_an_invisible_character_inside_the_vocabulary_shows_as_its_code_point(tmp_path):
    lines = ["co\u00adop the\u200dcat", "a\u2028b co\u00adop"] * 20
    invisible = Tokenizer(train_tokenizer(lines, tmp_path / "invisible", 300))
    for char in "\u00ad\u200d\u2028":
        assert invisible.display([invisible.encode(f"a{char}")[-1]]) == [f"U+{ord(char):04X}"]


def test_bytes_that_form_no_character_show_as_numbers(tokenizer):
    first, second, third = tokenizer.encode("한")[-3:]
    the = tokenizer.encode("the")
    assert tokenizer.display([second, first, second, third]) == ["0x95", "U+D55C 1/3", "U+D55C 2/3", "U+D55C 3/3"]
    assert tokenizer.display([first, *the, second])[0] == "0xED"
    assert tokenizer.display([first, *the, second])[-1] == "0x95"


def test_labels_are_those_of_single_tokens(tokenizer):
    first, second, third = tokenizer.encode("한")[-3:]
    assert tokenizer.labels([first, second, third]) == ["0xED", "0x95", "0x9C"]
    assert tokenizer.labels([0, 2, 3]) == ["<pad>", "<s>", "</s>"]
    assert tokenizer.labels(tokenizer.encode("\t")[-1:]) == ["U+0009"]


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"There is no tokenizer at .*nowhere\.model; restore it or train one\."
    ):
        Tokenizer(tmp_path / "nowhere.model")
    with pytest.raises(FileNotFoundError, match="There is no tokenizer at"):
        Tokenizer(tmp_path)


@pytest.mark.parametrize("damage", ["empty", "text", "cut", "start lost"])
def test_a_file_that_is_no_sentencetoken_model_is_refused(tokenizer, tmp_path, damage):
    whole = tokenizer.path.read_bytes()
    content = {"empty": b"", "text": b"Hello.\n", "cut": whole[: len(whole) // 2], "start lost": whole[7:]}[damage]
    path = tmp_path / "bad.model"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.model is not a SentencePiece model; restore it or train one\."):
        Tokenizer(path)


@pytest.mark.parametrize("missing", [{"byte_fallback": False}, {"byte_fallback": True, "pad_id": -1}])
def test_a_model_without_bytes_or_special_tokens_is_refused(tmp_path, missing):
    options = {"vocab_size": 320, "hard_vocab_limit": False, "minloglevel": 2, "pad_id": 0, "unk_id": 1, **missing}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text for pair in toy_pairs() for text in pair),
        model_prefix=str(tmp_path / "other"),
        **{"bos_id": 2, "eos_id": 3, **options},
    )
    with pytest.raises(ValueError, match="lacks byte fallback or a special token"):
        Tokenizer(tmp_path / "other.model")


def test_training_twice_writes_the_same_file_without_its_path(tokenizer, tmp_path):
    lines = (text for pair in toy_pairs() for text in pair)
    path = train_tokenizer(lines, tmp_path / "deep" / "again", 340)
    assert path == tmp_path / "deep" / "again.model"
    assert path.read_bytes() == tokenizer.path.read_bytes()
    assert str(tmp_path).encode() not in path.read_bytes()
    assert [file.name for file in path.parent.iterdir()] == ["again.model"]


def test_a_small_text_gets_a_smaller_vocabulary(tmp_path):
    small = Tokenizer(train_tokenizer(["the cat sat", "le chat"], tmp_path / "small", 8000))
    assert 260 < len(small) < 300


@pytest.mark.parametrize(("lines", "size"), [(["the cat"], 200), ([], 340), (["", "  "], 340), (["the cat"], 0)])
def test_a_tokenizer_that_cannot_be_trained_gives_one_sentence(tmp_path, lines, size):
    with pytest.raises(ValueError, match=f"No tokenizer of {size} tokens can be trained on this text; give more text"):
        train_tokenizer(lines, tmp_path / "none", size)
    assert list(tmp_path.iterdir()) == []
