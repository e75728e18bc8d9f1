"""A program names the picture under study, and only the shipped kind of model has one."""

from __future__ import annotations

from types import SimpleNamespace

from pages.vision import program
from tests.model.images import CLASSES
from tests.pages.vision.views import open_view, trace


def test_a_readers_own_picture_is_a_file_to_name():
    (fold,) = [fold for fold in open_view("heads").expander if fold.label == "The same in PyTorch"]
    lines = fold.code[0].value.splitlines()
    assert [line for line in lines if line.endswith("# yours")] == [
        "picture = 'your-picture.jpg'  # yours",
        f"explained = {CLASSES[trace().answer]!r}  # yours",
    ]


def test_a_model_from_elsewhere_has_no_program(monkeypatch):
    offered = []
    monkeypatch.setattr(program, "same_in_pytorch", lambda *where, **values: offered.append(where))
    program.offer_program(SimpleNamespace(model=object()), "cls")
    assert not offered
