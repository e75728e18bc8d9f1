"""Training the classifier: from pictures to a card, resumed, and in two processes."""

import json
import re
import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

from model.attribution.agreement import average_ranks
from model.attribution.faithfulness import class_probabilities
from model.attribution.head_labels import vision_scores
from model.attribution.head_statistics import load_statistics
from model.causal.metrics import Logit
from model.classifier import VisionClassifier
from model.data.images import read_images
from model.networks.vision import VisionConfig, VisionTransformer
from model.runtime.checkpoint import load_tensors, load_weights, sha256_of
from model.study.study_data import spread_evenly
from tests.training.programs import reproducible_rows, run
from tests.training.toy_pictures import CLASSES, vision_training, write_shards
from training.__main__ import main
from training.head_study import study_classifier
from training.loop import BEST, CHECKPOINT
from training.recognition import RecognitionStep, RecognitionTask, Stages, classify_all, resize_pictures
from training.vision_scores import (
    better_than_centre,
    calibration_error,
    faithfulness_block,
    fit_temperature,
    paired_gain,
)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_shards(tmp_path_factory.mktemp("shapes"))


def call(arguments) -> int:
    return main([str(word) for word in arguments])


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    """The folder of a run of two epochs at 8 pixels and eight at 16."""
    out = tmp_path_factory.mktemp("finished") / "vision"
    assert call(vision_training(data, out, stages="8x2,16x8", mixed=0.2)) == 0
    return out


def test_the_shapes_are_learned_and_the_weights_are_the_averaged_ones(finished, data):
    images = read_images(data)
    classifier = VisionClassifier.load(finished, "cpu")
    assert classifier.config.classes == CLASSES and classifier.config.image_size == 16
    logits, _ = classify_all(classifier.network, images.validation, 16, torch.device("cpu"))
    right = (logits.argmax(dim=1).numpy() == images.validation.labels).mean()
    card = json.loads((finished / "card.json").read_text())
    assert card["evaluation"]["top1"] == right
    assert right > 0.6
    tensors, _ = load_tensors(finished / "model.safetensors")
    best, _ = load_tensors(finished / BEST)
    temperature = card["calibration"]["temperature"]
    for name, tensor in tensors.items():
        expected = best[name] / temperature if name.startswith("head.") else best[name]
        assert torch.equal(tensor, expected.half())


def test_the_epoch_and_the_temperature_are_chosen_on_the_pictures_held_back(finished, data):
    images = read_images(data).hold_back(6)
    card = json.loads((finished / "card.json").read_text())
    epochs = [row for row in reproducible_rows(finished) if row["event"] == "epoch"]
    assert all("merit" not in row for row in epochs[:2])  # at 8 pixels, which are not the last size
    highest = max(row["merit"] for row in epochs[2:])
    chosen = [row for row in epochs[2:] if row["merit"] == highest][-1]
    assert card["training"]["chosen"] == {"epoch": chosen["epoch"] + 1, "top1": chosen["top1"]}
    network = VisionTransformer(VisionClassifier.load(finished, "cpu").config)
    load_weights(network, load_tensors(finished / BEST)[0], "best")
    logits, _ = classify_all(network.eval(), images.held_back, 16, torch.device("cpu"))
    labels = torch.from_numpy(images.held_back.labels)
    assert (logits.argmax(dim=1) == labels).double().mean().item() == chosen["top1"]
    calibration = card["calibration"]
    assert calibration["pictures"] == 6
    assert calibration["temperature"] == pytest.approx(fit_temperature(logits, labels), rel=1e-6)
    assert calibration["error_before"] == calibration_error(logits.softmax(dim=1), labels)
    text = (finished / "card.md").read_text()
    assert f"- Temperature {calibration['temperature']:.3f}, fitted on the pictures held back" in text
    assert f"- Shipped: epoch {chosen['epoch'] + 1}, which recognizes most of the pictures held back" in text
    assert "6 further training pictures held back" in text


