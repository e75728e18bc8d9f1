"""A student learns its teacher's answers to the same views."""

import json

import numpy as np
import pytest
import torch

from model import VisionClassifier
from model.data.images import read_images
from model.networks.vision import VisionConfig, VisionTransformer
from model.runtime.checkpoint import load_tensors, sha256_of
from tests.tiers import nightly
from tests.training.programs import reproducible_rows
from tests.training.toy_pictures import CLASSES, convolution_training, vision_training, write_shards
from training.__main__ import main
from training.augment import Augmentation
from training.distillation import Distillation, Teacher, downscale
from training.loop import CHECKPOINT
from training.optimizer import Recipe
from training.recognition import RecognitionStep, RecognitionTask, Stages

STUDENT = VisionConfig(CLASSES, image_size=16, patch_size=4, d_model=16, n_heads=2, n_layers=2, d_ff=32, drop_path=0.0)


def call(arguments) -> int:
    return main([str(word) for word in arguments])


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_shards(tmp_path_factory.mktemp("shapes"))


@pytest.fixture(scope="module")
def images(data):
    return read_images(data).hold_back(6)


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    """A finished teacher for pictures of 32 pixels."""
    out = tmp_path_factory.mktemp("teacher") / "convolution"
    assert call(convolution_training(data, out, stages="32x6", mixed=0.2)) == 0
    return out


def make_task(images, teacher, **changes) -> RecognitionTask:
    torch.manual_seed(3)
    recipe = Recipe(epochs=1, batch_tokens=6 * 17, label_smoothing=0.1, precision="fp32")
    stages = Stages(((16, 1),))
    return RecognitionTask(
        VisionTransformer(STUDENT), images, recipe, stages, Augmentation(mixed=0.5), teacher, **changes
    )


@pytest.mark.nightly
@pytest.mark.parametrize("side", [nightly(32), 8])
def test_teacher_and_student_see_the_same_views(folder, images, side):
    teacher = Teacher.load(folder, Distillation(teacher_size=side), images)
    task = make_task(images, teacher)
    indices = task.plan(0, 1)[0]
    (pixels, label, other, share, answers), terms = task.load(indices)
    assert (pixels.shape, answers.shape, terms) == ((6, 3, 16, 16), (6, 3), 6)
    views, *_ = task._drawn(indices, 0, max(16, side))
    torch.testing.assert_close(pixels, downscale(views, 16))
    torch.testing.assert_close(answers, teacher.network(downscale(views, side)))
    assert (share < 1).any()  # mixed pictures too


def test_repeated_views_are_answered_by_the_teacher_once(folder, images, monkeypatch):
    teacher = Teacher.load(folder, Distillation(rounds=2), images)
    task = make_task(images, teacher)
    uncached = make_task(images, Teacher.load(folder, Distillation(), images))
    batch_sizes = []
    answers = teacher.answers
    monkeypatch.setattr(teacher, "answers", lambda views: batch_sizes.append(len(views)) or answers(views))
    batches = []
    for epoch in range(4):
        task.epoch = uncached.epoch = epoch
        batches.append(task.load([3, 5])[0])
        if epoch < 2:
            fresh = uncached.load([3, 5])[0]
            torch.testing.assert_close(batches[-1][0], fresh[0], atol=1 / 255, rtol=0)  # cached in 256 steps
            assert all(torch.equal(*pair) for pair in zip(batches[-1][1:], fresh[1:], strict=True))
    assert batch_sizes == [2, 2]
    for first, second in ((0, 2), (1, 3)):
        assert all(torch.equal(*pair) for pair in zip(batches[first], batches[second], strict=True))
    assert not torch.equal(batches[0][0], batches[1][0])


def test_the_loss_is_the_divergence_from_the_teacher_worked_by_hand(folder, images):
    teacher = Teacher.load(folder, Distillation(teacher_share=0.7, teacher_temperature=3.0), images)
    task = make_task(images, teacher)
    tensors, _ = task.load(task.plan(0, 1)[0])
    pixels, label, other, share, answers = tensors
    loss, nll = task.step.eval()(*tensors)
    logits = task.network(pixels)
    p, q = (answers / 3).softmax(dim=1).double(), (logits / 3).softmax(dim=1).double()
    divergence = 9 * (p * (p.log() - q.log())).sum()
    alone, its_nll = RecognitionStep(task.network, 0.1).eval()(pixels, label, other, share)
    torch.testing.assert_close(loss.double(), 0.7 * divergence + 0.3 * alone.double(), atol=1e-3, rtol=1e-4)
    assert torch.equal(nll, its_nll)


