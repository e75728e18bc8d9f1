import numpy as np
import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
explained = "church"  # yours
points = 16  # yours

classifier = VisionClassifier.load(device="cpu")
index, size = classifier.config.classes.index(explained), classifier.config.patch_size
pixels = torch.from_numpy(classifier.prepare(Image.open(picture))).permute(2, 0, 1) * 2 - 1  # (3, height, width)
plain = pixels.mean(dim=(1, 2), keepdim=True).expand_as(pixels)  # the picture's mean colour
total, (nodes, weights) = torch.zeros(pixels.shape, dtype=torch.float64), np.polynomial.legendre.leggauss(points)
for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):  # points on the way, and their weights
    step = (plain + float(node) * (pixels - plain)).requires_grad_(True)
    total += weight * torch.autograd.grad(classifier.network(step[None])[0, index], step)[0]
squares = (total * (pixels - plain)).sum(dim=0).unfold(0, size, size).unfold(1, size, size)  # (row, column, y, x)
patches, drops = squares.sum(dim=(2, 3)).flatten(), []
with torch.inference_mode():
    change = classifier.network(torch.stack([plain, pixels]))[:, index].double().diff()[0]  # of the logit
    for row, column in np.ndindex(*squares.shape[:2]):
        covered = pixels.clone()
        covered[:, row * size : (row + 1) * size, column * size : (column + 1) * size] = plain[:, :size, :size]
        logits = classifier.network(torch.stack([pixels, covered])).double()
        drops.append(-logits.softmax(dim=-1)[:, index].diff()[0])
missing = change - patches.sum()
