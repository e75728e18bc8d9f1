"""A sample from a village: a church, with the walls and trees that the streets use too."""

from __future__ import annotations

import numpy as np
from PIL import Image

from tools.samples.canvas import Canvas, box, ellipse, line, polygon, soft
from tools.samples.nature import GREENS, hills


def stone(canvas: Canvas, colour: tuple, row: float, width: float, amount: float = 0.16) -> np.ndarray:
    """A wall of blocks, `(row, column, 3)`: each of its own shade, with mortar between them."""
    course = np.floor(canvas.y / row)
    along = canvas.x / width + 0.5 * (course % 2)
    shades = canvas.random.random((400, 400))
    shade = shades[course.astype(int) % 400, np.floor(along).astype(int) % 400]
    mortar = np.minimum((canvas.y / row) % 1 * row, along % 1 * width) < 0.0016
    rough = canvas.noise(60, 4)
    light = 1 + amount * (shade - 0.5) + 0.16 * (rough - 0.5) - 0.10 * mortar
    return np.clip(np.asarray(colour) * light[..., None], 0, 1)


def arch(x: float, bottom: float, width: float, height: float) -> np.ndarray:
    """A pointed opening whose foot is centred at `(x, bottom)`."""
    turn = np.linspace(0, np.arccos(0.5), 16)
    spring = bottom - height + width * np.sin(turn[-1])
    right = [(x - width / 2 + width * np.cos(t), spring - width * np.sin(t)) for t in turn]
    left = [(2 * x - px, py) for px, py in reversed(right)]
    return polygon([(x + width / 2, bottom), *right, *left, (x - width / 2, bottom)])


def window(canvas: Canvas, x: float, bottom: float, width: float, height: float) -> None:
    """A dark lancet window in a pale frame."""
    canvas.paint(arch(x, bottom + 0.006, width * 1.45, height + 0.016), (0.86, 0.83, 0.77))
    glass = arch(x, bottom, width, height)
    canvas.paint(glass, (0.10, 0.12, 0.17))
    canvas.paint(glass * np.clip(canvas.noise(9, 3) - 0.45, 0, 1), (0.55, 0.65, 0.8))
    canvas.paint(line([(x, bottom), (x, bottom - height)], 0.0035) * glass, (0.7, 0.68, 0.62))


def tree(canvas: Canvas, x: float, y: float, across: float, colour: tuple) -> None:
    """A round tree: many tufts of leaves, light above and dark below."""
    canvas.tube([(x, y + across * 1.9), (x, y)], across * 0.22, [(0.14, 0.10, 0.07), (0.32, 0.25, 0.18)])
    tufts = canvas.random.normal(0, 0.45, (220, 2))
    tufts = tufts[(tufts**2).sum(1) < 1.1]
    for right, down in tufts[np.argsort(-tufts[:, 1])]:
        size = across * canvas.random.uniform(0.06, 0.17)
        light = 0.66 - 0.40 * down - 0.16 * right + canvas.random.normal(0, 0.10)
        leaves = ellipse(x + right * across, y + down * across * 1.1, size, size * 0.8, canvas.random.uniform(0, 180))
        canvas.paint(leaves, np.asarray(colour) * max(0.3, light) * 1.5, 0.9)


