"""The loss page: terms, smoothing, gradient and training curves against PyTorch and the files."""

import base64
import json
import math
import re

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model.runtime.messages import UserError
from pages.loss.cross_entropy import parse_tokens
from tests.pages.charts import check_caption
from tests.pages.conftest import ROOT, SENTENCE, html_of
from tests.pages.reading import number, table
from tests.pages.stepped import labels, read_step_view
from views.text import literal
from views.text.numbers import three_digits

PARTS = ("token-by-token", "smoothing-gradient", "training-curves")
TARGET = "Je veux vendre un v\u00e9lo."


def close(text: str, value: float) -> bool:
    """Whether `text` is `value` with three digits; the last may differ, since threads round differently."""
    return number(text) == pytest.approx(value, rel=6e-3, abs=1e-5)


def metrics(app) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


@pytest.mark.parametrize("target", ["", TARGET])
def test_each_token_of_the_target(open_app, translator, target):
    app = open_app("loss", target=target)
    trace = translator.trace(SENTENCE, target=target or None)
    losses = F.cross_entropy(torch.from_numpy(trace.logits), torch.tensor(trace.next_ids), reduction="none").numpy()
    rows = table(app, "\u2212ln\u00a0p by token")[1:]
    assert [row[1] for row in rows] == [literal.token(token) for token in trace.next_tokens]
    for place, (row, produced) in enumerate(zip(rows, trace.predictions(1), strict=True)):
        assert close(row[2], produced.probability)
        assert close(row[3], losses[place])
        assert float(row[4].removesuffix("\u00a0%")) == pytest.approx(100 * losses[place] / losses.sum(), abs=0.11)
        assert row[5] == str(produced.rank)
        assert close(row[6], losses[: place + 1].mean())
    numbers = list(metrics(app).values())
    assert close(numbers[0], losses.sum())
    assert close(numbers[1], losses.mean())
    assert close(numbers[2], math.exp(losses.mean()))
    line = check_caption(app, "cross_entropy")
    assert float(line.rsplit(" ", 1)[1].rstrip(".")) < 1e-4


@pytest.mark.parametrize(
    ("log", "sign", "unit"),
    [("e", "ln", "nats"), ("2", "log\u2082", "bits"), ("10", "log\u2081\u2080", "decimal digits")],
)
def test_typed_tokens_in_three_logarithms(open_app, log, sign, unit):
    app = open_app("loss", scored="five", log=log, tokens="a 0.5; <b> 0.125; c 1")
    numbers = metrics(app)
    losses = [math.log(2), math.log(8), 0]
    scale = {"e": 1, "2": math.log(2), "10": math.log(10)}[log]
    assert numbers[f"Total: sum of \u2212{sign}\u00a0p"] == three_digits(sum(losses) / scale)
    assert numbers[f"Loss: their mean, {unit} per token"] == three_digits(sum(losses) / 3 / scale)
    assert float(numbers["Perplexity"]) == pytest.approx(math.exp(sum(losses) / 3), rel=0.005)
    assert "<b>" not in html_of(app)


@pytest.mark.parametrize(
    "typed", ["", "a", "a 2", "a 0", "a -1", "a nan", "a b c", "a 0,5", "a 0.5 b 0.5", "a 1;" * 41]
)
def test_invalid_tokens_get_one_sentence(open_app, typed):
    app = open_app("loss", scored="five")
    app.text_input(key="tokens").set_value(typed).run()
    assert not app.exception
    assert len(app.warning) == 1


def test_the_worked_five_tokens(open_app):
    app = open_app("loss", scored="five")
    rows = table(app, "\u2212ln\u00a0p by token")[1:]
    assert [row[1] for row in rows] == ["Je", "suis", "un", "\u00e9tudiant", "</s>"]
    assert [row[3] for row in rows] == ["0.223", "0.511", "0.357", "0.693", "0.105"]
    assert all(len(row) == 6 and "" not in row for row in rows)  # typed tokens have no rank
    assert rows[-1][5] == "0.378"
    assert metrics(app)["Loss: their mean, nats per token"] == "0.378"
    assert not app.warning


def test_very_unlikely_target_has_a_readable_perplexity(open_app):
    perplexity = metrics(open_app("loss", target="\u00c9l\u00e9phant tambour"))["Perplexity"]
    assert re.fullmatch(r"[\d\u2009]+", perplexity)


@pytest.mark.parametrize("percent", [0, 10, 40])
def test_smoothing_and_gradient(open_app, translator, percent):
    app = open_app("loss", part="smoothing-gradient", target=TARGET, smoothing=str(percent), step="3")
    trace = translator.trace(SENTENCE, target=TARGET)
    logits = torch.from_numpy(trace.logits.copy()).requires_grad_()
    right = torch.tensor(trace.next_ids)
    loss = F.cross_entropy(logits, right, label_smoothing=percent / 100)
    (loss * len(right)).backward()
    header, numbers = read_step_view(app)
    assert header["at"] == {"smoothing": percent}
    assert numbers["smoothed"] == pytest.approx(loss.item(), rel=1e-5)
    assert numbers["plain"] == pytest.approx(F.cross_entropy(logits, right).item(), rel=1e-5)
    assert numbers["smallest"] <= numbers["smoothed"]
    assert (numbers["smallest"] == 0) == (percent == 0)
    gradient, share = logits.grad[2].numpy(), percent / 100
    ids = [trace.next_ids[2], *np.argsort(-trace.logits[2], kind="stable").tolist()]
    ids = list(dict.fromkeys(ids))[:10]
    assert labels(header, "row") == [literal.token(token) for token in trace.tokenizer.labels(ids)]
    assert numbers["q"][0] == pytest.approx(1 - share + share / len(gradient))
    np.testing.assert_allclose(numbers["gradient"], gradient[ids], rtol=1e-3, atol=1e-6)
    np.testing.assert_allclose(numbers["p"] - numbers["q"], numbers["gradient"], atol=1e-6)
    line = check_caption(app, "autograd")
    numbers = [float(number) for number in re.findall(r"(-?\d\.?\d*e-\d+|0)(?=\.(?:\s|$))", line)]
    assert len(numbers) == 2 and max(map(abs, numbers)) < 1e-4


