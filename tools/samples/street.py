"""Samples from the street: a gas pump and a garbage truck."""

from __future__ import annotations

import numpy as np
from PIL import Image

from tools.samples.canvas import Canvas, box, curve, ellipse, line, polygon, soft
from tools.samples.town import stone, tree


def gas_pump(canvas: Canvas) -> Image.Image:
    """A fuel pump with its display and two nozzles, under the roof of a filling station."""
    canvas.sky((0.50, 0.66, 0.86), (0.86, 0.90, 0.94), 0.7, 0.5)
    for x in np.linspace(-0.05, 1.0, 9):
        tree(canvas, x, 0.60 + 0.03 * canvas.random.random(), 0.085, (0.24, 0.36, 0.16))
    canvas.paint(box(0.60, 0.42, 1.1, 0.72), np.array([0.80, 0.76, 0.70]) * np.ones_like(canvas.pixels))
    for x in (0.68, 0.80, 0.92):
        canvas.paint(box(x - 0.045, 0.50, x + 0.045, 0.66), (0.24, 0.30, 0.36))
    ground = np.clip((canvas.y - 0.70) * 300, 0, 1)
    canvas.paint(ground, np.array([0.56, 0.55, 0.53]) * (0.8 + 0.35 * canvas.noise(10, 6, 4))[..., None])
    canvas.defocus(0.010)
    roof = polygon([(-0.1, -0.1), (1.1, -0.1), (1.1, 0.09), (-0.1, 0.13)])
    canvas.paint(roof, (0.90, 0.90, 0.88))
    canvas.paint(polygon([(-0.1, 0.085), (1.1, 0.05), (1.1, 0.09), (-0.1, 0.13)]), (0.78, 0.10, 0.10))
    canvas.solid(box(0.055, 0.10, 0.115, 0.86), (0.82, 0.82, 0.80), 0.014)
    # the island
    canvas.paint(
        polygon([(0.02, 0.885), (0.98, 0.885), (1.1, 1.02), (-0.1, 1.02)]),
        np.array([0.70, 0.69, 0.66]) * (0.85 + 0.3 * canvas.noise(30, 5, 2))[..., None],
    )
    canvas.paint(polygon([(-0.1, 0.975), (1.1, 0.975), (1.1, 1.02), (-0.1, 1.02)]), (0.85, 0.70, 0.12))
    canvas.shade(soft(ellipse(0.55, 0.905, 0.32, 0.03), 0.014), 0.4)
    canvas.on_object = True
    dirt = 0.90 + 0.16 * canvas.noise(5, 6)
    flank = polygon([(0.70, 0.14), (0.775, 0.165), (0.775, 0.885), (0.70, 0.91)])
    canvas.paint(flank, np.array([0.42, 0.06, 0.06]) * dirt[..., None])
    body = box(0.27, 0.14, 0.705, 0.91, 0.014)
    canvas.solid(body, np.array([0.80, 0.11, 0.10]) * dirt[..., None], 0.012)
    canvas.solid(box(0.27, 0.14, 0.705, 0.225, 0.012), (0.93, 0.93, 0.91), 0.01)
    for number, (left, right) in enumerate(((0.32, 0.39), (0.41, 0.47), (0.49, 0.56), (0.58, 0.655))):
        canvas.paint(box(left, 0.165, right, 0.20, 0.004), (0.75, 0.1, 0.1) if number % 2 else (0.15, 0.2, 0.5))
    # display
    canvas.solid(box(0.305, 0.255, 0.67, 0.49, 0.012), (0.16, 0.17, 0.18), 0.008)
    for top, digits in ((0.275, "2744"), (0.345, "1830")):
        canvas.paint(box(0.345, top, 0.60, top + 0.056, 0.004), (0.62, 0.70, 0.60))
        for place, digit in enumerate(digits):
            _seven(canvas, 0.39 + 0.05 * place, top + 0.010, 0.022, 0.036, digit)
    for place in range(3):
        canvas.solid(box(0.345 + 0.095 * place, 0.425, 0.42 + 0.095 * place, 0.468, 0.004), (0.88, 0.86, 0.80), 0.004)
        canvas.paint(
            box(0.36 + 0.095 * place, 0.438, 0.405 + 0.095 * place, 0.455),
            ((0.1, 0.4, 0.2), (0.8, 0.5, 0.1), (0.1, 0.2, 0.6))[place],
        )
    # lower panel
    canvas.solid(box(0.305, 0.53, 0.67, 0.86, 0.012), np.array([0.93, 0.93, 0.90]) * dirt[..., None], 0.008)
    canvas.paint(ellipse(0.49, 0.70, 0.095, 0.095), (0.80, 0.11, 0.10))
    canvas.paint(ellipse(0.49, 0.70, 0.065, 0.065), (0.96, 0.96, 0.94))
    canvas.paint(polygon([(0.49, 0.645), (0.525, 0.715), (0.49, 0.75), (0.455, 0.715)]), (0.14, 0.22, 0.5))
    _nozzle(canvas, 0.735, 0.40, 1, 0.755)
    _nozzle(canvas, 0.238, 0.40, -1, 0.285)
    return canvas.photograph()


