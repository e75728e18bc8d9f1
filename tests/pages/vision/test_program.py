"""A program names the current picture; only this project's model has programs."""

from __future__ import annotations

import pytest

from model.hub.tasks import CAPABILITIES
from model.tracing.head_interventions import Scale, Window
from model.tracing.interventions import HeadInterventions
from pages.vision import program
from pages.vision.what_if import program_values
from tests.model.images import CLASSES
from tests.pages.reading import programs
from tests.pages.vision.views import open_view, service, trace


def test_program_of_an_own_picture_names_a_placeholder_file():
    (fold,) = [fold for fold in open_view("heads").expander if fold.label == "The same in PyTorch"]
    lines = programs(fold)[0].splitlines()
    assert [line for line in lines if line.endswith("# yours")] == [
        "picture = 'your-picture.jpg'  # yours",
        f"explained = {CLASSES[trace().answer]!r}  # yours",
    ]


@pytest.mark.parametrize("elsewhere", [False, True])
def test_other_models_have_no_program(monkeypatch, elsewhere):
    offered = []
    monkeypatch.setattr(program, "render_program", lambda *where, **values: offered.append(where))
    if elsewhere:
        theirs = frozenset((*CAPABILITIES["classify"], "ablate", "explain", "intervene"))
        monkeypatch.setattr(type(service().model), "capabilities", theirs)
    program.render_vision_program(service(), "cls")
    assert offered == ([] if elsewhere else [("vision", "cls", "")])


def test_unsupported_change_has_no_program():
    ablated, window = Scale("vision", ((0, 1),), 0.0), Window("vision", ((0, 1),), 2)
    assert program_values(HeadInterventions((ablated,))) == (("values", ((1, 2),), 0.0),)
    assert program_values(HeadInterventions((ablated, window))) is None
