"""A number is rounded once, where it is written: payloads have it in the precision of float32."""

import ast
from pathlib import Path

import numpy as np
import pytest

from tests.payloads import read_payload
from tests.views.components.test_picture_stage import PICTURE
from views.components import picture_stage
from views.components.formation_stage import StageAtStep, pack_step
from views.components.stage_changes import PlaceChances
from views.text.numbers import percent, three_digits
from views.viewer.payload import float32_numbers

ROOT = Path(__file__).resolve().parents[3]
ROUNDED = {
    "views/components/vector_view.py",  # what the user sets, to thousandths, which its sums are exact in
    "pages/history/bleu_by_network.py",  # a difference of figures of cards, which have two decimals
}
MAGNITUDES = (0.99995, 0.12345, 0.003857, 0.00085649, 6.26e-5, 2.13e-5, 1.23449e-7, 3.2e-12, 0.0)
WRITTEN = [
    "1.00",
    "0.123",
    "0.00386",
    "8.56e\u22124",
    "6.26e\u22125",
    "2.13e\u22125",
    "1.23e\u22127",
    "3.20e\u221212",
    "0",
]


def test_candidates_are_written_with_three_digits_of_their_own():
    place = PlaceChances(
        "a", MAGNITUDES[3], [(str(number), each) for number, each in enumerate(MAGNITUDES)], MAGNITUDES
    )
    sent = place.sent()
    assert [three_digits(number) for number in sent[2::2]] == WRITTEN
    assert three_digits(sent[0]) == WRITTEN[3]
    assert [three_digits(number) for number in place.sent_draws()] == WRITTEN


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_losses_of_a_step_of_training_are_written_with_three_digits_of_their_own(dtype):
    losses = np.array([*MAGNITUDES, 8.98719], dtype)
    step = StageAtStep(0, {}, [], losses, "", True, {}, {}, 2.0)
    assert [three_digits(number) for number in pack_step(step)["losses"]] == [*WRITTEN, "8.99"]


def test_classes_read_in_a_layer_are_written_as_they_are():
    shares = np.array([[0.123449, 0.876551], [0.00099996, 0.99900004], [0.00104999, 0.99895001]])
    [sent] = [
        read_payload(picture_stage.payload(picture_stage.PictureStage(PICTURE, ("a", "b"), shares), "light"))[0]["read"]
    ]
    assert [[percent(share) for share in row] for row in sent] == [[percent(share) for share in row] for row in shares]
    assert percent(sent[0][0]) == "12.3\u00a0%" and percent(sent[1][0]) == "<\u00a00.1\u00a0%"


def test_a_number_of_a_header_is_float32_in_few_digits():
    numbers = np.random.default_rng(0).lognormal(-5, 4, 2000).astype(np.float32)
    sent = float32_numbers(numbers)
    assert (np.array(sent, np.float32) == numbers).all()
    assert max(len(repr(number)) for number in sent) <= 15
    assert [three_digits(number) for number in sent] == [three_digits(float(number)) for number in numbers]


def rounds_to_decimals(call: ast.Call) -> bool:
    """Whether a call is `round(number, decimals)` or NumPy's round with decimals."""
    named = isinstance(call.func, ast.Name) and call.func.id == "round"
    of_numpy = (
        isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Name) and call.func.value.id == "np"
    )
    method = isinstance(call.func, ast.Attribute) and call.func.attr in ("round", "around")
    decimals = any(keyword.arg in ("decimals", "ndigits") for keyword in call.keywords)
    return (named or method) and (decimals or len(call.args) > (1 if named or of_numpy else 0))


def test_no_view_and_no_page_cuts_a_number_before_it_is_written():
    cut = [
        f"{path.relative_to(ROOT)}:{call.lineno}"
        for folder in ("views", "pages", "attention_atlas")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if str(path.relative_to(ROOT)) not in ROUNDED
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and rounds_to_decimals(call)
    ]
    assert not cut, f"Send these as they are; views/text/numbers.py and web/src/core/numbers.ts round: {cut}"


@pytest.mark.parametrize(
    ("source", "cut"),
    [
        ("round(x, 4)", 1),
        ("np.round(x, 4)", 1),
        ("x.round(3)", 1),
        ("x.round(decimals=2)", 1),
        ("round(x)", 0),
        ("x.round()", 0),
    ],
)
def test_a_cut_number_is_found(source: str, cut: int):
    [call] = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    assert rounds_to_decimals(call) == bool(cut)
