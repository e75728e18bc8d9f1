"""Every network that can be studied is opened and measured on an input or two."""

import json
import shutil

import numpy as np
import pytest
from PIL import Image

from model import HeadInterventions, LanguageModel, OpenError, RecurrentTranslator, Scale, Translator, VisionClassifier
from model.attribution.head_labels import vision_scores
from model.attribution.intervention_result import token_losses
from model.classifier import SHIPPED as VISION_FOLDER
from model.networks.tap import AtEveryStep
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import CheckpointError
from model.study.networks import open_studied_model, studied_checkpoint
from model.study.study_data import StudyError, StudyInput, StudyInputs
from model.trained_model import ASSETS
from tests.model.hub.conftest import PICTURE, TEXT, example_input
from tests.model.hub.test_ablation import network_without_head

SENTENCE, FRENCH = "The cat sees the garden.", "Le chat voit le jardin."
SAMPLE = VISION_FOLDER.parent / "samples" / "church.jpg"


def test_the_translator_reads_lines_and_pairs():
    studied = open_studied_model("translator", "cpu")
    kinds = studied.kinds(None, StudyInputs("pairs", []))
    assert kinds == ("encoder", "decoder", "cross")
    own, forced = (studied.measure(StudyInput(SENTENCE, second), kinds, True) for second in (None, "Un chien dort."))
    trace = studied.model.trace(SENTENCE, "Un chien dort.")
    weights = trace.cross_attention.astype(np.float64)
    expected = -(weights * np.log(weights)).sum(axis=-1).mean(axis=-1)
    np.testing.assert_allclose(forced["cross"].measures["entropy"], expected, atol=1e-12)
    assert np.abs(own["cross"].effect - forced["cross"].effect).max() > 0.1
    assert "aligned" in own["cross"].scores.scores  # the alignment that ships with it is used
    assert studied.measure(StudyInput(SENTENCE), ("decoder",), False)["decoder"].effect is None


@pytest.mark.nightly
def test_the_classifier_measures_the_labelled_class_or_else_its_answer():
    studied = open_studied_model("vision", "cpu")
    content = SAMPLE.read_bytes()
    by_label = {
        label: studied.measure(StudyInput(content, label=label), ("vision",), True)["vision"]
        for label in (None, "church", "samples", 0)
    }
    model = VisionClassifier.load(device="cpu")
    trace = model.trace(Image.open(SAMPLE))
    effects = model.ablate_heads(trace)
    answer = int(trace.logits.argmax())
    assert trace.classes[answer] == "church"
    for label, number in ((None, answer), ("church", answer), ("samples", answer), (0, 0)):
        np.testing.assert_allclose(by_label[label].effect, effects.loss_changes(number), atol=1e-6)
    scores = vision_scores(trace.attention, trace.grid).scores
    np.testing.assert_allclose(by_label[None].scores.scores["row"], scores["row"], atol=1e-12)
    with pytest.raises(StudyError, match="not a picture"):
        studied.measure(StudyInput(b"no"), ("vision",), True)


def test_the_decoder_only_network_is_measured_on_its_translation():
    studied = open_studied_model("language", "cpu")
    assert studied.kinds(None, StudyInputs("pairs", [])) == ("decoder",)
    measured = studied.measure(StudyInput(SENTENCE, FRENCH), ("decoder",), True)["decoder"]
    model = LanguageModel.load(device="cpu")
    trace = model.trace(SENTENCE, FRENCH)
    without = model.trace(SENTENCE, FRENCH, intervention=HeadInterventions((Scale("decoder", ((2, 3),), 0.0),)))
    first = trace.prompt_length - 1
    change = float((token_losses(without) - token_losses(trace))[first:].mean())
    assert measured.effect.shape == (model.config.n_layers, model.config.n_heads) and abs(change) > 1e-4
    assert measured.effect[2, 3] == pytest.approx(change, abs=1e-5)
    assert set(measured.scores.scores) >= {"previous", "start", "diffuse"}
    assert studied.measure(StudyInput(SENTENCE), ("decoder",), False)["decoder"].effect is None


@pytest.mark.parametrize(
    ("name", "type_"),
    [
        ("translator", Translator),
        ("language", LanguageModel),
        ("vision", VisionClassifier),
        ("recurrent/lstm-dot", RecurrentTranslator),
        ("positions/alibi", PositionTranslator),
    ],
)
def test_a_folder_is_opened_as_what_its_configuration_is(name, type_, tmp_path):
    folder = ASSETS / name
    assert type(open_studied_model(str(folder), "cpu").model) is type_
    shutil.copy(folder / "config.json", tmp_path)
    with pytest.raises(StudyError, match=r"has no card\.json, which training writes last"):
        open_studied_model(str(tmp_path), "cpu")


def test_a_folder_of_another_program_is_not_taken_for_one_of_these_networks(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"n_layers": 2, "dim": 32}))
    with pytest.raises(OpenError, match="names no type of model"):
        open_studied_model(str(tmp_path), "cpu")


