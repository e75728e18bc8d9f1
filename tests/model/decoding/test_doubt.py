"""Doubtful tokens of a translation, and the file of the thresholds."""

import json
import math

import pytest

from model.decoding.doubt import FILE, DoubtThresholds, find_doubt, mean_probability
from model.runtime.checkpoint import AlteredFileError
from model.text.tokenizer import Tokenizer
from model.translator import SHIPPED

THRESHOLDS = DoubtThresholds(0.4, 0.5, {})


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return Tokenizer(SHIPPED / "tokenizer.model")


def marked(tokenizer: Tokenizer, text: str, low: set[int]) -> list[str]:
    """The doubtful parts of a text whose tokens with these indices have a low probability."""
    ids = tokenizer.encode_source(text)
    chances = [0.1 if place in low else 0.9 for place in range(len(ids))]
    doubt = find_doubt(tokenizer, ids, chances, THRESHOLDS)
    assert doubt.text == text
    return [text[start:end] for start, end in doubt.spans]


def test_tokens_below_the_threshold_are_marked_without_the_space_in_front(tokenizer):
    text = "Elle porte une robe rouge."
    tokens = tokenizer.encode(text)
    assert [text[slice(*span)] for span in tokenizer.spans(tokens)][:2] == ["Elle", "porte"]
    assert marked(tokenizer, text, set()) == []
    assert marked(tokenizer, text, {1}) == ["porte"]
    assert marked(tokenizer, text, {1, 3}) == ["porte", "robe"]
    assert marked(tokenizer, text, {1, 2}) == ["porte une"]  # neighbours are one stretch
    assert marked(tokenizer, text, {len(tokens)}) == []  # </s> has no text


def test_a_character_of_several_bytes_is_doubtful_if_one_of_them_is(tokenizer):
    text = "Il dit \ud55c \ud55c."
    ids = tokenizer.encode(text)
    spans = tokenizer.spans(ids)
    last = [place for place, (start, end) in enumerate(spans) if text[start:end] == "\ud55c"]
    assert len(last) == 2 and spans[last[0] - 1][0] == spans[last[0] - 1][1]  # the bytes before are empty
    assert marked(tokenizer, text, {last[0] - 1}) == ["\ud55c"]
    assert tokenizer.spans([*ids, tokenizer.eos_id])[-1] == (len(text), len(text))


def test_the_threshold_itself_is_not_below_it(tokenizer):
    ids = tokenizer.encode("Oui.")
    assert find_doubt(tokenizer, ids, [0.4] * len(ids), THRESHOLDS).spans == ()
    assert find_doubt(tokenizer, ids, [0.39] * len(ids), THRESHOLDS).spans == ((0, 4),)
    assert find_doubt(tokenizer, ids, [0.1] * len(ids), None).spans == ()


def test_the_mean_is_geometric_and_low_below_its_threshold(tokenizer):
    assert mean_probability([0.25, 1.0]) == pytest.approx(0.5)
    assert mean_probability([0.0, 1.0]) == 0 and math.isnan(mean_probability([]))
    ids = tokenizer.encode("Oui.")
    for chance, low in ((0.5, False), (0.49, True)):
        doubt = find_doubt(tokenizer, ids, [chance] * len(ids), THRESHOLDS)
        assert doubt.mean == pytest.approx(chance) and doubt.is_low == low
    assert find_doubt(tokenizer, (), (), THRESHOLDS).text == ""


def test_a_probability_for_each_token_is_needed(tokenizer):
    with pytest.raises(ValueError, match="2 tokens have 1 probabilities"):
        find_doubt(tokenizer, [5, 6], [0.5], THRESHOLDS)


def test_thresholds_of_other_weights_and_damaged_files_are_not_used(tmp_path):
    assert DoubtThresholds.load(tmp_path, "abc") is None
    content = {"weights_sha256": "abc", "thresholds": {"token": 0.3, "mean": 0.6}}
    (tmp_path / FILE).write_text(json.dumps(content))
    assert DoubtThresholds.load(tmp_path, "abc") == DoubtThresholds(0.3, 0.6, content)
    assert DoubtThresholds.load(tmp_path, "other") is None
    for damaged in ("{", "[]", "{}", '{"thresholds": {"token": "x", "mean": 1}}'):
        (tmp_path / FILE).write_text(damaged)
        assert DoubtThresholds.load(tmp_path, "abc") is None


def test_an_altered_file_that_ships_is_an_error(tmp_path):
    folder = tmp_path / "translator"
    folder.mkdir()
    (folder / FILE).write_text("{}")
    (tmp_path / "manifest.json").write_text(json.dumps({"sha256": {f"translator/{FILE}": "0" * 64}}))
    with pytest.raises(AlteredFileError):
        DoubtThresholds.load(folder, "abc")
