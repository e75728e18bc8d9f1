"""The part *What is forgotten*: sizes and differences are those of the networks, findings those of the file."""

from __future__ import annotations

import numpy as np
import pytest

from model import RecurrentTranslator
from model.lessons.forgetting import NETWORKS, load_forgetting
from model.lessons.recurrence_gradients import measure_drift, state_gradients
from pages.shared.models import load_recurrent
from server.prefetch import prefetcher
from tests.pages.charts import checked
from tests.pages.conftest import SENTENCE
from tests.pages.stepped import labels, stepped
from views.text.numbers import percent


@pytest.fixture(scope="module")
def models() -> dict[str, RecurrentTranslator]:
    return {name: RecurrentTranslator.load(name) for name in NETWORKS}


def said(app) -> str:
    return " ".join(" ".join(part.value.split()) for part in app.markdown)


@pytest.mark.parametrize("word", ["house", "she"])
def test_sizes_and_differences_are_the_networks(open_app, models, word):
    header, numbers = stepped(open_app("history", part="forgetting", replacement=word))
    for name, states in NETWORKS.items():
        model = models[name]
        ids = [*model.check(SENTENCE), model.tokenizer.eos_id]
        sizes, drifts = (
            state_gradients(model.network, ids),
            measure_drift(model.network, ids, model.tokenizer.encode(word)[0]),
        )
        for state in states:
            key = f"{name}-{state}".replace("-", "_")
            np.testing.assert_allclose(numbers[f"size_{key}"], getattr(sizes, state)[::-1], rtol=1e-4)
            np.testing.assert_allclose(numbers[f"drift_{key}"], getattr(drifts, state), atol=1e-5)
            np.testing.assert_array_equal(numbers[f"last_{key}"], numbers[f"drift_{key}"][:, -1])
    assert labels(header, "token") == labels(header, "step")
    assert [panel["log"] for panel in header["panels"] if panel["is"] == "curves"] == [True, True]


def test_the_findings_are_those_that_were_measured(open_app, models):
    app = open_app("history", part="forgetting")
    found = load_forgetting({name: model.weights_sha256 for name, model in models.items()})
    text = said(app)
    assert f"Measured over {found.sentences} held-out sentences" in text
    for name, states in NETWORKS.items():
        for state in states:
            assert f"**{percent(found.retained(name, state))}**" in text
    header, numbers = stepped(app, 1)
    assert labels(header, "distance") == [str(distance) for distance in range(found.farthest + 1)]
    for name, states in NETWORKS.items():
        for state in states:
            means = [size.mean for size in found.sizes[name][state]][: found.farthest + 1]
            np.testing.assert_allclose(numbers[f"mean_{name}_{state}".replace("-", "_")], means, rtol=1e-6)
    assert header["panels"][0]["log"]


def test_the_share_of_the_sentence_leaves_its_end_token_out(open_app, models):
    text = said(open_app("history", part="forgetting"))
    model = models["rnn-vector"]
    sizes = state_gradients(model.network, [*model.check(SENTENCE), model.tokenizer.eos_id]).hidden
    assert f"RNN {percent(sizes[-2] / sizes[0])}," in text


def test_both_checks_hold(open_app):
    line = checked(open_app("history", part="forgetting"), "against autograd")
    assert float(line.split("largest difference ")[1].split()[0]) < 1e-5


def test_without_the_file_the_sentence_is_still_shown(open_app, monkeypatch, tmp_path):
    from model.lessons import forgetting

    monkeypatch.setattr(forgetting.load_forgetting, "__defaults__", (tmp_path,))
    app = open_app("history", part="forgetting")
    (warning,) = app.warning
    assert "run `make forgetting`" in warning.value
    assert stepped(app)


@pytest.mark.parametrize("text", ["No", "car " * 100])
def test_short_and_long_sentences(open_app, text):
    header, _ = stepped(open_app("history", part="forgetting", text=text))
    assert labels(header, "token")[0] == "</s>"


def test_nonsense_in_the_address_falls_back(open_app):
    app = open_app("history", part="forgetting", replacement="zz", token="-4")
    assert app.selectbox(key="replacement").value == "house"


def test_the_sizes_are_computed_while_another_part_is_read(open_app, models):
    text = "The old farmer has sold his two white horses."
    ids = [*models["rnn-vector"].check(text), models["rnn-vector"].tokenizer.eos_id]
    kept = {name: load_recurrent(name).analyses for name in NETWORKS}
    assert all(analyses.get(("gradients", tuple(ids))) is None for analyses in kept.values())
    open_app("history", part="ladder", text=text)
    prefetcher().join()
    for name, analyses in kept.items():
        found = analyses.get(("gradients", tuple(ids)))[-1].value
        assert found.hidden == pytest.approx(state_gradients(models[name].network, ids).hidden, rel=1e-5)
