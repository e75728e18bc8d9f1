import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
changes = (("values", ((4, 1), (4, 2), (4, 3), (4, 4), (4, 5), (4, 6)), 0.0),)  # yours

classifier, attention = VisionClassifier.load(device="cpu"), []
pixels = torch.from_numpy(classifier.prepare(Image.open(picture))).permute(2, 0, 1)[None] * 2 - 1
with torch.inference_mode():
    x = classifier.network.embed(pixels)[0]  # (1 + patch, d_model), CLS first
    for number, layer in enumerate(classifier.network.layers, 1):
        own, normed = layer.attention, layer.attention_norm(x)
        q, k, v = (w(normed).view(len(x), own.n_heads, -1).transpose(0, 1) for w in (own.query, own.key, own.value))
        hidden, parts = torch.zeros(own.n_heads, len(x), len(x)), {"queries": q, "values": v}
        for what, head, value in ((name, h - 1, to) for name, heads, to in changes for n, h in heads if n == number):
            if what in parts:  # times a factor: values times 0 ablate the head, queries times 5 sharpen it
                parts[what][head] *= value
            elif what == "hide":  # keys that no query sees
                hidden[head, :, list(value)] = -torch.inf
            else:  # the only key that a query attends to; None is every query
                key, query = value
                hidden[head, query], hidden[head, query, ..., key] = -torch.inf, 0
        attention.append((q @ k.mT / q.shape[-1] ** 0.5 + hidden).softmax(dim=-1))  # (head, query, key)
        x = x + own.output((attention[-1] @ v).transpose(0, 1).flatten(1))
        x = x + layer.contract(torch.nn.functional.gelu(layer.expand(layer.feed_forward_norm(x))))
    probabilities = classifier.network.head(classifier.network.norm(x[0])).softmax(dim=-1)
