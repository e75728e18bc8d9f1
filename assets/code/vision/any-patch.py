import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
layer = "6"  # yours
head = "mean"  # yours
row = 1  # yours
column = 1  # yours

classifier, inputs, each = VisionClassifier.load(device="cpu"), [], []
for block in classifier.network.layers:
    block.attention_norm.register_forward_hook(lambda _, given, x: inputs.append(x[0]))
classifier.trace(Image.open(picture))
with torch.inference_mode():
    for block, x in zip(classifier.network.layers, inputs, strict=True):  # x: (1 + patch, d_model), CLS first
        split = len(x), block.attention.n_heads, -1
        q, k = (of(x).view(split).transpose(0, 1) for of in (block.attention.query, block.attention.key))
        each.append((q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=-1))  # (head, query, key)
layers = torch.stack(each) if layer == "mean" else each[int(layer) - 1][None]
weights = (layers if head == "mean" else layers[:, [int(head) - 1]]).mean(dim=(0, 1))  # (query, key)
place = 1 + (row - 1) * classifier.config.grid + column - 1
attends_to, attended_by = weights[place, 1:], weights[1:, place]  # a row and a column: (patch,) each
strongest = divmod(int(attends_to.argmax()), classifier.config.grid)  # row and column, from 0
