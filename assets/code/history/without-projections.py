import math

import torch

from model import RecurrentTranslator, Translator

sentence = "I want to buy a car."  # yours
form = "scaled"  # yours

translator = Translator.load(device="cpu")
trace, table = translator.trace(sentence), translator.network.embedding.weight
vectors = [table[list(trace.source_ids)] * math.sqrt(table.shape[1]), *map(torch.from_numpy, trace.encoder_stream)]
earlier = RecurrentTranslator.load("lstm-dot", device="cpu").trace(sentence)
vectors.append(
    torch.cat([torch.from_numpy(each.hidden) for each in earlier.encoder.values()], dim=1)
)  # both directions

weights, exceeding = [], 0
for x in vectors:  # the embedding, what each layer reads, the output, the states of an LSTM: (S, width) each
    x = x.detach().double()
    products = x @ x.T  # every token as query and as key
    exceeding += int((products - products.diagonal()[:, None] > 1e-12 * x.norm(dim=1).outer(x.norm(dim=1))).sum())
    lengths = x.norm(dim=1)
    divisor = {"scaled": math.sqrt(x.shape[1]), "plain": 1.0, "cosine": lengths.outer(lengths)}[form]
    weights.append((products / divisor).softmax(dim=-1))
weights = torch.stack(weights)  # (vectors, query, key)
on_itself = weights.diagonal(dim1=1, dim2=2).mean(dim=1)  # a token's weight on itself, mean over all tokens
