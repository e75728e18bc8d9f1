"""The reading of *it* in the tutorials' sentence follows from its translation."""

import pytest

from pages.shared.coreference_example import RIGHT
from tests.pages.conftest import SENTENCE, visit
from views.controls.sentence_input import TIRED, WIDE

PAGES = [("attribution", {}), ("inside", {"inside": "one-query"})]


def page_texts(app) -> list[str]:
    return [element.value for element in app.markdown if element.value.startswith("**What *it* is.**")]


@pytest.mark.parametrize(("page", "part"), PAGES, ids=["attribution", "inside"])
@pytest.mark.parametrize(("text", "other"), [(TIRED, WIDE), (WIDE, TIRED)], ids=["tired", "wide"])
def test_both_sentences_are_translated_with_elle(translator, page: str, part: dict, text: str, other: str):
    pronoun = "elle" if "qu'elle " in translator.translate(text) else "il"
    app = visit(page, text=text, **part)
    (sentence,) = page_texts(app)
    assert f"The model writes *{pronoun}*" in sentence
    assert ("only an animal can be too tired" in sentence) == (text == TIRED and pronoun != RIGHT[text])
    link = next(link for link in app.get("page_link") if link.proto.label == "Compare tired and wide")
    assert link.proto.page == "compare"
    assert (
        "b=other" in link.proto.query_string
        and f"too+{'wide' if text == TIRED else 'tired'}" in link.proto.query_string
    )


def test_other_sentences_have_no_such_text():
    assert page_texts(visit("inside", text=SENTENCE, inside="one-query")) == []
