"""Colours: the scales are even, pass through their hue, and match the app's themes."""

import tomllib
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from views import palette

CONFIG = Path(__file__).resolve().parents[2] / ".streamlit/config.toml"
SCALES = [(kind, theme) for kind in palette.HUES for theme in ("light", "dark")]


@pytest.mark.parametrize(("kind", "theme"), SCALES)
def test_lightness_changes_in_equal_steps(kind, theme):
    lightness = np.array([palette.to_oklab(colour)[0] for colour in palette.scale(kind, theme)])
    steps = np.diff(lightness)
    assert (np.sign(steps) == np.sign(steps[0])).all()
    np.testing.assert_allclose(steps, steps.mean(), atol=0.006)


@pytest.mark.parametrize(("kind", "theme"), SCALES)
def test_a_scale_starts_at_the_background_and_passes_its_hue(kind, theme):
    colours = palette.scale(kind, theme)
    assert len(colours) == palette.STOPS
    assert colours[0] == palette.BACKGROUND[theme]
    hue = palette.to_oklab(palette.HUES[kind])
    assert min(np.linalg.norm(palette.to_oklab(colour) - hue) for colour in colours) < 0.04


@pytest.mark.parametrize("colour", ["#000000", "#FFFFFF", "#0072B2", "#D55E00", "#123456"])
def test_oklab_round_trip(colour):
    assert palette.from_oklab(palette.to_oklab(colour)) == colour


def test_oklab_of_known_colours():
    np.testing.assert_allclose(palette.to_oklab("#FFFFFF"), [1, 0, 0], atol=1e-4)
    np.testing.assert_allclose(palette.to_oklab("#FF0000"), [0.62796, 0.22486, 0.12585], atol=1e-4)


def test_colours_are_the_themes_own():
    themes = tomllib.loads(CONFIG.read_text())["theme"]
    for name in ("light", "dark"):
        assert themes[name]["backgroundColor"] == palette.BACKGROUND[name]
        assert themes[name]["textColor"] == palette.INK[name]


def contrast(first: str, second: str) -> float:
    """WCAG 2.2 contrast ratio."""
    linear = [np.array(palette.to_rgb(colour)) / 255 for colour in (first, second)]
    linear = [np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4) for c in linear]
    low, high = sorted(float(c @ [0.2126, 0.7152, 0.0722]) for c in linear)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", ["light", "dark"])
def test_text_can_be_read(name):
    theme = tomllib.loads(CONFIG.read_text())["theme"][name]
    for surface in (theme["backgroundColor"], theme["secondaryBackgroundColor"], theme["codeBackgroundColor"]):
        for ink in (theme["textColor"], theme["linkColor"], theme["primaryColor"]):
            assert contrast(ink, surface) >= 4.5


def test_neighbours_of_a_scale_differ():
    assert all(a != b for kind, theme in SCALES for a, b in pairwise(palette.scale(kind, theme)))


@pytest.mark.parametrize(("kind", "theme"), SCALES)
def test_both_signs_are_equally_strong_and_distinguishable(kind, theme):
    colours = palette.signed_scale(kind, theme)
    assert len(colours) == 2 * palette.STOPS - 1
    assert colours[palette.STOPS - 1] == palette.BACKGROUND[theme]
    ends = [palette.to_oklab(colours[place]) for place in (0, -1)]
    assert abs(ends[0][0] - ends[1][0]) < 0.01  # equally light
    assert np.linalg.norm(ends[0][1:] - ends[1][1:]) > 0.04
    lightness = np.array([palette.to_oklab(colour)[0] for colour in colours])
    np.testing.assert_allclose(lightness, lightness[::-1], atol=0.01)


# What people without one kind of cone see of linear red, green and blue (Machado et al. 2009, table 1, severity 1).
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def simulated_colour(colour: str, blindness: str) -> np.ndarray:
    """OKLab of a colour as seen with a kind of colour blindness."""
    srgb = np.array(palette.to_rgb(colour)) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = (np.array(BLINDNESS[blindness]) @ linear).clip(0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return palette.to_oklab("#" + "".join(f"{round(255 * channel):02X}" for channel in encoded))


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_less_and_more_are_distinguishable_with_colour_blindness(theme, blindness):
    colours = palette.signed_scale(palette.DIFFERENCE, theme)
    assert colours[palette.STOPS - 1] == palette.BACKGROUND[theme]
    low, middle, high = (simulated_colour(colours[place], blindness) for place in (0, palette.STOPS - 1, -1))
    assert np.linalg.norm(low - high) > 0.15
    assert min(np.linalg.norm(low - middle), np.linalg.norm(high - middle)) > 0.3
    assert palette.to_oklab(colours[0])[0] == pytest.approx(palette.to_oklab(colours[-1])[0], abs=0.01)


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize(("kind", "theme"), SCALES)
def test_signs_are_distinguishable_with_colour_blindness(kind, theme, blindness):
    colours = palette.signed_scale(kind, theme)
    low, high = (simulated_colour(colours[place], blindness) for place in (0, -1))
    assert np.linalg.norm(low - high) > 0.07


@pytest.mark.parametrize("blindness", BLINDNESS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_colours_of_heads_are_distinguishable_with_colour_blindness(theme, blindness):
    colours = [simulated_colour(colour, blindness) for colour in palette.HEADS[theme]]
    apart = [np.linalg.norm(one - other) for place, one in enumerate(colours) for other in colours[:place]]
    assert min(apart) >= 0.11
    assert all(contrast(colour, palette.BACKGROUND[theme]) >= 3 for colour in palette.HEADS[theme])


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_up_to_32_heads_look_different(theme):
    styles = [palette.head_style(head, theme) for head in range(32)]
    assert len(set(styles)) == 32
    assert all(dashes == () for _, dashes in styles[:8])
    assert all(dashes for _, dashes in styles[8:])
