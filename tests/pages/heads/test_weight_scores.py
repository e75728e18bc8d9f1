"""The page *Heads* shows the scores that need no sentence, as the model computes them."""

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
