import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
layer = "6"  # yours
head = "mean"  # yours

classifier, inputs, each = VisionClassifier.load(device="cpu"), [], []
for block in classifier.network.layers:
    block.attention_norm.register_forward_hook(lambda _, given, x: inputs.append(x[0]))
classifier.trace(Image.open(picture))
with torch.inference_mode():
    for block, x in zip(classifier.network.layers, inputs, strict=True):  # x: (1 + patch, d_model), CLS first
        q = block.attention.query(x[0]).view(block.attention.n_heads, 1, -1)  # (head, 1, d_k): CLS is the only query
        k = block.attention.key(x).view(len(x), block.attention.n_heads, -1).transpose(0, 1)  # (head, 1 + patch, d_k)
        each.append((q @ k.mT / k.shape[-1] ** 0.5).softmax(dim=-1)[:, 0])
    each = torch.stack(each)[..., 1:]  # (layer, head, patch): without the weight on CLS itself
layers = each if layer == "mean" else each[[int(layer) - 1]]
weights = (layers if head == "mean" else layers[:, [int(head) - 1]]).mean(dim=(0, 1))  # (patch,)
largest = each.mean(dim=1).amax(dim=-1)  # in the mean over heads, of every layer
