import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
stack = "encoder"  # yours
layer = 1  # yours
norm = "self_norm"  # yours
position = 1  # yours
rate = 0.1  # yours
draws = 8  # yours
seed = 1  # yours

translator, seen = Translator.load(device="cpu"), []
trained = getattr(getattr(translator.network, stack)[layer - 1], norm)  # LayerNorm of the stream x and the output
trained.register_forward_pre_hook(lambda _, given: seen.extend(given[:2]))
translator.trace(sentence, target_ids=target_ids)
x, output = (each[0, position - 1] for each in seen[-2:])  # (d_model,) each
kept = torch.empty(draws, len(x)).bernoulli_(1 - rate, generator=torch.Generator().manual_seed(seed))
with torch.inference_mode():
    drawn = trained.norm(x + output * kept / (1 - rate))  # (draw, d_model): the numbers kept are divided by 1 - p
    without = trained.norm(x + output)
numbers_kept = kept.sum(dim=1)
cosines = torch.cosine_similarity(drawn.double(), without.double()[None])
