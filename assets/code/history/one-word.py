import math

import torch

from model import RecurrentTranslator

sentence = "I want to buy a car."  # yours
direction = "backwards"  # yours

recurrent = RecurrentTranslator.load("rnn-vector", device="cpu")
table, rnn = recurrent.network.embedding.weight, recurrent.network.encoder.layer
ids = [*recurrent.tokenizer.encode(sentence), recurrent.tokenizer.eos_id]
if direction == "backwards":
    ids.reverse()
from_token = table[ids] * math.sqrt(table.shape[1]) @ rnn.weight_ih_l0.T  # (step, units): W x_t
bias = rnn.bias_ih_l0 + rnn.bias_hh_l0
h, from_state, hidden = torch.zeros(rnn.hidden_size), [], []
for w_x in from_token:
    from_state.append(rnn.weight_hh_l0 @ h)  # U h_(t-1)
    h = torch.tanh(w_x + from_state[-1] + bias)
    hidden.append(h)
from_state, hidden = torch.stack(from_state), torch.stack(hidden)  # (step, units)
