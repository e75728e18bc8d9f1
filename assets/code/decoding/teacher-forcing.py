import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours

translator = Translator.load(device="cpu")
network, eos = translator.network, translator.network.config.eos_id
forced = translator.trace(sentence, target_ids=target_ids)  # one pass over the target, shifted right by one
p = torch.from_numpy(forced.logits).double().softmax(dim=-1)  # (T, vocabulary)
right = p[range(len(p)), forced.next_ids]  # probability of each right token

ids, free = [network.config.bos_id], []  # the free run reads what it has generated itself
with torch.inference_mode():
    memory = network.encode(torch.tensor([forced.source_ids]))  # (1, S, d_model)
    while len(free) < 128 and ids[-1] != eos:
        hidden = network.decode(torch.tensor([ids]), memory)[0, -1]  # (d_model,)
        logits = network.embedding.weight @ hidden
        allowed = logits.clone()
        allowed[list(network.config.never_generated)] = -torch.inf
        ids.append(int(allowed.argmax()))
        free.append(float(logits.softmax(dim=-1)[ids[-1]]))
generated = tuple(ids[1:])