def church(canvas: Canvas) -> Image.Image:
    """A stone church with a steeple, trees beside it and a lawn in front."""
    canvas.sky((0.22, 0.45, 0.80), (0.72, 0.84, 0.95), 0.8, 0.62)
    hills(canvas, 0.74, 2, (0.22, 0.36, 0.16), (0.38, 0.50, 0.50))
    lawn = np.clip((canvas.y - 0.80) * 300, 0, 1)
    canvas.paint(lawn, np.array([0.30, 0.44, 0.14]) * (0.75 + 0.5 * canvas.noise(8, 6, 3))[..., None])
    tree(canvas, 0.10, 0.62, 0.13, (0.22, 0.36, 0.12))
    tree(canvas, 0.95, 0.66, 0.11, (0.26, 0.40, 0.14))
    wall = stone(canvas, (0.74, 0.68, 0.58), 0.016, 0.036)
    dim = stone(canvas, (0.52, 0.47, 0.42), 0.016, 0.030)
    slate = stone(canvas, (0.34, 0.36, 0.42), 0.011, 0.016, 0.3)
    canvas.on_object = True
    # the nave, its side in shadow
    side = polygon([(0.52, 0.60), (0.86, 0.62), (0.86, 0.83), (0.52, 0.845)])
    canvas.paint(side, wall * 0.93)
    canvas.shade(polygon([(0.50, 0.60), (0.89, 0.62), (0.88, 0.645), (0.50, 0.635)]), 0.72)
    canvas.paint(polygon([(0.50, 0.615), (0.56, 0.43), (0.82, 0.47), (0.89, 0.635)]), slate)
    for x in (0.615, 0.695, 0.775):
        canvas.paint(box(x - 0.046, 0.665, x - 0.034, 0.835), wall * 0.8)
        window(canvas, x, 0.775, 0.028, 0.105)
    # the tower: front in the sun, right side in shadow
    front = polygon([(0.30, 0.36), (0.50, 0.36), (0.50, 0.86), (0.30, 0.855)])
    flank = polygon([(0.50, 0.36), (0.565, 0.375), (0.565, 0.845), (0.50, 0.86)])
    roof = polygon([(0.50, 0.615), (0.56, 0.43), (0.82, 0.47), (0.89, 0.635)])
    canvas.shade(
        soft(polygon([(0.55, 0.40), (0.61, 0.44), (0.63, 0.66), (0.55, 0.66)]), 0.012) * np.maximum(roof, side), 0.6
    )
    canvas.paint(front, wall * 1.08)
    canvas.paint(flank, dim)
    canvas.paint(polygon([(0.285, 0.37), (0.40, 0.035), (0.515, 0.37)]), slate * 1.12)
    canvas.paint(polygon([(0.40, 0.035), (0.515, 0.37), (0.58, 0.382)]), slate * 0.66)
    for y in (0.355, 0.53, 0.70):
        canvas.paint(polygon([(0.292, y), (0.508, y), (0.508, y + 0.014), (0.292, y + 0.014)]), (0.84, 0.80, 0.72))
        canvas.paint(
            polygon([(0.508, y), (0.57, y + 0.012), (0.57, y + 0.025), (0.508, y + 0.014)]), (0.55, 0.51, 0.46)
        )
        canvas.shade(box(0.30, y + 0.014, 0.50, y + 0.024), 0.78)
    for x in (0.365, 0.435):
        window(canvas, x, 0.50, 0.032, 0.105)
    canvas.paint(ellipse(0.40, 0.615, 0.042, 0.042), (0.88, 0.86, 0.80))
    canvas.paint(ellipse(0.40, 0.615, 0.034, 0.034), (0.13, 0.14, 0.18))
    canvas.paint(
        line([(0.40, 0.615), (0.40, 0.59)], 0.004) + line([(0.40, 0.615), (0.418, 0.622)], 0.004), (0.9, 0.85, 0.6)
    )
    canvas.paint(arch(0.40, 0.86, 0.092, 0.135), (0.86, 0.82, 0.74))
    canvas.paint(
        arch(0.40, 0.86, 0.07, 0.115), np.array([0.26, 0.14, 0.08]) * (0.8 + 0.5 * canvas.noise(4, 4, 0.1))[..., None]
    )
    canvas.paint(
        line([(0.40, 0.035), (0.40, -0.02)], 0.006) + line([(0.385, 0.0), (0.415, 0.0)], 0.006), (0.25, 0.24, 0.22)
    )
    canvas.on_object = False
    ground = polygon([(0.30, 0.85), (0.88, 0.828), (0.98, 0.86), (0.42, 0.90)])
    canvas.shade(soft(ground, 0.012), 0.62)
    path = polygon([(0.365, 0.86), (0.435, 0.86), (0.52, 1.02), (0.20, 1.02)])
    canvas.paint(soft(path, 0.004), np.array([0.66, 0.60, 0.52]) * (0.8 + 0.4 * canvas.noise(50, 4, 2))[..., None])
    canvas.grass(0.86, 2600, 0.035, GREENS, 1.03, (-0.02, 0.32))
    canvas.grass(0.86, 3400, 0.035, GREENS, 1.03, (0.50, 1.02))
    return canvas.photograph()
