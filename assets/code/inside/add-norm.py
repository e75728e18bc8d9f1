import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
stack = "encoder"  # yours

translator, seen = Translator.load(device="cpu"), {}
for block in getattr(translator.network, stack):
    for name in ("self_norm", "cross_norm", "feed_forward_norm"):
        if hasattr(block, name):  # inputs: the stream x and the sub-layer's output
            getattr(block, name).register_forward_pre_hook(lambda each, given: seen.update({each.norm: given[:2]}))
translator.trace(sentence, target_ids=target_ids)

lengths, share, cosine, normal_variance, after = [], [], [], [], []  # an entry for each sub-layer
for norm, given in seen.items():
    x, output = (each[0].double() for each in given)  # (position, d_model)
    added = x + output
    normal = (added - added.mean(-1, keepdim=True)) / (added.var(-1, correction=0, keepdim=True) + norm.eps).sqrt()
    after.append((norm.weight * normal + norm.bias).norm(dim=-1))
    lengths.append(added.norm(dim=-1))
    share.append(output.norm(dim=-1) / x.norm(dim=-1))
    cosine.append(torch.cosine_similarity(x, output, dim=-1))
    normal_variance.append(normal.var(-1, correction=0))
lengths, share, cosine, normal_variance, after = map(torch.stack, (lengths, share, cosine, normal_variance, after))