def curves(app) -> dict[str, np.ndarray]:
    (element,) = app.get("plotly_chart")
    figure = json.loads(element.proto.spec)

    def numbers(packed):
        return np.frombuffer(base64.b64decode(packed["bdata"]), f"<{packed['dtype']}")

    return {trace["name"]: (numbers(trace["x"]), numbers(trace["y"])) for trace in figure["data"]}


def test_training_curves_equal_the_record(open_app, translator):
    record = (ROOT / "assets/translator/metrics.jsonl").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in record.splitlines()]
    steps = [line for line in lines if line["event"] == "step"]
    drawn = curves(open_app("loss", part="training-curves"))
    x, losses = drawn["training loss, smoothed labels"]
    np.testing.assert_array_equal(x, [line["step"] for line in steps])
    np.testing.assert_allclose(losses, [line["loss"] for line in steps], rtol=1e-6)
    np.testing.assert_allclose(drawn["learning rate"][1], [line["rate"] for line in steps], rtol=1e-6)
    x, heldout = drawn["held-out, \u2212ln\u00a0p of the right token"]
    np.testing.assert_allclose(heldout, translator.card["training"]["heldout_nll"], rtol=1e-6)
    assert x[-1] == translator.card["training"]["steps"]
    epochs = curves(open_app("loss", part="training-curves", axis="epochs"))
    np.testing.assert_array_equal(
        epochs["held-out, \u2212ln\u00a0p of the right token"][0],
        np.arange(1, translator.card["training"]["epochs"] + 1),
    )


@pytest.mark.parametrize("part", PARTS)
def test_nonsense_in_the_address_falls_back(open_app, part):
    for value in ("x", "-3"):
        app = open_app("loss", part=part, scored=value, smoothing=value, step=value, axis=value)
        assert not app.warning
    assert not open_app("loss", part="Beam search").warning


@pytest.mark.parametrize("part", PARTS)
def test_bad_sentences_get_one_sentence(open_app, part):
    app = open_app("loss", part=part)
    app.text_input(key="text").set_value("").run()
    assert not app.exception
    assert len(app.warning) == 1


@pytest.mark.parametrize("part", PARTS[:2])
@pytest.mark.parametrize("target", ["\u200b", "chat " * 200])
def test_bad_targets_get_one_sentence(open_app, part, target):
    app = open_app("loss", part=part)
    app.text_input(key="target").set_value(target).run()
    assert not app.exception
    assert len(app.warning) == 1


@pytest.mark.parametrize("part", PARTS[:2])
def test_hostile_targets_are_shown_literally(open_app, part):
    app = open_app("loss", part=part, target="<script>x</script> **b** $x$ \U0001f600")
    assert not app.warning
    assert "<script>" not in html_of(app)


@pytest.mark.parametrize("part", PARTS)
def test_the_longest_sentence(open_app, part):
    assert not open_app("loss", part=part, text="a " * 120, target="le " * 120).warning


@pytest.mark.parametrize(
    ("part", "key"), [(PARTS[0], "loss_table"), (PARTS[1], "gradient_table"), (PARTS[2], "training_table")]
)
def test_tables_are_built_when_they_are_opened(open_app, part, key):
    app = open_app("loss", part=part)
    assert not app.dataframe
    app.session_state[key] = True
    app.run()
    assert len(app.dataframe[0].value) >= 7


@pytest.mark.parametrize(
    "text",
    [
        "Je 0.8; suis 0.6",
        "Je 0.8\nsuis 0.6\n",
        '[("Je", 0.8), ("suis", 0.6)]',
        "[['Je', 0.8],\n ['suis', 0.6]]",
        "{'Je': 0.8, 'suis': 0.6}",
        '"Je" 0.8, "suis" 0.6,',
    ],
)
def test_pairs_as_programs_write_them(text):
    assert parse_tokens(text) == (("Je", 0.8), ("suis", 0.6))


def test_tokens_may_be_separators_and_quotes():
    assert parse_tokens(", 0.9; ( 0.5; \" 0.4; ' 0.3; ] 0.2") == (
        (",", 0.9),
        ("(", 0.5),
        ('"', 0.4),
        ("'", 0.3),
        ("]", 0.2),
    )
    assert parse_tokens("[(',', 0.9), ('(', 0.5)]") == ((",", 0.9), ("(", 0.5))


@pytest.mark.parametrize(
    "text",
    [
        "[('a', 0.5), b]",
        "[('a', 0.5), ('b',)]",
        "{'a': 2}",
        "[('a' 'b', 0.5)]",
        "'" * 9999,
        "[" * 100_000,
        " " * 100_000,
    ],
)
def test_other_notations_are_refused(text):
    with pytest.raises(UserError):
        parse_tokens(text)
