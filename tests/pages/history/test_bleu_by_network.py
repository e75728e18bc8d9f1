"""The section *The ladder*: every figure of the table is of a card or of the comparison."""

from __future__ import annotations

import csv
import io
import json

from model.lessons.network_comparison import shipped_cards
from model.recurrent_translator import SHIPPED
from pages.history import bleu_by_network, network_differences, networks_compared
from tests.pages.charts import check_caption
from tests.pages.conftest import html_of
from tests.pages.reading import table
from views.export import downloads
from views.text.numbers import millions, three_digits


def band(interval: dict) -> str:
    """A figure as the page shows it, with its interval."""
    value, low, high = (three_digits(interval[name]) for name in ("value", "low", "high"))
    return f"{value} ({low} \u2013 {high})"


def test_what_else_differs_is_stated_from_the_cards(open_app):
    app = open_app("history", part="ladder", ladder="speed")  # the order of the other table changes nothing here
    header, *rows = table(app, "Training of all five networks")
    assert header[1:] == [
        "the encoder reads", "epochs", "optimizer of the layers\u2019 matrices", "decay of the averaged weights",
        "BLEU, change from the one before (95 %)",
    ]  # fmt: skip
    steps = json.loads((SHIPPED / "comparison.json").read_text())["steps"]
    for row, (name, card) in zip(rows, shipped_cards().items(), strict=True):
        recipe = card["training"]["recipe"]
        assert row[2] == str(card["training"]["epochs"])
        assert row[3] == ("Muon" if recipe["matrix_learning_rate"] else "AdamW")
        assert row[4] == (three_digits(recipe["average_decay"]) if recipe["average_decay"] else "\u2013")
        assert row[5] == (band(steps[name]) if name in steps else "\u2014")
    assert [row[1] for row in rows] == [
        "last token first", "last token first", "both ways", "both ways", "all tokens at once",
    ]  # fmt: skip
    text = " ".join(part.value for part in app.markdown)
    assert "A step of the ladder is not the worth of one idea" in text and "changes the network." not in text


def test_the_file_of_what_differs_has_all_bounds(open_app):
    open_app("history", part="ladder")
    cards, comparison = networks_compared.cards_and_comparison()
    (first, second, *_), steps = network_differences.table_rows(cards, comparison), comparison.steps
    assert first[-1] is None and second[-1] == steps["lstm-vector"].value
    assert network_differences._bounds(comparison, "rnn-vector")[3:] == [None, None]
    bleu = comparison.bleu["transformer"]
    step = steps["transformer"]
    expected = [bleu.value, bleu.low, bleu.high, step.low, step.high]
    assert network_differences._bounds(comparison, "transformer") == expected


def test_every_figure_is_of_a_card_or_the_comparison(open_app):
    app = open_app("history", part="ladder")
    header, *rows = table(app, "All five networks")
    assert header[1:] == [
        "parameters, less is better", "training, minutes, less is better", "BLEU, more is better",
        "chrF, more is better", "tokens per second when decoding, more is better",
        "alignment error rate, less is better",
    ]  # fmt: skip
    cards, expected = shipped_cards(), json.loads((SHIPPED / "comparison.json").read_text())
    for row, (name, card) in zip(rows, cards.items(), strict=True):
        greedy = card["evaluation"]["greedy"]
        rate = expected["alignment"].get(name)
        assert row[1:] == [
            millions(card["parameters"]),
            three_digits(card["training"]["minutes"]),
            band(expected["bleu"][name]),
            band(expected["chrf"][name]),
            three_digits(expected["tokens_per_second"][name]),
            "\u2014" if rate is None else band(rate["generated"]),
        ]
        assert round(expected["bleu"][name]["value"], 2) == greedy["bleu"]
        assert round(expected["chrf"][name]["value"], 2) == greedy["chrf"]
    best = three_digits(max(card["evaluation"]["greedy"]["bleu"] for card in cards.values()))
    fastest = three_digits(max(expected["tokens_per_second"].values()))
    text = html_of(app)
    assert f">Transformer translates best, BLEU {best}; " in text
    assert f" decodes fastest, {fastest} tokens per second<" in text
    assert "below 0.006" in check_caption(app, "BLEU computed again")


def test_the_longest_bar_of_a_column_is_its_best_number():
    assert bleu_by_network.goodness([4.0, None, 2.0], bleu_by_network.ERROR_RATE) == [0.5, None, 1.0]
    assert bleu_by_network.goodness([30.0, 40.0], bleu_by_network.BLEU) == [0.75, 1.0]


def test_file_has_all_digits(open_app):
    open_app("history", part="ladder")
    cards, comparison = networks_compared.cards_and_comparison()
    lines = bleu_by_network.table_rows(cards, comparison)
    written = downloads.table_csv([column() for column in bleu_by_network.HEADER], lines).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(written)))
    assert rows[1][1] == str(cards["rnn-vector"]["parameters"]) and rows[1][-1] == ""
    assert float(rows[3][-1]) == comparison.alignment["lstm-additive"].generated.value
