"""The page *Heads* shows the scores that need no sentence, as the model computes them."""

from tests.pages.conftest import html_of
from tests.pages.reading import table
from views.text.numbers import three_digits


def test_the_open_head_has_its_scores(open_app, translator):
    repeated, copying = translator.head_scores(), translator.copying_scores()
    app = open_app("heads", shown="decoder-2-3")
    rows = {row[0]: row[1:] for row in table(app, "Without a sentence: scores of decoder 2.3")[1:]}
    assert rows == {
        "induction": [three_digits(repeated.scores["decoder"]["induction"][1, 2])]
        + [three_digits(repeated.chance["decoder"]["induction"])],
        "previous token": [three_digits(repeated.scores["decoder"]["previous"][1, 2])]
        + [three_digits(repeated.chance["decoder"]["previous"])],
        "duplicate token": [three_digits(repeated.scores["decoder"]["duplicate"][1, 2])]
        + [three_digits(repeated.chance["decoder"]["duplicate"])],
        "copying": [three_digits(copying["decoder"][1, 2]), ""],
    }
    assert any("read twice" in each.value for each in app.caption)


def test_a_head_of_cross_attention_has_no_copying_score_and_the_page_says_why(open_app):
    app = open_app("heads", shown="cross-4-4")
    assert "Without a sentence" not in html_of(app)
    (caption,) = [" ".join(each.value.split()) for each in app.caption if "copying score" in each.value]
    assert "have no copying score: their values come from the" in caption and "not from embeddings of" in caption
