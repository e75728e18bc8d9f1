import torch

from model import Translator

sentences = ("the cat that I raise", "the cat that catches sparrows", "the cat character in a game")  # yours
places = ((1, 2), (1, 2), (1, 2))  # yours

translator, layers = Translator.load(device="cpu"), []
network, tokenizer = translator.network, translator.tokenizer
for block in network.encoder:
    block.register_forward_hook(lambda _, given, stream: layers.append(stream[0]))
vectors = []
with torch.inference_mode():
    for sentence, (first, behind) in zip(sentences, places, strict=True):  # the word's tokens in it, from 0
        layers.clear()
        ids = [*tokenizer.encode(sentence), tokenizer.eos_id]
        network.encode(torch.tensor([ids]))
        rows = network.embedding.weight[ids] * network.config.d_model**0.5
        stages = torch.stack([rows, rows + network.positions[: len(ids)], *layers])  # (stage, S, d_model)
        vectors.append(stages[:, first:behind].mean(dim=1))
vectors = torch.stack(vectors).double()  # (sentence, stage, d_model)
pairs = [(one, two) for two in range(len(sentences)) for one in range(two)]
cosines = {pair: torch.cosine_similarity(vectors[pair[0]], vectors[pair[1]], dim=-1) for pair in pairs}  # (stage,) each
centred = vectors.flatten(0, 1) - vectors.mean(dim=(0, 1))
variances = torch.linalg.svdvals(centred).square()
explained = variances[:2] / variances.sum()  # by the two directions of the plane
