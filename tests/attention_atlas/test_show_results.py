"""`show` of causal results: every table with its numbers and labels, and the files of the page."""

from __future__ import annotations

import html
import io
import re
from typing import get_args

import numpy as np
import pytest
from attention_atlas.model import Translator

from attention_atlas import ShowError, show
from model.causal.head_replacement import Replacement
from model.causal.path_patching import FeedForward
from model.causal.recurrent_patching import RECURRENT_SITES
from model.causal.result_tables import CausalResult
from model.causal.sites import SITES
from tests.attention_atlas.test_show import payload, saved
from views.text.catalogue import PSEUDO, using_language
from views.text.numbers import three_digits
from views.viewer import result_sections
from views.viewer.result_sections import as_map, in_words, measured

SENTENCES = "I want to buy a car.", "I want to buy a house."


@pytest.fixture(scope="module")
def translator():
    return Translator.load(device="cpu")


@pytest.fixture(scope="module")
def results(translator):
    trace = translator.trace(SENTENCES[0])
    return {
        "Activation patching": translator.patch(*SENTENCES),
        "Path patching": translator.path_patch("I want a car.", "I want a house.", inputs=["keys"]),
        "Logit lens": translator.logit_lens(trace),
        "Logit attribution": translator.logit_attribution(trace),
        "Repeated id scores": translator.head_scores(length=4, rows=2),
        "Copying scores": translator.copying_scores(),
    }


@pytest.mark.parametrize(
    "name",
    ["Activation patching", "Path patching", "Logit lens", "Logit attribution", "Repeated id scores", "Copying scores"],
)
def test_every_table_is_a_map_with_its_numbers_and_a_file(results, name):
    result = results[name]
    shown = show(result)
    assert shown.title == name and f"<title>{name}</title>" in shown.html
    header, numbers = payload(shown.html)
    assert list(header["sets"]) == list(result.tables)
    for table, each in result.tables.items():
        own = as_map(each)
        expected = np.where(np.isnan(own.values), -np.inf, own.values)
        np.testing.assert_allclose(numbers[f"{table} 0"], expected, rtol=1e-6, atol=1e-30)
        (item,) = header["sets"][table]["items"]
        assert item["name"].endswith(f"({each.unit})") and len(item["rows"]) == len(own.rows)
    arrays = np.load(io.BytesIO(saved(shown.html, "tables.npz")))
    assert set(arrays) == set(result.tables)
    first = next(iter(result.tables))
    if name != "Path patching":
        rows = saved(shown.html, f"{first}.csv").decode("utf-8-sig").splitlines()
        assert len(rows) == 1 + int((~np.isnan(result.tables[first].values)).sum())


def test_copying_scores_say_why_cross_attention_is_left_out(results):
    header, _ = payload(show(results["Copying scores"]).html)
    assert list(header["sets"]) == ["decoder"]
    assert "Cross-attention is left out: its values come from" in html.unescape(show(results["Copying scores"]).html)


def test_axes_are_joined_and_the_check_is_stated(results):
    patched = results["Activation patching"]
    header, _ = payload(show(patched, kind="restored").html)
    assert list(header["sets"]) == ["restored"] and not header["controls"]
    item = header["sets"]["restored"]["items"][0]
    assert item["rows"] == [str(layer) for layer in patched.grid.axes[0].labels]
    assert item["columns"] == [str(label).strip() for label in patched.grid.axes[1].labels]
    page = show(patched).html
    assert f"Unchanged it is {three_digits(patched.receiver)} logits" in page and "Check: with nothing replaced" in page
    assert "With everything replaced, the result differs from the other run" in page
    header, _ = payload(show(results["Path patching"]).html)
    item = next(iter(header["sets"].values()))["items"][0]
    assert item["rows"][:2] == ["1.1", "1.2"] and item["row_title"] == "sender layer sender head"


def test_a_result_says_in_sentences_what_it_is_and_prints_as_one_line(results):
    for result in results.values():
        sentence, line = measured(result), repr(result)
        assert sentence.startswith("Each ") and "Check: " in sentence and "{" not in sentence
        assert line.startswith(f"<{type(result).__name__}: ") and len(line) < 400 and "\n" not in line
    assert repr(results["Logit lens"]).endswith(">") and "array(" not in repr(results["Path patching"])
    subclasses = {each.__name__ for each in CausalResult.__subclasses__()}
    assert subclasses == set(result_sections.SENTENCES) == set(result_sections.TITLES)


def test_every_word_of_a_result_is_in_the_catalogue(results):
    names = {*SITES, *RECURRENT_SITES, *get_args(FeedForward), *get_args(Replacement)}
    names |= {"standard_error", "pairs", "interactions", "first", "second", "pixels", "row", "column", "biases of"}
    for table, each in ((name, each) for result in results.values() for name, each in result.tables.items()):
        names |= {table, each.unit, *(axis.name for axis in each.axes)}
    with using_language(PSEUDO):
        assert [name for name in names if re.sub("\u27e6.*?\u27e7", "", in_words(name)).strip()] == []
    assert in_words("encoder_standard_error") == "encoder standard error" and in_words("head 2.1 of") == "head 2.1 of"


@pytest.mark.parametrize("name", ["Activation patching", "Logit attribution"])
def test_a_result_in_korean_has_no_english(results, name):
    shown = show(results[name], lang="ko")
    texts = [
        shown.title,
        *re.findall(">([^<>]+)<", re.sub("<(script|style|code).*?</\\1>", "", shown.html, flags=re.DOTALL)),
    ]
    header, _ = payload(shown.html)
    items = [item for each in header["sets"].values() for item in each["items"]]
    texts += [text for item in items for text in (item["name"], item["row_title"], item["column_title"])]
    assert [text for text in texts if re.search("[A-Za-z]{3}", text) and not re.search("[가-힣]", text)] == []


@pytest.mark.parametrize(
    ("options", "message"),
    [({"kind": "cross"}, "no table 'cross'"), ({"view": "lines"}, "give it alone"), ({"layers": [0]}, "its own axes")],
)
def test_options_of_traces_are_refused(results, options, message):
    with pytest.raises(ShowError, match=message):
        show(results["Logit lens"], **options)
