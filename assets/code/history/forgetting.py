import torch

from model import RecurrentTranslator

sentence = "I want to buy a car."  # yours
replacement = "house"  # yours

sizes, drifts = {}, {}
for name in ("rnn-vector", "lstm-vector"):
    recurrent = RecurrentTranslator.load(name, device="cpu")
    tokenizer, table, layer = recurrent.tokenizer, recurrent.network.embedding.weight, recurrent.network.encoder.layer
    ids = torch.tensor([*tokenizer.encode(sentence), tokenizer.eos_id]).flip(0)  # both networks read backwards
    x = table[ids] * table.shape[1] ** 0.5  # (step, d_model)
    copies = x.repeat(layer.hidden_size, 1, 1).requires_grad_()  # a row for each unit of the last state
    last = layer(copies)[1]  # h of an RNN; h and c of an LSTM
    for state, units in zip(("hidden", "cell"), last if isinstance(last, tuple) else [last], strict=False):
        (jacobian,) = torch.autograd.grad(units[0].diagonal().sum(), copies, retain_graph=True)  # (unit, step, d_model)
        sizes[name, state] = jacobian.double().norm(dim=(0, 2))  # |d last state / d x_t| of each step
    (other,) = tokenizer.encode(replacement)
    replaced = x.repeat(len(x), 1, 1)
    replaced[range(len(x)), range(len(x))] = table[other] * table.shape[1] ** 0.5  # one token after the other
    with torch.inference_mode():
        states = layer(torch.cat([x[None], replaced]))[0]  # (1 + replaced, step, units)
    drifts[name] = (states[1:] - states[0]).norm(dim=-1) / states[0].norm(dim=-1)  # (replaced, step)
