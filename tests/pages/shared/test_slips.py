"""The fold that corrects mistakes of tutorials: rendered where a section has one, with the right numbers."""

from __future__ import annotations

import math
import re

import pytest
import torch

from model.lessons.far_positions import measure_far_positions
from model.networks.positional import positional_table, sinusoidal_angles, wavelengths
from tests.every_view import PARTS
from views.text import catalogue
from views.text.numbers import three_digits
from views.text.prose import _blocks

BLOCKS = {id: " ".join(text.split()) for id, text in _blocks("slips", catalogue.ENGLISH)[1].items() if id}
FIVE = [-math.log(probability) for probability in (0.8, 0.6, 0.7, 0.5, 0.9)]
WIDTH, HEADS = 512, 8
FULL, SPLIT = 4 * HEADS * WIDTH**2, 4 * WIDTH**2


def plain(number: int) -> str:
    return f"{number:,}"


NUMBERS = {
    "positions-table": [
        three_digits(math.cos(1)),
        three_digits(math.cos(1e4 ** (-1 / WIDTH))),
        three_digits(math.sin(7)),
        f"is {1 / 4:g}, and",
        f"position 1 is {float(sinusoidal_angles(2, 4, 'column')[1, 1]):g}.",
        "{:g} in column 0 and {:g} in column 1".format(*positional_table(1, 4)[0, :2]),
    ],
    "positions-wavelengths": [
        f"{three_digits(measure_far_positions(wavelengths(WIDTH, base=100).numpy()).largest)} with a base of 100",
        f"{three_digits(measure_far_positions(wavelengths(WIDTH).numpy()).largest)} with 10,000",
        plain(round(2 * math.pi * 1e4 ** (1 - 2 / WIDTH))),
        plain(round(2 * math.pi * 100 ** (1 - 2 / WIDTH))),
        three_digits(2 * math.pi),
    ],
    "positions-orthogonality": [f"rank is {torch.linalg.matrix_rank(torch.eye(3)[:2])}"],
    "inside-heads": [
        plain(FULL),
        plain(SPLIT),
        " x ".join(map(str, torch.nn.Linear(HEADS * (WIDTH // HEADS), WIDTH).weight.shape)),
        f"{WIDTH // HEADS} x {WIDTH} matrix does not fit {WIDTH} numbers",
    ],
    "inside-memory": [str(torch.zeros(5, 3, 10, 20).view(-1, 200).stride()), plain(torch.zeros(3, 5, 10, 20).numel())],
    "inside-scaling": [f"is {math.isqrt(WIDTH // HEADS)}", three_digits(math.sqrt(WIDTH))],
    "inside-seven-steps": [plain(10 * WIDTH), plain(9 * WIDTH)],
    "decoding-linear-softmax": [f"sums to {sum((0.2, 0.1, 0.1)):g}"],
    "loss-token-by-token": [three_digits(sum(FIVE) / 5), three_digits(sum(FIVE))],
}


@pytest.mark.parametrize("id", NUMBERS)
def test_the_corrections_have_the_right_numbers(id):
    assert [number for number in NUMBERS[id] if number not in BLOCKS[id]] == []


def test_number_of_weights_of_eight_full_width_heads():
    full = [torch.nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(3 * HEADS)]
    full.append(torch.nn.Linear(HEADS * WIDTH, WIDTH, bias=False))
    assert sum(part.weight.numel() for part in full) == FULL


def test_the_losses_of_the_missing_word_are_compared_with_the_same_full_stop(translator):
    losses = [
        f"{translator.score(translator.trace(source, target='Je veux acheter une voiture.')).mean():.3f}"
        for source in ("I want buy a car", "I want to buy a car", "I want buy a car.", "I want to buy a car.")
    ]
    text = BLOCKS["decoding-teacher-forcing"]
    assert re.findall(r"0\.\d+", text) == losses
    without, complete, without_stop, complete_stop = map(float, losses)
    assert without < complete and without_stop < complete_stop  # the missing word costs nothing
    assert min(without, complete) > max(without_stop, complete_stop)  # the missing full stop does


def test_the_decoder_input_is_bos_and_the_generated_tokens(translator):
    trace = translator.trace("I want to buy a car.")
    fed, generated = trace.target_tokens[:4], trace.next_tokens[:3]  # at step 4
    assert (fed[0], fed[1:]) == ("<s>", generated)


def test_each_correction_belongs_to_a_section():
    parts = {f"{page}-{part}" for page, (_, parts) in PARTS.items() for part in parts}
    assert set(BLOCKS) <= parts


def test_the_fold_is_rendered_where_there_is_a_correction(open_app):
    labels = [fold.label for fold in open_app("loss").expander]
    assert "If your tutorial says otherwise" in labels
    assert "If your tutorial says otherwise" not in [
        fold.label for fold in open_app("loss", part="training-curves").expander
    ]
