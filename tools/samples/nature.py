"""Outdoor samples: a parachute over hills and a golf ball on grass."""

from __future__ import annotations

import numpy as np
from PIL import Image

from tools.samples.canvas import Canvas, ellipse, line, soft

GREENS = ((0.30, 0.47, 0.12), (0.42, 0.58, 0.18), (0.24, 0.38, 0.10), (0.52, 0.62, 0.25))


def hills(canvas: Canvas, horizon: float, layers: int, near: tuple, far: tuple) -> None:
    """Wooded hills, paler with distance."""
    for layer in range(layers):
        share = layer / max(1, layers - 1)
        ridge = canvas.noise(3 + 2 * share, 5)[0] * 0.11 + horizon + 0.12 * share - 0.05
        mask = np.clip((canvas.y - ridge) * 400, 0, 1)
        woods = canvas.noise(40 + 30 * (1 - share), 4, 1.6)
        colour = np.asarray(far) + share * (np.asarray(near) - np.asarray(far))
        canvas.paint(mask, np.clip(colour * (0.72 + 0.5 * share * (woods - 0.5) + 0.3)[..., None], 0, 1))


def parachute(canvas: Canvas) -> Image.Image:
    """A round canopy of eleven gores, its lines and a jumper, in the sky over hills."""
    canvas.sky((0.16, 0.38, 0.74), (0.62, 0.78, 0.92), 0.85, 0.35)
    hills(canvas, 0.86, 3, (0.20, 0.33, 0.14), (0.45, 0.58, 0.68))
    x, y, wide, high = 0.5, 0.40, 0.31, 0.27
    jumper = (0.52, 0.80)
    u, v = (canvas.x - x) / wide, (canvas.y - y) / high
    round_width = np.sqrt(np.clip(1 - v**2, 1e-4, 1))
    longitude = np.arcsin(np.clip(u / round_width, -1, 1)) / np.pi + 0.5  # 0..1 across the canopy
    gores = 11
    within = (longitude * gores) % 1
    hem = 0.10 * (1 - np.abs(u)) + 0.035 * np.abs(np.sin(np.pi * longitude * gores))
    inside = soft(((u**2 + v**2 < 1) & (v < hem)).astype(np.float32), 0.0012)
    canvas.on_object = True
    # the far rim, seen from below
    rim = ellipse(x, y + 0.012, wide * 0.97, 0.035)
    canvas.paint(rim, (0.34, 0.10, 0.08))
    depth = np.sqrt(np.clip(1 - u**2 - np.minimum(v, 0) ** 2, 0, 1))
    light = np.clip(0.42 + 0.5 * (-0.45 * u - 0.62 * v + 0.55 * depth), 0.2, 1.15)
    light *= 0.80 + 0.26 * np.sin(np.pi * within) ** 0.7
    light *= 0.95 + 0.10 * canvas.noise(6, 4)
    colours = np.array([(0.86, 0.13, 0.10), (0.96, 0.94, 0.90), (0.95, 0.62, 0.08)])
    painted = colours[np.array([0, 1, 0, 2, 0, 1, 0, 2, 0, 1, 0])[np.clip(longitude * gores, 0, gores - 1).astype(int)]]
    canvas.paint(inside, np.clip(painted * light[..., None], 0, 1))
    for number in range(gores + 1):
        angle = np.pi * (number / gores - 0.5)
        start = (x + wide * np.sin(angle) * 0.995, y + high * 0.10 * (1 - abs(np.sin(angle))))
        canvas.paint(
            line([start, (jumper[0] + 0.012 * np.sin(angle), jumper[1] - 0.045)], 0.0022), (0.16, 0.16, 0.2), 0.8
        )
    canvas.tube(
        [(jumper[0], jumper[1] - 0.03), (jumper[0] + 0.002, jumper[1] + 0.012)],
        0.032,
        [(0.08, 0.09, 0.1), (0.3, 0.32, 0.25)],
    )
    for foot in (-0.014, 0.012):
        canvas.tube(
            [(jumper[0] + foot / 2, jumper[1] + 0.015), (jumper[0] + foot * 1.3, jumper[1] + 0.07)],
            0.015,
            [(0.06, 0.07, 0.1), (0.2, 0.22, 0.3)],
        )
    for hand in (-1, 1):
        canvas.tube(
            [(jumper[0] + 0.01 * hand, jumper[1] - 0.025), (jumper[0] + 0.022 * hand, jumper[1] - 0.055)],
            0.010,
            [(0.08, 0.09, 0.1), (0.3, 0.3, 0.25)],
        )
    canvas.paint(ellipse(jumper[0], jumper[1] - 0.052, 0.013, 0.015), (0.75, 0.55, 0.45))
    canvas.paint(ellipse(jumper[0], jumper[1] - 0.057, 0.014, 0.012), (0.75, 0.1, 0.1))
    return canvas.photograph()


