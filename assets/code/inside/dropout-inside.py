import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
stack = "encoder"  # yours
layer = 1  # yours
position = 1  # yours
rate = 0.1  # yours
draws = 8  # yours
seed = 1  # yours

translator, seen = Translator.load(device="cpu"), {}
block = getattr(translator.network, stack)[layer - 1]
w_1, w_2, norm = block.feed_forward.expand, block.feed_forward.contract, block.feed_forward_norm.norm
w_1.register_forward_pre_hook(lambda _, given: seen.update(x=given[0]))
translator.trace(sentence, target_ids=target_ids)
x = seen["x"][0, position - 1 : position]  # (1, d_model)
kept = torch.empty(draws, w_1.out_features).bernoulli_(1 - rate, generator=torch.Generator().manual_seed(seed))
with torch.inference_mode():
    hidden = w_1(x).relu()  # (1, d_ff)
    drawn = norm(x + w_2(hidden * kept / (1 - rate)))  # (draw, d_model): the numbers kept are divided by 1 - p
    without = norm(x + w_2(hidden))[0]
numbers_kept = kept.sum(dim=1)
cosines = torch.cosine_similarity(drawn.double(), without.double()[None])
