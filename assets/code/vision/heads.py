import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
explained = "church"  # yours

classifier = VisionClassifier.load(device="cpu")
network, config = classifier.network, classifier.config
width = config.d_model // config.n_heads
pixels = torch.from_numpy(classifier.prepare(Image.open(picture))).permute(2, 0, 1)[None] * 2 - 1
without = torch.empty(config.n_layers, config.n_heads, len(config.classes))
with torch.inference_mode():
    logits = network(pixels)[0]  # (class,)
    for layer, block in enumerate(network.layers):
        trained = block.attention.output.weight.clone()  # W_O: (d_model, columns of all heads in order)
        for head in range(config.n_heads):
            block.attention.output.weight[:, head * width : (head + 1) * width] = 0
            without[layer, head] = network(pixels)[0]
            block.attention.output.weight.copy_(trained)
wanted = config.classes.index(explained)
logit_changes = (without - logits)[..., wanted]  # (layer, head)
probability_changes = (without.softmax(dim=-1) - logits.softmax(dim=-1))[..., wanted]
