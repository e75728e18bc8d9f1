"""The page states what a model answers: scores, labels at once, or nothing, where its head is left out."""

from __future__ import annotations

import logging

import pytest
import torch
import transformers

from model.open_model import open_model
from tests.model.hub import tiny
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import page_text
from tests.pages.reading import number
from tests.tiers import nightly
from views.text.numbers import percent, three_digits

SIZES = tiny.TEXT_MODELS["bert"][2]
MODELS = {
    "score": ("Bert", "BertForSequenceClassification", SIZES | {"num_labels": 1}),
    "labels": (
        "Bert",
        "BertForSequenceClassification",
        SIZES | {"num_labels": 3, "problem_type": "multi_label_classification"},
    ),
    "tags": ("Bert", "BertForTokenClassification", SIZES | {"num_labels": 5}),
    "body": ("GPT2", "GPT2Model", tiny.TEXT_MODELS["gpt2"][2]),
    "pair-body": ("Bart", "BartModel", tiny.BART),
    "quality": ("ViT", "ViTForImageClassification", tiny.PICTURE | {"num_labels": 1}),
    "tagged": (
        "ViT",
        "ViTForImageClassification",
        tiny.PICTURE | {"num_labels": 3, "problem_type": "multi_label_classification"},
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    logging.getLogger("transformers").setLevel(logging.ERROR)
    root = tmp_path_factory.mktemp("answers")
    for name, (config, architecture, sizes) in MODELS.items():
        torch.manual_seed(1)
        network = getattr(transformers, architecture)(getattr(transformers, f"{config}Config")(**sizes))
        network.save_pretrained(root / name)
        (tiny.processor() if network.main_input_name == "pixel_values" else tiny.tokenizer()).save_pretrained(
            root / name
        )
    return root


@pytest.fixture(autouse=True)
def listed(folders, monkeypatch):
    monkeypatch.setenv("ATLAS_MODELS", ", ".join(str(folders / name) for name in MODELS))
    clear_all()
    yield
    clear_all()


def tables(app) -> list:
    return [frame.value for frame in app.dataframe]


@pytest.mark.parametrize("part", ["attention", nightly("heads"), "what-if"])
@pytest.mark.parametrize("name", MODELS)
def test_every_section_opens(open_app, name, part):
    app = open_app("models", model=name, text="The quick fox.", part=part, heads1=["2"])
    assert not app.exception
    assert not app.warning


def test_one_output_is_listed_as_a_score(open_app, folders):
    score = float(open_model(folders / "score", device="cpu").trace("A fox.").answers[0])
    app = open_app("models", model="score", text="A fox.", part="what-if", heads1=["2"])
    (table,) = [table for table in tables(app) if "score" in table.columns]
    assert table["score"][0] == three_digits(score)
    assert "100" not in str(table) and "not a probability" in page_text(app)
    assert [metric.label for metric in app.metric][:2] == ["Mean score before", "Mean score after"]
    assert number(app.metric[0].value) == pytest.approx(score, abs=1e-2)
    heads = open_app("models", model="score", text="A fox.", part="heads")
    assert "change is that of the score" in " ".join(page_text(heads).split())


def test_labels_that_hold_at_once_do_not_sum_to_one(open_app, folders):
    trace = open_model(folders / "labels", device="cpu").trace("A fox.")
    app = open_app("models", model="labels", text="A fox.")
    (table,) = [table for table in tables(app) if "class" in table.columns]
    assert sorted(table["probability"]) == sorted(percent(float(each)) for each in trace.probabilities)
    assert "several may be true at once" in page_text(app)


@pytest.mark.parametrize("name", ["quality", "tagged"])
def test_pictures_have_the_same_answers(open_app, folders, name):
    app = open_app("models", model=name)
    text = page_text(app)
    assert ("not a probability" in text) == (name == "quality")
    assert ("several may be true at once" in text) == (name == "tagged")
    options = [option.content for group in app.get("button_group") for option in group.proto.options]
    assert "Through the layers" not in options


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("tags", "BertForTokenClassification"), ("body", "has no output layer"), ("pair-body", "has no output layer")],
)
def test_the_page_states_that_answers_are_not_shown(open_app, name, sentence):
    app = open_app("models", model=name, text="The quick fox.")
    assert sentence in page_text(app).replace("\\", "")
    assert ("Answers are not shown" in page_text(app)) == (name == "tags")
    options = [option.content for group in app.get("button_group") for option in group.proto.options]
    assert "Heads" not in options
