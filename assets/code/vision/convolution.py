import numpy as np
import torch
from PIL import Image

from model import ConvolutionClassifier, VisionClassifier

picture = "assets/samples/church.jpg"  # yours

vision, convolution = VisionClassifier.load(device="cpu"), ConvolutionClassifier.load(device="cpu")
pixels, size = torch.from_numpy(vision.prepare(Image.open(picture))).permute(2, 0, 1) * 2 - 1, vision.config.patch_size
cut, rng = pixels.unfold(1, size, size).unfold(2, size, size), np.random.default_rng(0)  # (3, row, column, y, x)
patches = cut.flatten(1, 2)[:, rng.permutation(cut.shape[1] * cut.shape[2])].view(cut.shape)  # in another order
within = cut.flatten(3)[..., rng.permutation(size * size)].view(cut.shape)  # pixels of each patch, likewise
together = [each.transpose(2, 3).reshape(pixels.shape) for each in (patches, within)]
shown = dict(zip(("kept", "shifted", "patches", "pixels"), (pixels, pixels.roll(size, 2), *together), strict=True))
for side in (96, 128, 160, 192):
    shown[side] = torch.nn.functional.interpolate(pixels[None], (side, side), mode="bilinear", antialias=True)[0]
answer, found = vision.config.classes[int(vision.network(pixels[None]).argmax())], []
with torch.inference_mode():
    for name, each in ((name, each) for each in (vision, convolution) for name in shown):
        p = each.network(shown[name][None])[0].softmax(dim=-1)
        found.append(float(p[each.config.classes.index(answer)]))
ours, theirs = (dict(zip(shown, half, strict=True)) for half in (found[: len(shown)], found[len(shown) :]))
fields, steps = [1], [1]  # pixels a side that a place sees, and pixels to the next place: after each convolution
for each in [*convolution.network.stem, *(one for b in convolution.network.blocks for one in (b.first, b.second))]:
    fields.append(fields[-1] + (each.size - 1) * steps[-1])
    steps.append(steps[-1] * each.stride)
fields, steps = fields[2::2], steps[2::2]  # after the stem and after each block
