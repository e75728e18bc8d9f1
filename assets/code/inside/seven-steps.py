import math

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
kind = "encoder"  # yours
layer = 1  # yours
head = 1  # yours

translator = Translator.load(device="cpu")
block = (translator.network.encoder if kind == "encoder" else translator.network.decoder)[layer - 1]
attention = block.cross_attention if kind == "cross" else block.self_attention
x, names = {}, ("query", "key", "value")  # x: input of each projection, recorded during the pass
for name in names:
    getattr(attention, name).register_forward_pre_hook(lambda _, given, name=name: x.update({name: given[0][0]}))
translator.trace(sentence, target_ids=target_ids)
q, k, v = (x[name] @ getattr(attention, name).weight.T + getattr(attention, name).bias for name in names)
q, k, v = (each.unflatten(-1, (attention.n_heads, -1)).transpose(0, 1) for each in (q, k, v))  # (head, position, d_k)
products = q @ k.transpose(-2, -1)  # (head, query, key)
scores = products / math.sqrt(q.shape[-1])
later = scores.new_ones(scores.shape[-2:]).triu(1).bool()  # keys after the query
weights = (scores.masked_fill(later, -math.inf) if kind == "decoder" else scores).softmax(dim=-1)
outputs = weights @ v  # (head, query, d_k)
sublayer_output = outputs.transpose(0, 1).flatten(1) @ attention.output.weight.T + attention.output.bias
q, k, v, products, scores, weights, output = (each[head - 1] for each in (q, k, v, products, scores, weights, outputs))
