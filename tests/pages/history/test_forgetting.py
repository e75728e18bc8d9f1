"""The section *What is forgotten*: sizes and differences are those of the networks, findings those of the file."""

from __future__ import annotations

import numpy as np
import pytest

from model import RecurrentTranslator
from model.lessons.forgetting import NETWORKS, load_forgetting
from model.lessons.recurrence_gradients import measure_drift, state_gradients
from pages.shared.models import load_recurrent
from server.prefetch import prefetcher
from tests.pages.charts import check_caption
from tests.pages.conftest import SENTENCE
from tests.pages.stepped import labels, read_step_view
from views.text.numbers import percent


@pytest.fixture(scope="module")
def models() -> dict[str, RecurrentTranslator]:
    return {name: RecurrentTranslator.load(name) for name in NETWORKS}


def text_of(app) -> str:
    return " ".join(part.value.replace("\n", " ") for part in app.markdown)


@pytest.mark.nightly
@pytest.mark.parametrize("word", ["house", "she"])
def test_sizes_and_differences_equal_the_networks(open_app, models, word):
    header, numbers = read_step_view(open_app("history", part="forgetting", replacement=word))
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
    gradients, drifts = (panel for panel in header["panels"] if panel["is"] == "curves")
    assert gradients["log"] and drifts["log"]
    rnn, cell = (numbers[f"size_{key}"] for key in ("rnn_vector_hidden", "lstm_vector_cell"))  # in the order of reading
    for name, size in (("RNN", rnn), ("LSTM", cell)):
        assert f"{percent(size[1] / size[-1])} as much" in gradients["finding"] and name in gradients["finding"]


def test_findings_equal_the_measurement(open_app, models):
    app = open_app("history", part="forgetting")
    expected = load_forgetting({name: model.weights_sha256 for name, model in models.items()})
    text = text_of(app)
    assert f"Measured over {expected.sentences} held-out sentences" in text
    for name, states in NETWORKS.items():
        for state in states:
            assert f"**{percent(expected.retained(name, state))}**" in text
    header, numbers = read_step_view(app, 1)
    assert labels(header, "distance") == [str(distance) for distance in range(expected.farthest + 1)]
    for name, states in NETWORKS.items():
        for state in states:
            means = [size.mean for size in expected.sizes[name][state]][: expected.farthest + 1]
            np.testing.assert_allclose(numbers[f"mean_{name}_{state}".replace("-", "_")], means, rtol=1e-6)
    assert header["panels"][0]["log"]
    assert f"{percent(expected.retained('rnn-vector', 'hidden'))} of the gradient" in header["panels"][0]["finding"]


def test_sentence_share_excludes_the_end_token(open_app, models):
    text = text_of(open_app("history", part="forgetting"))
    model = models["rnn-vector"]
    sizes = state_gradients(model.network, [*model.check(SENTENCE), model.tokenizer.eos_id]).hidden
    assert f"RNN {percent(sizes[-2] / sizes[0])}," in text


def test_checks_are_below_their_bounds(open_app):
    line = check_caption(open_app("history", part="forgetting"), "against autograd")
    assert float(line.split("largest difference ")[1].split()[0]) < 1e-5


def test_sentence_is_shown_without_the_measurement_file(open_app, monkeypatch, tmp_path):
    from model.lessons import forgetting

    monkeypatch.setattr(forgetting.load_forgetting, "__defaults__", (tmp_path,))
    app = open_app("history", part="forgetting")
    (warning,) = app.warning
    assert "run `make forgetting`" in warning.value
    assert read_step_view(app)


@pytest.mark.nightly
@pytest.mark.parametrize("text", ["No", "car " * 100])
def test_short_and_long_sentences(open_app, text):
    header, _ = read_step_view(open_app("history", part="forgetting", text=text))
    assert labels(header, "token")[0] == "</s>"


def test_nonsense_in_the_address_falls_back(open_app):
    app = open_app("history", part="forgetting", replacement="zz", token="-4")
    assert app.selectbox(key="replacement").value == "house"


def test_gradients_are_prefetched_while_another_section_is_open(open_app, models):
    text = "The old farmer has sold his two white horses."
    ids = [*models["rnn-vector"].check(text), models["rnn-vector"].tokenizer.eos_id]
    caches = {name: load_recurrent(name).analyses for name in NETWORKS}
    assert all(analyses.get(("gradients", tuple(ids))) is None for analyses in caches.values())
    open_app("history", part="ladder", text=text)
    prefetcher().join()
    for name, analyses in caches.items():
        expected = analyses.get(("gradients", tuple(ids)))[-1].value
        assert expected.hidden == pytest.approx(state_gradients(models[name].network, ids).hidden, rel=1e-5)