_SEGMENTS = {"0": "abcdef", "1": "bc", "2": "abged", "3": "abgcd", "4": "fgbc", "7": "abc", "8": "abcdefg"}


def _seven(canvas: Canvas, x: float, y: float, wide: float, high: float, digit: str) -> None:
    """A digit of seven bars."""
    ends = {
        "a": ((0, 0), (1, 0)),
        "b": ((1, 0), (1, 0.5)),
        "c": ((1, 0.5), (1, 1)),
        "d": ((0, 1), (1, 1)),
        "e": ((0, 0.5), (0, 1)),
        "f": ((0, 0), (0, 0.5)),
        "g": ((0, 0.5), (1, 0.5)),
    }
    for segment in _SEGMENTS[digit]:
        canvas.paint(line([(x + a * wide, y + b * high) for a, b in ends[segment]], 0.006), (0.08, 0.10, 0.09))


def _nozzle(canvas: Canvas, x: float, y: float, way: int, end: float) -> None:
    """A nozzle in its holder, and its hose, which leaves the pump at `end`."""
    rubber = [(0.03, 0.03, 0.035), (0.07, 0.07, 0.08), (0.26, 0.26, 0.28)]
    hose = curve(
        [
            (x + 0.02 * way, y + 0.16),
            (x + 0.07 * way, y + 0.36),
            (x + 0.10 * way, y + 0.50),
            (x + 0.16 * way, y + 0.30),
            (x + 0.13 * way, y - 0.05),
            (x + 0.07 * way, y - 0.19),
            (end, y - 0.215),
        ]
    )
    canvas.tube(hose, 0.026, rubber)
    canvas.solid(box(x - 0.035, y - 0.06, x + 0.035, y + 0.10, 0.012), (0.20, 0.20, 0.22), 0.008)
    canvas.tube(
        [(x - 0.01 * way, y - 0.05), (x + 0.015 * way, y + 0.15)],
        0.042,
        [(0.05, 0.05, 0.05), (0.15, 0.15, 0.16), (0.4, 0.4, 0.42)],
    )
    canvas.tube(
        curve([(x, y - 0.04), (x - 0.01 * way, y - 0.08), (x - 0.03 * way, y - 0.10)]),
        0.018,
        [(0.3, 0.3, 0.32), (0.6, 0.6, 0.62), (0.95, 0.95, 0.97)],
    )
    canvas.tube(
        curve([(x + 0.035 * way, y), (x + 0.045 * way, y + 0.06), (x + 0.02 * way, y + 0.12)]),
        0.010,
        [(0.1, 0.3, 0.12), (0.2, 0.55, 0.25)],
    )