def golf_ball(canvas: Canvas) -> Image.Image:
    """A dimpled ball in short grass, the far grass out of focus."""
    far = 0.30
    patches = canvas.noise(5, 6, 2.5)
    canvas.pixels[:] = np.array([0.24, 0.40, 0.11]) + 0.22 * (patches - 0.4)[..., None] * np.array([1.0, 1.1, 0.5])
    trees = np.clip((far - canvas.y + 0.05 * (canvas.noise(6, 5)[0] - 0.5)) * 60, 0, 1)
    leaves = canvas.noise(18, 5)
    canvas.paint(trees, np.array([0.10, 0.20, 0.07]) + 0.25 * (leaves**2)[..., None] * np.array([0.8, 1, 0.4]))
    canvas.defocus(0.016)
    canvas.grass(far + 0.04, 2600, 0.05, GREENS, 0.62)
    canvas.defocus(0.006)
    canvas.grass(0.5, 5200, 0.075, GREENS, 0.80)
    x, y, radius = 0.49, 0.52, 0.265
    ground = ellipse(x + 0.10, y + radius * 0.93, radius * 1.0, radius * 0.28)
    canvas.shade(soft(ground, 0.025), 0.34)
    canvas.on_object = True
    _ball(canvas, x, y, radius)
    canvas.grass(0.79, 2600, 0.11, GREENS, 0.87)
    canvas.grass(0.86, 1500, 0.11, GREENS, 1.08)
    return canvas.photograph(vignette=0.3)


def _ball(canvas: Canvas, x: float, y: float, radius: float) -> None:
    u, v = (canvas.x - x) / radius, (canvas.y - y) / radius
    inside = u**2 + v**2 < 1
    w = np.sqrt(np.clip(1 - u**2 - v**2, 0, 1))
    normal = np.stack([u, v, w], -1)[inside]  # (pixel, 3)
    # dimples in a spiral of equal areas, in which neighbours are about equally far
    count = 400
    height = 1 - 2 * (np.arange(count) + 0.5) / count
    turn = np.pi * (1 + 5**0.5) * np.arange(count)
    ring = np.sqrt(1 - height**2)
    places = np.stack([ring * np.cos(turn), height, ring * np.sin(turn)], -1)
    tilt = 0.5
    places = places @ np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    places = places[places[:, 2] > -0.2].astype(np.float32)
    nearest = np.empty(len(normal), int)
    for start in range(0, len(normal), 20_000):
        nearest[start : start + 20_000] = (normal[start : start + 20_000] @ places.T).argmax(1)
    off = normal - places[nearest]
    distance = np.linalg.norm(off, axis=1)
    hollow = 0.082
    depth = np.where(distance < hollow, np.sin(np.pi * distance / hollow), 0)[:, None]
    bent = normal + 0.42 * depth * off / np.maximum(distance, 1e-6)[:, None]
    bent /= np.linalg.norm(bent, axis=1, keepdims=True)
    sun = np.array([-0.52, -0.68, 0.52])
    lit = np.clip(bent @ sun, 0, 1)[:, None]
    above = (0.5 - 0.5 * bent[:, 1])[:, None]
    colour = (0.20 + 0.20 * above) * np.array([0.86, 0.93, 1.0]) + 0.56 * lit * np.array([1.0, 0.98, 0.93])
    colour += 0.16 * (1 - above) ** 2 * np.array([0.35, 0.6, 0.15])  # light from the grass
    colour += 0.3 * (np.clip(bent @ (sun + np.array([0, 0, 0.6])) / 1.25, 0, 1)[:, None] ** 60)
    shown = np.zeros_like(canvas.pixels)
    shown[inside] = np.clip(colour, 0, 1)
    canvas.paint(ellipse(x, y, radius - 0.001, radius - 0.001), shown)
