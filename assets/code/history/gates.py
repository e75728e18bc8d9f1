import math

import torch

from model import RecurrentTranslator

sentence = "I want to buy a car."  # yours
network = "lstm-vector"  # yours
direction = "backwards"  # yours

recurrent = RecurrentTranslator.load(network, device="cpu")
table, lstm = recurrent.network.embedding.weight, recurrent.network.encoder.layer
ids = [*recurrent.tokenizer.encode(sentence), recurrent.tokenizer.eos_id]
if direction == "backwards":
    ids.reverse()
end = "_l0_reverse" if direction == "backwards" and lstm.bidirectional else "_l0"
w, u, b_w, b_u = (getattr(lstm, name + end) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"))
h = c = torch.zeros(lstm.hidden_size)
steps = []
for x in table[ids] * math.sqrt(table.shape[1]):  # (d_model,)
    i, f, g, o = (w @ x + b_w + u @ h + b_u).chunk(4)  # (units,) each
    i, f, g, o = i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()
    c = f * c + i * g
    h = o * c.tanh()
    steps.append(torch.stack([i, f, g, o, c, h]))
input_gate, forget_gate, candidate, output_gate, cell, hidden = torch.stack(steps, dim=1)  # (step, units) each
