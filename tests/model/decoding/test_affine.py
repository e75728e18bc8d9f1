"""Every form is the same linear map; the quickest one is found by the clock."""

import time

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from model.decoding import affine
from model.decoding.affine import FEW, FORMS, WIDE, Affine, choose_forms, quickest

SIZES = [(12, 8), (7, 5), (WIDE + 4, 8)]  # (out, in)


def matrix(size, seed=0):
    """A weight and a bias whose numbers half precision holds exactly."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(size, generator=generator).half().float(), torch.randn(size[0], generator=generator)


@pytest.fixture
def forgotten(monkeypatch):
    monkeypatch.setattr(affine, "_chosen", {})


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rows", [1, 4, FEW, FEW + 1])
@torch.inference_mode()
def test_every_form_is_the_same_linear_map(form, size, rows):
    weight, bias = matrix(size)
    if Affine(weight, bias).product(form) is None:  # a processor without such a product says so
        assert form == "half"
        with pytest.raises(ValueError, match="cannot hold this matrix here"):
            Affine(weight, bias, form)
        return
    stream = torch.randn(rows, size[1], generator=torch.Generator().manual_seed(1))
    expected = F.linear(stream.double(), weight.double(), bias.double())
    assert (Affine(weight, bias, form)(stream) - expected).abs().max() < 1e-5


@torch.inference_mode()
def test_maps_side_by_side_give_their_outputs_side_by_side():
    first, second = nn.Linear(6, 4), nn.Linear(6, 3)
    stream = torch.randn(2, 6)
    expected = torch.cat([first(stream), second(stream)], dim=1)
    assert (Affine.of(first, second)(stream) - expected).abs().max() < 1e-6


@pytest.mark.parametrize("number", [1 + 2**-11, 1e6, 2**-25])
def test_half_precision_is_refused_where_it_would_change_a_weight(number):
    weight, bias = matrix((4, 3))
    weight[2, 1] = number
    with pytest.raises(ValueError, match="'half' cannot hold this matrix"):
        Affine(weight, bias, "half")


def test_the_quickest_is_that_of_all_matrices_of_a_shape_together():
    shapes = [(2, 3), (4, 3), (2, 3)]
    seconds = {"whole": [1.0, 2.0, 1.0], "parts": [0.5, 2.0, 2.0], "half": [1.5, 1.0, 0.5]}
    assert quickest(shapes, seconds) == {(2, 3): "whole", (4, 3): "half"}


def slowed(form):
    def make(weight, bias):
        product = FORMS[form](weight, bias)

        def multiply(stream):
            time.sleep(0.002)
            return product(stream)

        return multiply

    return make


@pytest.mark.parametrize("quick", ["whole", "parts"])
def test_forms_that_take_longer_are_left_aside(quick, forgotten, monkeypatch):
    weight, bias = matrix((12, 8))
    weight[0, 0] = 1 / 3  # half precision is out of the question
    slow = {"whole": "parts", "parts": "whole"}[quick]
    monkeypatch.setattr(affine, "FORMS", {slow: slowed(slow), quick: FORMS[quick], "half": FORMS["half"]})
    maps = [Affine(weight, bias, quick), Affine(weight, bias, quick)]
    choose_forms(maps)
    assert [each.form for each in maps] == [quick, quick]


def test_the_clock_runs_once_for_the_same_shapes(forgotten, monkeypatch):
    timed = []
    monkeypatch.setattr(affine, "_seconds", lambda maps, forms: timed.append(1) or {"parts": [1.0] * len(maps)})
    for sizes in ([(12, 8), (7, 5)], [(12, 8), (7, 5)], [(12, 8)]):
        maps = [Affine(*matrix(size)) for size in sizes]
        choose_forms(maps)
        assert {each.form for each in maps} == {"parts"}
    assert len(timed) == 2


def test_beside_the_processor_nothing_is_timed(forgotten):
    weight, bias = matrix((12, 8))
    elsewhere = Affine(weight.to("meta"), bias.to("meta"))
    choose_forms([elsewhere])
    assert elsewhere.form == "whole" and not affine._chosen
