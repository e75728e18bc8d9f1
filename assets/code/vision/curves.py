import numpy as np
import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
explained = "church"  # yours
orders = {}  # yours

classifier, rng = VisionClassifier.load(device="cpu"), np.random.default_rng(0)
size, grid, wanted = classifier.config.patch_size, classifier.config.grid, classifier.config.classes.index(explained)
pixels = torch.from_numpy(classifier.prepare(Image.open(picture))).permute(2, 0, 1) * 2 - 1  # (3, height, width)
for pair in range(2):  # baselines for the orders of the methods: random orders of patches, and these reversed
    drawn = rng.permutation(grid * grid)
    orders |= {f"random {pair}": drawn, f"reverse {pair}": drawn[::-1]}
counts = torch.linspace(0, grid * grid, 11, dtype=torch.float64).round()  # patches that are covered, or uncovered
deletion, insertion = {}, {}
for name, order in orders.items():
    covered = torch.tensor(np.argsort(order)) < counts[:, None]  # (point, patch)
    for curve, hidden in ((deletion, covered), (insertion, ~covered)):
        hidden = hidden.view(-1, 1, grid, grid).repeat_interleave(size, dim=2).repeat_interleave(size, dim=3)
        with torch.inference_mode():
            logits = classifier.network(torch.where(hidden, pixels.mean(dim=(1, 2))[:, None, None], pixels))
        curve[name] = logits.double().softmax(dim=-1)[:, wanted]  # (point,)
deletion_areas, insertion_areas = (
    {name: torch.trapezoid(each, counts / grid**2) for name, each in curve.items()} for curve in (deletion, insertion)
)