def test_the_card_states_the_measured_figures(finished, data):
    card = json.loads((finished / "card.json").read_text())
    text = (finished / "card.md").read_text()
    assert card["weights_sha256"] == sha256_of(finished / "model.safetensors")
    assert card["training"]["stages"] == [[8, 2], [16, 8]]
    assert card["training"]["epochs"] == 10
    data = card["data"]
    assert (data["training_pictures"], data["held_back"], card["evaluation"]["pictures"]) == (30, 6, 12)
    evaluation = card["evaluation"]
    assert np.mean(list(evaluation["classes"].values())) == pytest.approx(evaluation["top1"])
    assert evaluation["explained"] == 12
    methods = evaluation["faithfulness"]
    assert set(methods) == {"CLS attention", "rollout", "gradient relevance", "raw gradient", "centre", "random"}
    assert methods["random"]["difference"]["mean"] == 0
    for way, sign in (("deletion", -1), ("insertion", 1)):
        for name, figures in methods.items():
            gain = figures["over_centre"][way]
            assert gain["mean"] == pytest.approx(
                sign * (figures[way]["mean"] - methods["centre"][way]["mean"]), abs=1e-9
            )
            assert gain["low"] <= gain["mean"] <= gain["high"], name
    assert methods["centre"]["over_centre"]["deletion"] == {"mean": 0, "low": 0, "high": 0}
    for name, figures in methods.items():
        expected = figures["deletion"]["mean"] - methods["random"]["deletion"]["mean"]
        assert figures["difference"]["mean"] == pytest.approx(expected, abs=1e-9)
        assert f"{figures['deletion']['mean']:.3f} ± {figures['deletion']['sd']:.3f}" in text, name
    for figure in (
        f"Top-1 accuracy {100 * evaluation['top1']:.1f} %",
        f"calibration error {100 * evaluation['calibration_error']:.1f} %",
        "2 epochs at 8 pixels, then 8 epochs at 16 pixels",
        card["weights_sha256"],
        card["data"]["licence"],
        "'mixed': 0.2",
    ):
        assert figure in text, figure


def test_every_explanation_is_compared_with_leave_one_out(finished, data, tmp_path):
    folder = shutil.copytree(finished, tmp_path / "vision")
    words = ["agreement-vision", "--data", data, "--model", folder, "--pictures", 6, "--device", "cpu"]
    assert call(words) == 0
    many, classifier = json.loads((folder / "card.json").read_text())["leave_one_out"], VisionClassifier.load(folder)
    pictures = read_images(data).validation.pictures
    correlations, missing = [], []
    for index in spread_evenly(len(pictures), 6):
        trace = classifier.trace(resize_pictures(pictures[index : index + 1], 16)[0])
        result = classifier.integrated_gradients(trace, Logit(trace.answer))
        missing.append(abs(result.gap / (result.value - result.baseline)))
        patches = torch.eye(len(result.attributions["patches"]), dtype=torch.bool)
        covered = class_probabilities(classifier.network, classifier._tensor(trace.pixels), patches)[:, trace.answer]
        scores = classifier.explain(trace, trace.answer, integrated=True)
        ranks = [average_ranks(values) for values in (*map(np.ravel, scores.values()), -covered)]
        correlations.append(np.corrcoef(ranks)[-1, :-1])
    assert list(many["methods"]) == [*scores, "centre"] and many["pictures"] == 6
    measured = [many["methods"][name]["mean"] for name in scores]
    np.testing.assert_allclose(measured, np.mean(correlations, axis=0), atol=1e-3)
    assert many["missing"] == pytest.approx(np.mean(missing), rel=1e-3, abs=1e-6)
    text, figures = (folder / "card.md").read_text(), many["methods"]["integrated gradients"]
    assert f"| integrated gradients | {figures['mean']:.3f} ± {figures['standard_error']:.3f} | " in text
    assert "Over 6 validation pictures" in text and "same top patch" in text


def figures_with(name: str, **gains: tuple[float, float, float]) -> dict:
    spread = {"mean": 0.5, "sd": 0.1}
    bands = {way: dict(zip(("mean", "low", "high"), gain, strict=True)) for way, gain in gains.items()}
    difference = {"mean": -0.1, "standard_error": 0.01}
    figures = {"deletion": spread, "insertion": spread, "difference": difference, "below_random": 0.9}
    return {name: figures | {"over_centre": bands}}


def test_only_a_band_above_zero_in_both_areas_is_better_than_the_centre():
    above, across = (0.1, 0.01, 0.19), (0.1, -0.01, 0.21)
    figures = figures_with("rollout", deletion=above, insertion=above)
    figures |= figures_with("CLS attention", deletion=above, insertion=across)
    figures |= figures_with("centre", deletion=(0, 0, 0), insertion=(0, 0, 0))
    figures |= figures_with("random", deletion=above, insertion=above)  # a baseline is no method
    assert better_than_centre(figures) == ["rollout"]
    text = faithfulness_block({"explained": 12, "faithfulness": figures})
    assert "Better than it in both areas with the whole band: rollout. Not better: CLS attention." in text
    assert "| +0.100 (+0.010 to +0.190) | +0.100 (-0.010 to +0.210) |" in text
    del figures["rollout"]
    assert "No method is better" in faithfulness_block({"explained": 12, "faithfulness": figures})
    columns = {line.count("|") for line in text.splitlines() if line.startswith("|")}
    assert columns == {8}


def test_the_band_of_paired_differences_has_both_ends_at_1_96_standard_errors():
    gains = np.array([1.0, 2.0, 3.0, 6.0])
    error = np.sqrt(((gains - 3) ** 2).sum() / 3 / 4)
    assert paired_gain(gains) == pytest.approx({"mean": 3.0, "low": 3 - 1.96 * error, "high": 3 + 1.96 * error})


