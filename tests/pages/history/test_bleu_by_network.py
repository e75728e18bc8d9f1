"""The section *Networks compared*: every figure of the table is of a card or of the comparison."""

from __future__ import annotations

import csv
import io
import json
from itertools import pairwise

from model.language_model import SHIPPED as LANGUAGE
from model.lessons.network_comparison import shipped_cards
from model.recurrent_translator import SHIPPED
from model.runtime.checkpoint import CheckpointError
from pages.history import bleu_by_network, networks_compared
from tests.pages.charts import check_caption
from tests.pages.conftest import html_of
from tests.pages.reading import table
from views.export import downloads
from views.text.numbers import grouped, millions, signed, three_digits


def band(interval: dict) -> str:
    """A figure as the page shows it, with its interval."""
    value, low, high = (three_digits(interval[name]) for name in ("value", "low", "high"))
    return f"{value} ({low}\u00a0\u2013\u00a0{high})"


def expected_figures() -> dict[str, dict]:
    """The figures of all networks from the files that ship, of the decoder-only one as of the others."""
    figures = json.loads((SHIPPED / "comparison.json").read_text())
    single = json.loads((LANGUAGE / "one_stack.json").read_text())
    figures["steps"]["decoder-only"] = single["step"]
    for name in ("bleu", "chrf", "alignment"):
        figures[name]["decoder-only"] = single[name]
    figures["tokens_per_second"]["decoder-only"] = single["tokens_per_second"]["decoder-only"]
    return figures


def all_cards() -> dict[str, dict]:
    return shipped_cards() | {"decoder-only": json.loads((LANGUAGE / "card.json").read_text())}


def test_what_else_differs_is_stated_from_the_cards(open_app):
    app = open_app("history", part="ladder", ladder="speed")  # the order of the other table changes nothing here
    header, *rows = table(app, "Training of all networks")
    assert header[1:] == [
        "the encoder reads", "training pairs", "left out of training", "epochs",
        "optimizer of the layers\u2019 matrices", "decay of the averaged weights",
        "BLEU, change from the one before, all test sentences (95 %)",
        "the same, test sentences without near duplicates",
    ]  # fmt: skip
    steps = expected_figures()["steps"]
    for row, (name, card) in zip(rows, all_cards().items(), strict=True):
        recipe = card["training"]["recipe"]
        assert row[2] == grouped(card["data"]["training_pairs"])
        assert ("near duplicates" in row[3]) == (name == "decoder-only")
        assert row[4] == str(card["training"]["epochs"])
        assert row[5] == ("Muon" if recipe["matrix_learning_rate"] else "AdamW")
        assert row[6] == (three_digits(recipe["average_decay"]) if recipe["average_decay"] else "\u2013")
        assert row[7] == (band(steps[name]) if name in steps else "\u2014")
    clean = [card["evaluation"]["without near duplicates"]["greedy"]["bleu"] for card in all_cards().values()]
    assert [row[8] for row in rows] == ["\u2013", *(signed(after - before) for before, after in pairwise(clean))]
    assert rows[-1][7].startswith("\u22126.62") and rows[-1][8] == "\u22125.73"
    assert [row[1] for row in rows] == [
        "last token first", "last token first", "both ways", "both ways", "all tokens at once", "no encoder",
    ]  # fmt: skip
    text = " ".join(part.value for part in app.markdown)
    assert "The difference of two rows is not the effect of one idea" in text and "changes the network." not in text


def test_the_file_of_what_differs_has_all_bounds(open_app):
    cards, comparison = networks_compared.cards_and_comparison()
    (first, second, *_), steps = bleu_by_network.table_rows(cards, comparison.steps), comparison.steps
    assert first[-1] is None and second[-1] == steps["lstm-vector"].value
    bleu, step = comparison.bleu["transformer"], steps["transformer"]
    assert bleu_by_network.bounds(bleu, None)[3:] == [None, None]
    assert bleu_by_network.bounds(bleu, step) == [bleu.value, bleu.low, bleu.high, step.low, step.high]


def test_every_figure_is_of_a_card_or_the_comparison(open_app):
    app = open_app("history", part="ladder")
    header, *rows = table(app, "All networks")
    assert header[1:] == [
        "parameters, less is better", "training, minutes, less is better", "BLEU, more is better",
        "chrF, more is better", "tokens per second when decoding, more is better",
        "alignment error rate, less is better",
    ]  # fmt: skip
    cards, expected = all_cards(), expected_figures()
    assert rows[-1][0] == "Decoder-only Transformer"
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


def test_without_figures_of_the_decoder_only_network_the_others_are_compared(open_app, monkeypatch):
    def missing():
        raise CheckpointError("There is no {file} here.", file="one_stack.json")

    monkeypatch.setattr(networks_compared, "single_stack", missing)
    app = open_app("history", part="ladder")
    assert len(table(app, "All networks")) == 6 and not app.exception
    assert [warning.value for warning in app.warning] == ["There is no one\\_stack\\.json here\\."]


def test_the_longest_bar_of_a_column_is_its_best_number():
    assert bleu_by_network.goodness([4.0, None, 2.0], bleu_by_network.ERROR_RATE) == [0.5, None, 1.0]
    assert bleu_by_network.goodness([30.0, 40.0], bleu_by_network.BLEU) == [0.75, 1.0]


def test_file_has_all_digits(open_app):
    open_app("history", part="ladder")
    cards, comparison = networks_compared.cards_and_comparison()
    lines = [row.values for row in bleu_by_network.network_rows(cards, comparison, None)]
    written = downloads.table_csv([column() for column in bleu_by_network.HEADER], lines).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(written)))
    assert rows[1][1] == str(cards["rnn-vector"]["parameters"]) and rows[1][-1] == ""
    assert float(rows[3][-1]) == comparison.alignment["lstm-additive"].generated.value