@pytest.mark.parametrize("name", ["lstm-additive", "lstm-dot"])
def test_the_effect_of_ablating_alignment(name):
    studied = open_studied_model(name, "cpu")
    measured = studied.measure(StudyInput(SENTENCE, FRENCH), ("cross",), True)["cross"]
    model = RecurrentTranslator.load(name, "cpu")
    trace = model.trace(SENTENCE, FRENCH)
    ablated = model.trace(SENTENCE, FRENCH, intervention=AtEveryStep({"decoder.cross.outputs": lambda o: 0 * o}))
    assert measured.effect.shape == (1, 1)
    assert "aligned" in measured.scores.scores  # by the translator's alignment, for the tokens are the same
    assert measured.effect[0, 0] == pytest.approx(token_losses(ablated).mean() - token_losses(trace).mean(), abs=1e-6)
    assert measured.effect[0, 0] > 0.5
    apart = np.abs(np.arange(trace.alignment.shape[0])[:, None] - np.arange(trace.alignment.shape[1]))
    assert measured.measures["distance"][0, 0] == pytest.approx((trace.alignment * apart).sum(axis=1).mean(), abs=1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["gpt2", "bert", "t5", "vit"])
def test_an_opened_model_is_measured_in_all_its_kinds(opened, name, tmp_path):
    model = opened(name)
    studied = studied_checkpoint(model, name)
    form = "pictures" if model.vision else "texts"
    kinds = studied.kinds(None, StudyInputs(form, []))
    if model.vision:
        PICTURE.save(tmp_path / "a.png")
    item = StudyInput((tmp_path / "a.png").read_bytes() if model.vision else TEXT)
    measured = studied.measure(item, kinds, True)
    trace = model.trace(example_input(model))
    for kind in kinds:
        shape = trace.attention(kind).shape[:2]
        assert measured[kind].effect.shape == measured[kind].measures["distance"].shape == shape
        assert np.abs(measured[kind].effect).max() > 0
    if name == "bert":
        pair = studied.measure(StudyInput(TEXT, "A car."), kinds, True)["encoder"]
        expected = model.trace(TEXT, second="A car.").attention("encoder")
        assert pair.measures["entropy"][1, 2] == pytest.approx(-(expected * np.log(expected))[1, 2].sum(axis=-1).mean())
    if name == "t5":
        assert kinds == ("encoder", "decoder", "cross")
        assert list(studied.measure(StudyInput(TEXT, "A car."), ("cross",), True)) == ["cross"]


def test_the_effect_in_a_decoder_is_that_of_a_network_without_the_head(opened):
    import torch

    studied = studied_checkpoint(opened("gpt2"), "gpt2")
    effect = studied.measure(StudyInput(TEXT), ("decoder",), True)["decoder"].effect
    ids = torch.tensor([opened("gpt2").trace(TEXT).source.ids])
    with torch.no_grad():
        both = [
            network(ids, labels=ids).loss for network in (network_without_head("gpt2", 0, 1), opened("gpt2").network)
        ]
    assert effect[0, 1] == pytest.approx(float(both[0] - both[1]), abs=1e-4)


def test_a_network_without_pairs_refuses_them(opened):
    with pytest.raises(StudyError, match="gpt2 reads texts, and these are pairs"):
        studied_checkpoint(opened("gpt2"), "gpt2").kinds(None, StudyInputs("pairs", []))
    assert studied_checkpoint(opened("bert"), "bert").forms == ("texts", "pairs")


def test_a_long_text_is_a_user_error(opened):
    with pytest.raises(OpenError, match="positions; shorten the text"):
        studied_checkpoint(opened("gpt2"), "gpt2").measure(StudyInput(TEXT * 20), ("decoder",), True)


def test_sources_that_cannot_be_opened_have_one_sentence_errors(tmp_path):
    with pytest.raises(
        StudyError, match="no model nothing-here here; give translator, language, vision, lstm-additive, lstm-dot"
    ):
        open_studied_model("nothing-here")
    with pytest.raises(StudyError, match="no model /nowhere/at/all here"):
        open_studied_model("/nowhere/at/all")
    with pytest.raises(OpenError, match="no config.json"):
        open_studied_model(str(tmp_path))
    with pytest.raises(StudyError, match="fits on one device"):
        open_studied_model("translator", "spread")
    with pytest.raises(StudyError, match="lstm-vector has no attention"):
        open_studied_model("lstm-vector", "cpu").kinds(None, StudyInputs("texts", []))
    for config, error, message in (
        ({"widths": [8]}, StudyError, "convolutional"),
        ({}, OpenError, "names no type of model"),
        ({"n_layers": 2}, CheckpointError, "cannot be read"),
    ):
        (tmp_path / "card.json").write_text("{}")
        (tmp_path / "config.json").write_text(json.dumps(config))
        with pytest.raises(error, match=message):
            open_studied_model(str(tmp_path))