def test_a_card_of_an_earlier_version_has_no_comparison_with_the_centre():
    figures = figures_with("rollout", deletion=(0, 0, 0), insertion=(0, 0, 0))
    figures |= figures_with("random", deletion=(0, 0, 0), insertion=(0, 0, 0))
    for each in figures.values():
        del each["over_centre"]
    text = faithfulness_block({"explained": 12, "faithfulness": figures})
    assert "| rollout | 0.500 ± 0.100 | 0.500 ± 0.100 | -0.100 ± 0.010 | 90 % |\n" in text
    assert "centre" not in text and "| below random |\n| --- | --- | --- | --- | --- |\n" in text


def test_evaluating_again_changes_nothing_and_other_pictures_are_refused(finished, data, tmp_path, capsys):
    before = json.loads((finished / "card.json").read_text())
    assert call(["evaluate-vision", "--data", data, "--model", finished, "--device", "cpu"]) == 0
    assert json.loads((finished / "card.json").read_text()) == before
    other = write_shards(tmp_path / "other", train=2, validation=1)
    capsys.readouterr()
    assert call(["evaluate-vision", "--data", other, "--model", finished, "--device", "cpu"]) == 2
    assert "not the ones the classifier was trained with" in capsys.readouterr().err


def test_a_run_that_stops_in_mid_epoch_and_is_resumed_ends_with_the_same_weights(data, tmp_path, monkeypatch):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    options = dict(stages="8x1,16x2", drop_path=0.3)
    assert call(vision_training(data, whole, **options)) == 0
    load = RecognitionTask.load

    def stop_in_second_epoch(task, indices):
        if task.epoch == 1 and stop_in_second_epoch.calls > 2:
            raise KeyboardInterrupt
        stop_in_second_epoch.calls += task.epoch == 1
        return load(task, indices)

    stop_in_second_epoch.calls = 0
    monkeypatch.setattr(RecognitionTask, "load", stop_in_second_epoch)
    assert call(vision_training(data, parts, **options)) == 130  # as after Ctrl+C
    monkeypatch.undo()
    assert not (parts / "model.safetensors").exists()
    assert call([*vision_training(data, parts, **options), "--resume"]) == 0
    assert reproducible_rows(parts) == reproducible_rows(whole)
    assert (parts / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


@pytest.mark.nightly
def test_two_processes_take_the_steps_of_one_with_the_doubled_batch(tmp_path):
    data = write_shards(tmp_path / "data", train=14)  # without those held back, six whole batches
    two, one = tmp_path / "two", tmp_path / "one"
    exact = dict(stages="16x1", precision="fp32")
    run(*vision_training(data, two, batch_tokens=3 * 17, **exact), processes=2)
    assert call(vision_training(data, one, batch_tokens=6 * 17, **exact)) == 0
    two_processes, one_process = (load_tensors(folder / CHECKPOINT)[0] for folder in (two, one))
    for name, tensor in one_process.items():
        # softmax does not depend on the keys' bias: its gradient is rounding only, which AdamW scales to a whole step
        if name.startswith("network.") and not name.endswith("attention.key.bias"):
            torch.testing.assert_close(two_processes[name], tensor, atol=2e-3, rtol=0)
    rows, expected = reproducible_rows(two), reproducible_rows(one)
    assert rows[-1]["steps"] == expected[-1]["steps"]
    assert rows[-1]["heldout_nll"] == pytest.approx(expected[-1]["heldout_nll"], rel=1e-3)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (dict(stages="16"), "'16' is no plan of sizes; write pixels x epochs"),
        (dict(stages="16x0"), "is no plan of sizes"),
        (dict(stages="18x1"), "image_size 18 is no whole number of patches of 4 pixels"),
        (dict(mixed=2), "mixed is 2.0; it must be from 0 to 1"),
        (dict(d_model=17), "not divisible by n_heads 2"),
        (dict(held_back=0), "0 of 36 training pictures cannot be held back"),
        (dict(held_back=36), "36 of 36 training pictures cannot be held back"),
        (dict(operations=-1), "operations is -1; it must be at least 0"),
    ],
)
def test_options_out_of_range_are_refused_before_anything_is_written(data, tmp_path, capsys, options, sentence):
    assert call(vision_training(data, tmp_path / "out", **options)) == 2
    assert re.search(re.escape(sentence), capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


def test_a_run_on_other_views_cannot_be_resumed(finished, data, capsys):
    assert call([*vision_training(data, finished, stages="8x2,16x8", mixed=0.9), "--resume"]) == 2
    assert "trained on other data" in capsys.readouterr().err


def test_stages_are_read_from_text():
    stages = Stages.parse("48x2,96x1")
    assert [stages.size(epoch) for epoch in range(4)] == [48, 48, 96, 96]
    assert (stages.epochs, stages.final_size) == (3, 96)


def test_calibration_error_of_cases_worked_by_hand():
    labels = torch.tensor([0, 0, 0, 0])
    sure_and_right = torch.tensor([[1.0, 0.0]] * 4)
    assert calibration_error(sure_and_right, labels) == 0
    assert calibration_error(sure_and_right, 1 - labels) == 1
    # four answers at 0.75, three of them right: no error; two right: 0.25
    three_quarters = torch.tensor([[0.75, 0.25]] * 4)
    assert calibration_error(three_quarters, torch.tensor([0, 0, 0, 1])) == pytest.approx(0)
    assert calibration_error(three_quarters, torch.tensor([0, 0, 1, 1])) == pytest.approx(0.25)
    # two bins count by their size: 3/4 x |2/3 - 0.6| + 1/4 x |1 - 0.9|
    mixed = torch.tensor([[0.6, 0.4]] * 3 + [[0.9, 0.1]])
    expected = 0.75 * abs(2 / 3 - 0.6) + 0.25 * 0.1
    assert calibration_error(mixed, torch.tensor([0, 0, 1, 0])) == pytest.approx(expected, abs=1e-6)


def test_the_temperature_of_an_overconfident_network_is_found():
    random = torch.Generator().manual_seed(0)
    logits = torch.randn(4000, 5, generator=random) * 2
    labels = torch.multinomial(logits.softmax(dim=1), 1, generator=random)[:, 0]
    for temperature in (0.4, 1.0, 3.0):
        fitted = fit_temperature(logits * temperature, labels)
        assert fitted == pytest.approx(temperature, rel=0.05)
        inverse = torch.tensor(1 / fitted, dtype=torch.float64, requires_grad=True)
        loss = torch.nn.functional.cross_entropy(logits.double() * temperature * inverse, labels)
        loss.backward()
        assert abs(inverse.grad) < 1e-6  # the minimum
    assert calibration_error((logits * 3).softmax(dim=1), labels) > 0.1
    assert calibration_error(logits.softmax(dim=1), labels) < 0.03


def test_a_temperature_stays_within_bounds_where_every_answer_is_right():
    assert 0.049 < fit_temperature(torch.eye(3), torch.arange(3)) < 0.06


def test_the_heads_are_studied_and_listed_in_the_card(finished, data, tmp_path):
    copy = shutil.copytree(finished, tmp_path / "copy")
    assert call(["heads-vision", "--data", data, "--model", copy, "--pictures", 3, "--device", "cpu"]) == 0
    classifier, images = VisionClassifier.load(copy, "cpu"), read_images(data)
    statistics = load_statistics(copy, sha256_of(copy / "model.safetensors"))
    assert (statistics.inputs, statistics.of) == (3, "validation pictures")
    changes, scores = [], []
    for index in (0, 6, 11):  # spread over the twelve; 5.5 rounds to 6
        trace = classifier.trace(resize_pictures(images.validation.pictures[index : index + 1], 16)[0])
        changes.append(classifier.ablate_heads(trace).loss_changes(int(images.validation.labels[index])))
        scores.append(vision_scores(trace.attention, trace.grid).scores["CLS"])
    table = statistics.kinds["vision"]
    np.testing.assert_allclose(table.effect.mean, np.mean(changes, axis=0), atol=2e-5)
    np.testing.assert_allclose(table.scores["CLS"].sd, np.std(scores, axis=0), atol=2e-5)
    text = (copy / "card.md").read_text()
    assert f"| vision 1.1 | {table.label(0, 0).name}" in text and "Over 3 validation pictures" in text
    with pytest.raises(ValueError, match="are not the ones the classifier was trained with"):
        study_classifier(copy, replace(images, sha256="0" * 64))


@pytest.mark.nightly
def test_a_compiled_step_has_the_loss_and_the_gradient_of_the_plain_one():
    torch.manual_seed(1)
    config = VisionConfig(CLASSES, image_size=16, patch_size=4, d_model=16, n_heads=2, n_layers=1, d_ff=32, drop_path=0)
    network, label, share = VisionTransformer(config), torch.tensor([0, 1, 2, 0]), torch.ones(4)
    pixels = torch.rand(4, 3, 16, 16) * 2 - 1
    results = []
    for compiled in (False, True):
        step = RecognitionStep(network, 0.1, compiled=compiled)
        step.whole = 4
        network.zero_grad()
        loss, nll = step(pixels, label, label, share)
        loss.backward()
        results.append([loss.detach(), nll, *(parameter.grad.clone() for parameter in network.parameters())])
    for plain, fast in zip(*results, strict=True):
        torch.testing.assert_close(fast, plain, atol=1e-5, rtol=1e-4)
