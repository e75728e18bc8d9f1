from torch.nn.functional import pad, scaled_dot_product_attention

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
kind = "encoder"  # yours

translator, seen = Translator.load(device="cpu"), {}
block = (translator.network.encoder if kind == "encoder" else translator.network.decoder)[0]
trained = block.cross_attention if kind == "cross" else block.self_attention
trained.query.register_forward_pre_hook(lambda _, given: seen.update(x=given[0][0]))
trained.key.register_forward_pre_hook(lambda _, given: seen.update(memory=given[0][0]))
translator.trace(sentence, target_ids=target_ids)
n, d_model = trained.n_heads, trained.output.weight.shape[0]
missing, by_head = d_model - d_model // n, (n, d_model // n)  # columns of zeros; shape of a projection by head
full, outputs = [], []
for w, x in ((trained.query, seen["x"]), (trained.key, seen["memory"]), (trained.value, seen["memory"])):
    weight = pad(w.weight.unflatten(0, by_head), (0, 0, 0, missing))  # (head, d_model, d_model)
    bias = pad(w.bias.unflatten(0, by_head), (0, missing))
    full.append((x @ weight.mT + bias[:, None], weight.numel() + bias.numel()))  # (head, position, d_model)
w_0 = pad(trained.output.weight.unflatten(1, by_head), (0, missing)).flatten(1)  # (d_model, head * d_model)
for width in (d_model // n, d_model):  # the scores are divided by its root
    heads = scaled_dot_product_attention(*(of[0] for of in full), is_causal=kind == "decoder", scale=width**-0.5)
    outputs.append(heads.transpose(0, 1).flatten(1) @ w_0.T + trained.output.bias)  # (query, d_model)
output, apart = outputs[0], float((outputs[1] - outputs[0]).abs().max())
parameters = sum(of[1] for of in full) + w_0.numel() + d_model