def garbage_truck(canvas: Canvas) -> Image.Image:
    """A garbage truck from its side: cab, ribbed green body and hopper, on a street with buildings."""
    canvas.sky((0.42, 0.60, 0.84), (0.84, 0.89, 0.94), 0.6, 0.6)
    brick = stone(canvas, (0.60, 0.40, 0.32), 0.010, 0.022, 0.3)
    plaster = np.array([0.78, 0.74, 0.66]) * (0.9 + 0.15 * canvas.noise(8, 5))[..., None]
    for left, right, top, wall in (
        (-0.05, 0.24, 0.20, brick),
        (0.24, 0.50, 0.28, plaster),
        (0.50, 0.80, 0.16, brick * 0.8),
        (0.80, 1.05, 0.26, plaster * 0.85),
    ):
        canvas.paint(box(left, top, right, 0.74), wall)
        for x in np.arange(left + 0.05, right - 0.03, 0.085):
            for y in (top + 0.06, top + 0.20):
                canvas.paint(box(x, y, x + 0.042, y + 0.075), (0.88, 0.86, 0.82))
                canvas.paint(box(x + 0.005, y + 0.005, x + 0.037, y + 0.07), (0.18, 0.22, 0.28))
    for x in (0.02, 0.93):
        tree(canvas, x, 0.48, 0.10, (0.22, 0.34, 0.14))
    canvas.paint(
        box(-0.1, 0.70, 1.1, 0.78), np.array([0.64, 0.63, 0.60]) * (0.85 + 0.3 * canvas.noise(20, 5, 2))[..., None]
    )
    canvas.defocus(0.005)
    road = np.clip((canvas.y - 0.755) * 300, 0, 1)
    canvas.paint(road, np.array([0.34, 0.34, 0.35]) * (0.72 + 0.6 * canvas.noise(40, 5, 3))[..., None])
    canvas.paint(polygon([(0.1, 0.945), (0.5, 0.945), (0.48, 0.965), (0.06, 0.965)]), (0.82, 0.82, 0.78), 0.8)
    canvas.paint(polygon([(0.72, 0.945), (1.1, 0.945), (1.1, 0.965), (0.72, 0.965)]), (0.82, 0.82, 0.78), 0.8)
    canvas.shade(soft(ellipse(0.50, 0.845, 0.46, 0.03), 0.012), 0.28)
    canvas.on_object = True
    dirt = (0.84 + 0.28 * canvas.noise(6, 6))[..., None]
    canvas.paint(box(0.08, 0.70, 0.94, 0.77), (0.10, 0.10, 0.11))
    # body
    green = np.array([0.10, 0.42, 0.22]) * dirt
    hull = polygon([(0.10, 0.40), (0.15, 0.29), (0.64, 0.26), (0.66, 0.29), (0.66, 0.71), (0.17, 0.71), (0.06, 0.63)])
    canvas.solid(hull, green, 0.014, 0.55)
    canvas.shade(polygon([(0.06, 0.62), (0.66, 0.62), (0.66, 0.71), (0.17, 0.71)]), 0.68)
    for x in np.linspace(0.26, 0.61, 7):
        canvas.solid(box(x - 0.010, 0.29, x + 0.010, 0.695, 0.004), green * 1.1, 0.005, 0.7)
    canvas.solid(polygon([(0.155, 0.30), (0.185, 0.295), (0.215, 0.70), (0.175, 0.71)]), green * 0.75, 0.006)
    canvas.solid(polygon([(0.04, 0.60), (0.17, 0.64), (0.20, 0.74), (0.06, 0.745)]), (0.24, 0.25, 0.26), 0.01)
    canvas.paint(box(0.33, 0.40, 0.56, 0.50, 0.006), (0.93, 0.93, 0.90), 0.95)
    canvas.paint(box(0.345, 0.425, 0.545, 0.44) + box(0.345, 0.46, 0.48, 0.475), (0.12, 0.35, 0.2))
    for x in (0.07, 0.12):
        canvas.paint(box(x, 0.665, x + 0.03, 0.69), (0.85, 0.15, 0.1))
    # cab
    white = np.array([0.90, 0.91, 0.90]) * dirt
    cab = polygon(
        [(0.685, 0.36), (0.70, 0.345), (0.885, 0.345), (0.905, 0.36), (0.945, 0.535), (0.95, 0.735), (0.685, 0.735)]
    )
    canvas.solid(cab, white, 0.014, 0.5)
    canvas.shade(polygon([(0.685, 0.655), (0.95, 0.655), (0.95, 0.735), (0.685, 0.735)]), 0.8)
    glass = polygon([(0.735, 0.39), (0.835, 0.39), (0.845, 0.53), (0.735, 0.53)])
    shield = polygon([(0.862, 0.38), (0.895, 0.38), (0.933, 0.53), (0.872, 0.53)])
    for pane in (glass, shield):
        canvas.paint(
            pane,
            np.array([0.16, 0.20, 0.25])
            + 0.5 * np.clip(0.5 - canvas.y, 0, 1)[..., None]
            + 0.25 * np.clip(canvas.noise(4, 4) - 0.5, 0, 1)[..., None],
        )
    canvas.paint(
        line([(0.855, 0.37), (0.862, 0.73)], 0.003) + line([(0.722, 0.37), (0.722, 0.73)], 0.003), (0.4, 0.4, 0.4), 0.7
    )
    canvas.solid(box(0.745, 0.565, 0.78, 0.578, 0.004), (0.2, 0.2, 0.2), 0.003)
    canvas.solid(box(0.895, 0.40, 0.915, 0.49, 0.006), (0.1, 0.1, 0.1), 0.004)
    canvas.solid(box(0.91, 0.62, 0.948, 0.655, 0.006), (0.95, 0.93, 0.82), 0.004)
    canvas.solid(box(0.885, 0.69, 0.965, 0.745, 0.008), (0.25, 0.25, 0.26), 0.006)
    canvas.solid(box(0.76, 0.318, 0.80, 0.345, 0.008), (0.95, 0.55, 0.08), 0.006)
    canvas.solid(box(0.655, 0.30, 0.685, 0.72, 0.004), (0.30, 0.31, 0.32), 0.006)
    for x in (0.235, 0.355, 0.805):
        _wheel(canvas, x, 0.765, 0.072)
    return canvas.photograph()


def _wheel(canvas: Canvas, x: float, y: float, radius: float) -> None:
    canvas.paint(ellipse(x, y - 0.006, radius * 1.14, radius * 1.14) * (canvas.y < y + 0.01), (0.04, 0.04, 0.045))
    rough = (0.7 + 0.6 * canvas.noise(60, 3))[..., None]
    canvas.solid(ellipse(x, y, radius, radius), np.array([0.11, 0.11, 0.115]) * rough, 0.01, 0.8)
    canvas.paint(ellipse(x, y, radius * 0.62, radius * 0.62), (0.05, 0.05, 0.05))
    canvas.solid(ellipse(x, y, radius * 0.58, radius * 0.58), (0.66, 0.66, 0.65), 0.01, 0.7)
    canvas.solid(ellipse(x, y, radius * 0.26, radius * 0.26), (0.45, 0.45, 0.45), 0.006, 0.8)
    for turn in np.linspace(0, 2 * np.pi, 8, endpoint=False):
        canvas.paint(
            ellipse(x + radius * 0.41 * np.cos(turn), y + radius * 0.41 * np.sin(turn), 0.005, 0.005), (0.2, 0.2, 0.2)
        )
