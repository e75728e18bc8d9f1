import numpy as np
import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
seed = 1  # yours

classifier = VisionClassifier.load(device="cpu")
network, grid = classifier.network, classifier.config.grid
trace = classifier.trace(Image.open(picture))
unit = torch.nn.functional.normalize(network.position_embedding[1:].detach(), dim=-1)
similarity = unit @ unit.T  # (patch, patch): cosines of the position vectors

places = torch.cartesian_prod(torch.arange(grid), torch.arange(grid)).double()
apart = torch.cdist(places, places) * classifier.config.patch_size  # (patch, patch), in pixels
between = torch.from_numpy(trace.attention[:, :, 1:, 1:]).double()  # without CLS, which has no place in the picture
distances = (between / between.sum(dim=-1, keepdim=True) * apart).sum(dim=-1).mean(dim=-1)  # (layer, head)

order, found = np.random.default_rng(seed).permutation(grid * grid), []
with torch.inference_mode():
    for patches in (trace.patches, trace.patches[order]):
        for positions in (network.position_embedding, torch.zeros_like(network.position_embedding)):
            x = torch.cat([network.class_embedding[None], torch.from_numpy(patches)]) + positions
            for layer in network.layers:
                x = layer(x[None], None, "")[0]
            found.append(network.head(network.norm(x[0])).softmax(dim=-1))
plain, no_positions, shuffle, both = found  # (class,) each
