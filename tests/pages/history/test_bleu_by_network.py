"""The section *The ladder*: every figure of the table is of a card or of the comparison."""

from __future__ import annotations

import csv
import io
import json

from model.lessons.network_comparison import shipped_cards
from model.recurrent_translator import SHIPPED
from pages.history import bleu_by_network, networks_compared
from tests.pages.charts import check_caption
from tests.pages.reading import table
from views.export import downloads
from views.text.numbers import millions, three_digits


def test_every_figure_is_of_a_card_or_the_comparison(open_app):
    app = open_app("history", part="ladder")
    header, *rows = table(app, "All five networks")
    assert header[1:] == [
        "parameters", "training, minutes", "BLEU", "chrF", "tokens per second when decoding", "alignment error rate",
    ]  # fmt: skip
    cards, expected = shipped_cards(), json.loads((SHIPPED / "comparison.json").read_text())
    for row, (name, card) in zip(rows, cards.items(), strict=True):
        greedy = card["evaluation"]["greedy"]
        rate = expected["alignment"].get(name)
        assert row[1:] == [
            millions(card["parameters"]),
            three_digits(card["training"]["minutes"]),
            three_digits(greedy["bleu"]),
            three_digits(greedy["chrf"]),
            three_digits(expected["tokens_per_second"][name]),
            "\u2014" if rate is None else three_digits(rate["generated"]["value"]),
        ]
    assert "below 0.006" in check_caption(app, "BLEU computed again")


def test_file_has_all_digits(open_app):
    open_app("history", part="ladder")
    cards, comparison = networks_compared.cards_and_comparison()
    lines = bleu_by_network.table_rows(cards, comparison)
    written = downloads.table_csv([column() for column in bleu_by_network.HEADER], lines).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(written)))
    assert rows[1][1] == str(cards["rnn-vector"]["parameters"]) and rows[1][-1] == ""
    assert float(rows[3][-1]) == comparison.alignment["lstm-additive"].generated.value
