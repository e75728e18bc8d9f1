import torch

from model import Translator

pairs = (("days", "day"), ("years", "year"), ("men", "man"), ("women", "woman"))  # yours

translator = Translator.load(device="cpu")
ids = [[translator.tokenizer.encode(word)[0] for word in pair] for pair in pairs]
vectors = translator.network.embedding.weight[torch.tensor(ids)].detach().double()  # (pair, 2, d_model)


def auc(both):  # how often a word of the first kind has the larger number, for each column of (pair, 2, columns)
    first, second = both[:, None, 0], both[None, :, 1]
    return ((first > second).double() + 0.5 * (first == second)).mean(dim=(0, 1))


choosing, judging = vectors[::2], vectors[1::2]
chosen = auc(choosing)
held_out = torch.where(chosen >= 0.5, auc(judging), 1 - auc(judging))
best = int((chosen - 0.5).abs().argmax())
direction = choosing[:, 0].mean(dim=0) - choosing[:, 1].mean(dim=0)
together = auc((judging @ direction)[..., None])[0]
