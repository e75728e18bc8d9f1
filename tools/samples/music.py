"""A sample from indoors: a French horn on a table."""

from __future__ import annotations

import numpy as np
from PIL import Image

from tools.samples.canvas import Canvas, Point, curve, ellipse, line, polygon, soft

BRASS = (
    (0.20, 0.11, 0.02),
    (0.50, 0.31, 0.07),
    (0.80, 0.58, 0.18),
    (0.66, 0.45, 0.12),
    (0.93, 0.76, 0.34),
    (1.00, 0.95, 0.72),
)
SILVER = ((0.22, 0.22, 0.24), (0.50, 0.50, 0.52), (0.72, 0.72, 0.74), (0.98, 0.98, 1.0))


def french_horn(canvas: Canvas) -> Image.Image:
    """Coiled brass tubes, rotary valves and a wide bell, on dark wood before a curtain."""
    folds = np.sin(2 * np.pi * (7 * canvas.x + 0.8 * canvas.noise(3, 3) + 0.3 * canvas.y))
    cloth = np.array([0.30, 0.045, 0.06]) * (0.75 + 0.38 * folds + 0.2 * (canvas.noise(80, 3) - 0.5))[..., None]
    canvas.pixels[:] = np.clip(cloth, 0.01, 1)
    canvas.defocus(0.008)
    table = np.clip((canvas.y - 0.74) * 300, 0, 1)
    grain = canvas.noise(3, 7, 18, 0.62)
    canvas.paint(table, np.array([0.36, 0.21, 0.11]) * (0.55 + 0.85 * grain)[..., None])
    canvas.shade(soft(ellipse(0.55, 0.885, 0.36, 0.05), 0.022), 0.30)
    canvas.on_object = True
    middle = (0.46, 0.44)
    for radius, width, start, end in ((0.285, 0.038, 70, 430), (0.225, 0.034, 0, 360), (0.165, 0.03, 120, 400)):
        turn = np.radians(np.linspace(start, end, 90))
        ring = [(middle[0] + radius * np.cos(t), middle[1] + radius * np.sin(t)) for t in turn]
        _tube(canvas, ring, width)
    _tube(canvas, curve([(0.09, 0.10), (0.20, 0.14), (0.34, 0.13), (0.50, 0.15), (0.64, 0.22)]), 0.026)
    canvas.tube([(0.055, 0.088), (0.10, 0.104)], 0.034, SILVER)
    canvas.tube([(0.045, 0.085), (0.050, 0.087)], 0.050, SILVER)
    _tube(canvas, curve([(0.24, 0.30), (0.34, 0.36), (0.48, 0.37), (0.60, 0.32)]), 0.026)
    _tube(canvas, curve([(0.30, 0.58), (0.40, 0.54), (0.54, 0.56), (0.64, 0.52)]), 0.026)
    for number in range(3):
        x, y = 0.365 + 0.088 * number, 0.455 + 0.012 * number
        _tube(canvas, curve([(x, y), (x + 0.01, y + 0.08), (x + 0.05, y + 0.10), (x + 0.06, y + 0.02)]), 0.020)
        canvas.shade(soft(ellipse(x + 0.01, y + 0.015, 0.042, 0.040), 0.008), 0.5)
        canvas.solid(ellipse(x, y, 0.040, 0.038), (0.80, 0.60, 0.22), 0.010, 0.9)
        canvas.solid(ellipse(x, y, 0.027, 0.026), (0.94, 0.86, 0.60), 0.006, 0.9)
        canvas.paint(ellipse(x, y, 0.008, 0.008), (0.30, 0.20, 0.06))
        canvas.tube([(x - 0.01, y - 0.03), (x - 0.055, y - 0.115)], 0.011, SILVER)
        canvas.tube([(x - 0.075, y - 0.125), (x - 0.035, y - 0.125)], 0.020, SILVER)
    _bell(canvas)
    return canvas.photograph(vignette=0.4)


def _tube(canvas: Canvas, points: list[Point], width: float) -> None:
    """A brass tube and the shadow it throws on what lies behind it."""
    canvas.shade(soft(line([(x + 0.010, y + 0.014) for x, y in points], width), 0.008), 0.5)
    canvas.tube(points, width, BRASS, 0.10)


def _bell(canvas: Canvas) -> None:
    """The tube that widens from the coil to the bell, and the bell's inside."""
    path = np.array(curve([(0.20, 0.55), (0.28, 0.70), (0.42, 0.77), (0.54, 0.75), (0.655, 0.70)], 30))
    along = np.linspace(0, 1, len(path))
    half = 0.019 + 0.030 * along**1.5 + 0.10 * along**7
    way = np.gradient(path, axis=0)
    aside = np.stack([way[:, 1], -way[:, 0]], -1) / np.linalg.norm(way, axis=1, keepdims=True)
    whole = _band(path, aside * half[:, None])
    canvas.shade(soft(np.roll(whole, (14, 10), (0, 1)), 0.012), 0.45)
    ramp = np.asarray(BRASS)
    for share in np.linspace(0, 1, 14):
        place = share * (len(ramp) - 1)
        low = min(int(place), len(ramp) - 2)
        colour = ramp[low] + (place - low) * (ramp[low + 1] - ramp[low])
        lit = path + aside * (0.38 * share * half)[:, None]
        canvas.paint(_band(lit, aside * (half * (1 - share) ** 0.8 + 0.001)[:, None]), colour)
    x, y, across, down, angle = 0.735, 0.672, 0.165, 0.222, -14
    canvas.shade(soft(ellipse(x + 0.02, y + 0.03, across, down, angle), 0.014) * 0.7, 0.5)
    canvas.solid(ellipse(x, y, across, down, angle), (0.86, 0.66, 0.24), 0.008, 0.9)
    steps = 40
    for share in np.linspace(0.02, 1, steps):
        size = 0.955 * (1 - share) ** 0.8 + 0.10 * share
        sheen = 0.62 + 0.42 * np.sin(9.5 * share**0.7 + 0.6) * (1 - 0.6 * share) - 0.34 * share**2
        colour = np.clip(np.array([0.95, 0.72, 0.28]) * max(0.07, sheen), 0, 1)
        canvas.paint(ellipse(x - 0.055 * share, y + 0.018 * share, across * size, down * size, angle), colour)
    glow = soft(ellipse(x + 0.055, y + 0.10, 0.03, 0.09, 18), 0.02) * ellipse(x, y, across * 0.95, down * 0.95, angle)
    canvas.paint(glow, (1.0, 0.93, 0.68), 0.75)
    glint = soft(ellipse(x - 0.06, y - 0.12, 0.016, 0.06, 24), 0.010)
    canvas.paint(glint, (1.0, 0.96, 0.80), 0.7)


def _band(path: np.ndarray, aside: np.ndarray) -> np.ndarray:
    return polygon([tuple(point) for point in [*(path + aside), *(path - aside)[::-1]]])