def test_a_student_that_answers_as_its_teacher_has_no_loss_and_no_gradient(folder, images):
    teacher = Teacher.load(folder, Distillation(), images)
    logits = torch.randn(4, 3, requires_grad=True)
    loss = teacher.loss(logits, logits.detach() + 5)  # a constant added to all classes changes no probability
    torch.testing.assert_close(loss, torch.zeros(4), atol=1e-6, rtol=0)
    loss.sum().backward()
    assert logits.grad.abs().max() < 1e-5


def test_the_teacher_is_neither_trained_nor_stored(folder, images):
    teacher = Teacher.load(folder, Distillation(), images)
    before = {name: tensor.clone() for name, tensor in teacher.network.state_dict().items()}
    task = make_task(images, teacher)
    assert not any("teacher" in name for name, _ in task.step.named_parameters())
    tensors, _ = task.load(task.plan(0, 1)[0])
    task.step.train()(*tensors)[0].backward()
    assert all(parameter.grad is None for parameter in teacher.network.parameters())
    assert all(torch.equal(tensor, before[name]) for name, tensor in teacher.network.state_dict().items())


@pytest.fixture(scope="module")
def student_run(data, folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("student") / "vision"
    options = dict(teacher=folder, stages="8x2,16x6", mixed=0.3, schedule="cosine", operations=1)
    assert call(vision_training(data, out, **options)) == 0
    return out, options


@pytest.mark.nightly
def test_a_student_approaches_its_teacher_and_its_card_names_it(student_run, folder):
    out, _ = student_run
    rows = [row["loss"] for row in reproducible_rows(out) if row["event"] == "step"]
    assert rows[-1] < rows[0]
    card, teacher = (json.loads((path / "card.json").read_text()) for path in (out, folder))
    assert card["training"]["teacher"] == {
        "sha256": sha256_of(folder / "model.safetensors"),
        "parameters": teacher["parameters"],
        "minutes": teacher["training"]["minutes"],
        "top1": teacher["training"]["chosen"]["top1"],
        "share": 1.0,
        "temperature": 2.0,
        "pixels": 32,
        "rounds": 0,
    }
    text = (out / "card.md").read_text()
    assert f"- Teacher: a convolutional network of {teacher['parameters']:,} parameters" in text
    assert "It reads the same view at 32 pixels; its answers at temperature 2 decide\n  100 % of the loss" in text
    assert VisionClassifier.load(out, "cpu").config == STUDENT
    assert "teacher" not in teacher["training"]


@pytest.mark.nightly
def test_a_student_s_run_is_resumed_exactly_and_only_with_its_teacher(student_run, data, tmp_path, monkeypatch, capsys):
    whole, options = student_run
    parts = tmp_path / "parts"
    load = RecognitionTask.load

    def stop_in_third_epoch(task, indices):
        if task.epoch == 2:
            raise KeyboardInterrupt
        return load(task, indices)

    monkeypatch.setattr(RecognitionTask, "load", stop_in_third_epoch)
    assert call(vision_training(data, parts, **options)) == 130  # as after Ctrl+C
    monkeypatch.undo()
    for other in ({"teacher_temperature": 1.0}, {"teacher_size": 16}):
        assert call([*vision_training(data, parts, **options, **other), "--resume"]) == 2
        assert "trained on other data" in capsys.readouterr().err
    assert call([*vision_training(data, parts, **options), "--resume"]) == 0
    resumed, uninterrupted = (load_tensors(folder / CHECKPOINT)[0] for folder in (parts, whole))
    assert all(torch.equal(resumed[name], uninterrupted[name]) for name in uninterrupted)


def test_a_teacher_trained_on_held_back_or_other_pictures_is_refused(data, folder, tmp_path, capsys):
    out = tmp_path / "out"
    assert call(vision_training(data, out, teacher=folder, held_back=7)) == 2
    assert "From the teacher 6 pictures were held back; hold back no more of them" in capsys.readouterr().err
    other = write_shards(tmp_path / "other", train=5, validation=1)
    assert call(vision_training(other, out, teacher=folder)) == 2
    assert "The teacher was trained with other pictures" in capsys.readouterr().err
    assert call(vision_training(data, out, teacher=tmp_path / "nowhere")) == 2
    assert "card.json is missing" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        dict(teacher_share=0),
        dict(teacher_share=1.1),
        dict(teacher_temperature=0),
        dict(teacher_size=-1),
        dict(rounds=-1),
    ],
)
def test_values_out_of_range_are_refused(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} is "):
        Distillation(**wrong)


def test_shrinking_takes_means():
    views = torch.arange(16.0).view(1, 1, 4, 4)
    assert torch.equal(downscale(views, 4), views)
    ramp = torch.linspace(-1, 1, 64).expand(1, 3, 64, 64)
    small = downscale(ramp, 16)
    expected = np.linspace(-1, 1, 64).reshape(16, 4).mean(axis=1)
    np.testing.assert_allclose(small[0, 0, 5, 1:-1], expected[1:-1], atol=1e-5)
