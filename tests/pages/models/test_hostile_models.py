"""A listed model that is hostile, or fails while it runs, gives one sentence on the page, in its fragments too."""

from __future__ import annotations

import os

import pytest

from model import open_model
from tests.pages.models.opened_model_page import page_text


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "generation_config.json"])
def test_a_pipe_in_a_folder_is_refused(open_app, listed, name):
    file = listed["gpt2"] / name
    content = file.read_bytes()
    file.unlink()
    os.mkfifo(file)
    try:
        app = open_app("models", model="gpt2")
        assert not app.exception
        assert "is not a regular file" in page_text(app).replace("\\", "")
    finally:
        file.unlink()
        file.write_bytes(content)


@pytest.mark.parametrize("method", ["trace", "count_weights", "generate_in_steps", "top"])
def test_a_panic_while_the_page_runs_the_model_is_a_sentence(open_app, listed, monkeypatch, method):
    open_model(listed["gpt2"], device="cpu")
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})

    def fail(*_, **__):
        raise panic("called `Result::unwrap()` on an `Err` value")

    targets = {
        "trace": "opened_model.run_network",
        "count_weights": "input_forms.tokenize",
        "generate_in_steps": "opened_reading.greedy_in_steps",
        "top": "opened_model.labels_of",
    }
    monkeypatch.setattr(f"model.hub.{targets[method]}", fail)
    app = open_app("models", model="gpt2", text=f"A text for {method}.")
    assert not app.exception
    assert "fails on this input" in page_text(app)


@pytest.mark.parametrize("part", ["heads", "what-if"])
def test_an_error_in_a_fragment_is_a_sentence(open_app, listed, monkeypatch, part):
    def fail(*_, **__):
        raise OSError("not a sentence")

    monkeypatch.setattr("model.hub.scoring.pseudo_likelihood", fail)
    app = open_app("models", model="bert", text=f"The quick fox and {part}.", part=part, heads1=["2"])
    assert not app.exception
    assert "fails on this input" in page_text(app)
    app.run()
    assert not app.exception
