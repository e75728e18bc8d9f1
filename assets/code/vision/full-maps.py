import torch
from PIL import Image
from torch import Tensor, nn

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours


class EncoderLayer(nn.Module):  # of a ViT: each norm is before its sub-layer
    def __init__(self, trained: nn.Module):
        super().__init__()
        self.trained, self.attention = trained, trained.attention

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        own, normed = self.attention, self.trained.attention_norm(x)
        q, k, v = (w(normed).view(len(x), own.n_heads, -1).transpose(0, 1) for w in (own.query, own.key, own.value))
        weights = (q @ k.mT / q.shape[-1] ** 0.5).softmax(dim=-1)  # (head, query, key)
        x = x + own.output((weights @ v).transpose(0, 1).flatten(1))
        return x + self.trained.contract(nn.GELU()(self.trained.expand(self.trained.feed_forward_norm(x)))), weights


classifier, maps = VisionClassifier.load(device="cpu"), []
with torch.inference_mode():
    x = classifier.network.embed(
        torch.from_numpy(classifier.prepare(Image.open(picture))).permute(2, 0, 1)[None] * 2 - 1
    )[0]
    for layer in classifier.network.layers:
        x, weights = EncoderLayer(layer)(x)
        maps.append(weights)
maps = torch.stack(maps)  # (layer, head, 1 + patch, 1 + patch), CLS first
on_cls = maps[:, :, 1:, 0].mean(dim=(1, 2))  # mean weight on CLS, by layer
