"""The samples are what their program draws, small, and unlike each other."""

from __future__ import annotations

import io
from itertools import combinations

import numpy as np
import pytest
from PIL import Image

from tests.tiers import nightly
from tools.samples.canvas import SIDE, Canvas, box, curve, ellipse, line
from tools.samples.drawing import DRAW, jpeg
from tools.samples.variants import off_centre_variant, variant, write_variants
from views.controls import samples


def pixels(content: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(content))).astype(int)


# the one that is drawn soonest; the others take up to five times as long
EACH = [name if name == "parachute" else nightly(name) for name in samples.NAMES]


@pytest.mark.parametrize("name", EACH)
def test_the_program_draws_what_ships(name):
    """Nearly: JPEG libraries and vector units may round another way."""
    sample = samples.SAMPLES[samples.NAMES.index(name)]
    difference = np.abs(pixels(jpeg(name)) - pixels(sample.path.read_bytes()))
    assert difference.mean() < 0.5
    assert difference.max() < 40


def test_there_are_six_small_ones_and_nothing_else():
    assert len(samples.SAMPLES) == 6
    assert sorted(DRAW) == sorted(samples.NAMES)
    assert sorted(path.name for path in samples.FOLDER.iterdir()) == sorted(
        sample.path.name for sample in samples.SAMPLES
    )
    for sample in samples.SAMPLES:
        assert sample.path.stat().st_size < 60_000
        picture = samples.picture(sample.id)
        assert picture.size == picture.image.size == (SIDE, SIDE)
        assert picture.notes == ()
        assert picture.title() == sample.title() and sample() in sample.title()


def test_they_look_different():
    small = {name: np.asarray(samples.picture(name).image.resize((16, 16)), float) for name in samples.NAMES}
    for first, second in combinations(samples.NAMES, 2):
        assert np.abs(small[first] - small[second]).mean() > 20


def test_the_same_seed_gives_the_same_picture():
    def drawn(seed: int) -> np.ndarray:
        canvas = Canvas(seed)
        canvas.sky((0, 0, 1), (1, 1, 1), 0.8)
        canvas.grass(0.7, 50, 0.1, [(0, 1, 0)])
        return np.asarray(canvas.photograph())

    assert np.array_equal(drawn(1), drawn(1))
    assert not np.array_equal(drawn(1), drawn(2))


@pytest.mark.parametrize(
    ("mask", "area"),
    [
        (box(0.25, 0.25, 0.75, 0.5), 0.125),
        (ellipse(0.5, 0.5, 0.3, 0.2, 30), np.pi * 0.06),
        (line([(0.2, 0.5), (0.7, 0.5)], 0.1), 0.05 + np.pi * 0.0025),
        (box(0.9, 0.9, 1.5, 1.5), 0.01),
        (box(1.2, 0.2, 1.5, 0.4), 0),
    ],
)
def test_shapes_cover_their_area(mask, area):
    assert mask.min() >= 0 and mask.max() <= 1
    assert mask.mean() == pytest.approx(area, abs=0.003)


def test_a_curve_goes_through_its_points():
    points = [(0.1, 0.2), (0.5, 0.9), (0.8, 0.3)]
    made = np.array(curve(points, 10))
    for point in points:
        assert np.abs(made - point).sum(1).min() < 1e-9


@pytest.mark.nightly
def test_a_variant_is_another_picture_whose_object_is_known():
    first, second = variant("golf-ball", 1), variant("golf-ball", 2)
    assert first.picture.size == first.object.size == (SIDE, SIDE)
    assert np.array_equal(first.picture, variant("golf-ball", 1).picture)
    assert np.abs(np.asarray(first.picture, int) - np.asarray(second.picture, int)).mean() > 10
    inside = np.asarray(first.object) > 127
    assert 0.1 < inside.mean() < 0.5
    pixels = np.asarray(first.picture, float)
    # a white ball in green grass
    assert np.ptp(pixels[inside].mean(axis=0)) < 40 < np.ptp(pixels[~inside].mean(axis=0))


@pytest.mark.nightly
@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("name", EACH)
def test_the_middle_of_an_off_centre_variant_shows_nothing_of_the_object(name, number):
    made = off_centre_variant(name, number)
    assert made.picture.size == made.object.size == (SIDE, SIDE)
    assert np.array_equal(made.picture, off_centre_variant(name, number).picture)
    covered = np.asarray(made.object) > 127
    assert 0.02 < covered.mean() < 0.2
    columns = np.flatnonzero(covered.any(axis=0)) / SIDE
    assert columns.max() < 0.41 or columns.min() > 0.59
    assert (columns.max() > 0.5) == bool(number % 2)  # every other one is mirrored
    pixels, background = np.asarray(made.picture, int), np.asarray(variant(name, number).picture, int)
    assert np.abs(pixels - background).mean() > 5


@pytest.mark.nightly
def test_an_off_centre_object_looks_as_it_is_drawn_and_its_old_place_is_empty():
    made = off_centre_variant("golf-ball", 2)
    inside, pixels = np.asarray(made.object) > 250, np.asarray(made.picture, float)
    assert np.ptp(pixels[inside].mean(axis=0)) < 40  # white
    middle = pixels[170:220, 200:260].mean(axis=(0, 1))  # green
    assert middle.argmax() == 1 and np.ptp(middle) > 20


@pytest.mark.nightly
def test_off_centre_variants_are_written_with_their_objects(tmp_path, monkeypatch):
    monkeypatch.setattr("tools.samples.variants.DRAW", {"golf-ball": DRAW["golf-ball"]})
    assert write_variants(tmp_path, 1, off_centre=True) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["golf-ball-1.object.png", "golf-ball-1.png"]
    made = off_centre_variant("golf-ball", 1)
    assert np.array_equal(Image.open(tmp_path / "golf-ball-1.object.png"), made.object)


def test_what_is_painted_over_an_object_hides_it():
    canvas = Canvas(1)
    canvas.on_object = True
    canvas.paint(box(0, 0, 1, 1), (1, 1, 1))
    canvas.on_object = False
    canvas.paint(box(0, 0, 0.5, 1), (0, 0, 0))
    outline = canvas.outline()
    assert outline.shape == (SIDE, SIDE)
    assert outline[:, : SIDE // 2 - 2].max() == 0 and outline[:, SIDE // 2 + 2 :].min() == 1
