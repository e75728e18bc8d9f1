import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
way = "delete"  # yours
words = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8))  # yours
word = (0, 1)  # yours

translator = Translator.load(device="cpu")
network, trace = translator.network, translator.trace(sentence, target_ids=target_ids)
source, target, wanted = (torch.tensor([ids]) for ids in (trace.source_ids, trace.target_ids, trace.next_ids))
chosen, drops = slice(*word), []  # tokens of the target word
with torch.inference_mode():
    for begin, end in [(0, 0), *words]:  # at first nothing is left out, then each source word
        kept = torch.tensor([not begin <= place < end for place in range(source.shape[1])])
        ids, seen = (source[:, kept], None) if way == "delete" else (source, kept[None, None, None])
        log_p = network.project(network.decode(target, network.encode(ids, seen), seen)).log_softmax(dim=-1)
        drops.append(log_p.gather(-1, wanted[..., None])[0, chosen].sum())
drops = drops[0] - torch.stack(drops[1:])  # (source word,)
weights, values = (torch.from_numpy(getattr(trace.records["cross"], part)) for part in ("weights", "values"))
w_0 = torch.stack([each.cross_attention.output.weight for each in network.decoder]).unflatten(2, (-1, values.shape[3]))
added = torch.einsum("lhts,lhsd,lmhd->ltsm", weights, values, w_0).norm(dim=-1)  # norm of what a source token adds
cross = weights.mean(dim=1)  # over heads: (layer, T, S)
maps = torch.stack([cross[-1], cross.mean(dim=0), added.mean(dim=0)])[:, chosen].mean(dim=1)  # (method, source token)
last_layer, all_layers, value_weighted = torch.stack([maps[:, begin:end].sum(dim=1) for begin, end in words], dim=1)
