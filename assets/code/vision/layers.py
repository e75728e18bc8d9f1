import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
explained = "church"  # yours
layer = 6  # yours
fusion = "mean"  # yours

classifier, weights = VisionClassifier.load(device="cpu"), []
pixels = torch.from_numpy(classifier.prepare(Image.open(picture))).permute(2, 0, 1) * 2 - 1
pixels.requires_grad_(True)
tap = lambda name, step: weights.append(step) or step if name.endswith("self.weights") else step  # noqa: E731
logit = classifier.network(pixels[None], tap)[0, classifier.config.classes.index(explained)]
slope, *slopes = torch.autograd.grad(logit, [pixels, *weights])
maps, gradients = torch.cat(weights).detach(), torch.cat(slopes)  # (layer, head, query, key)

cls = maps[layer - 1, :, 0, 1:].mean(dim=0)
identity = torch.eye(maps.shape[-1], dtype=torch.float64)
rolled = relevance = identity
fused = {"mean": maps.double().mean(dim=1), "max": maps.double().amax(dim=1), "min": maps.double().amin(dim=1)}[fusion]
for step in fused[:layer]:
    rolled = (step / step.sum(dim=-1, keepdim=True) + identity) / 2 @ rolled
for step in (gradients * maps).clamp(min=0).mean(dim=1).double():
    relevance = relevance + step @ relevance
rollout, gradient_relevance = rolled[0, 1:], relevance[0, 1:]
size = classifier.config.patch_size
raw_gradient = slope.square().sum(dim=0).unfold(0, size, size).unfold(1, size, size).sum(dim=(2, 3)).sqrt().flatten()
