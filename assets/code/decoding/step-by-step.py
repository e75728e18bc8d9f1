import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
step = 1  # yours
temperature = 1.0  # yours
top_k = 0  # yours
top_p = 1.0  # yours

translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
logits = torch.from_numpy(trace.logits[step - 1]).double()  # (vocabulary,)
logits[list(translator.network.config.never_generated)] = -torch.inf  # such as <pad>
plain = logits.softmax(dim=0)  # before temperature and filters
scaled = logits / temperature
kept = scaled.isfinite()
if top_k:
    kept &= scaled >= scaled.topk(top_k).values[-1]
if top_p < 1:
    shares, order = scaled.masked_fill(~kept, -torch.inf).softmax(dim=0).sort(descending=True, stable=True)
    outside = shares.cumsum(dim=0) - shares >= top_p  # the tokens before it already reach the limit
    outside[0] = False  # the most probable token always stays
    kept[order[outside]] = False
probabilities = scaled.masked_fill(~kept, -torch.inf).softmax(dim=0)
