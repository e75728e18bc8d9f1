import torch

from model import Translator

first = "The dog chased the cat."  # yours
second = "The cat chased the dog."  # yours

translator = Translator.load(device="cpu")
network, tokenizer, stages = translator.network, translator.tokenizer, []
for block in network.encoder:
    block.register_forward_hook(lambda _, given, stream: stages.append(stream[0]))
ids = [[*tokenizer.encode(text), tokenizer.eos_id] for text in (first, second)]
places = [{}, {}]  # of each sentence: the n-th time that a token occurs -> where
for side, tokens in enumerate(ids):
    for place, token in enumerate(tokens):
        places[side][token, tokens[:place].count(token)] = place
pairs = [(place, places[1][which]) for which, place in places[0].items() if which in places[1]]
both = []
with torch.inference_mode():
    for tokens in ids:
        stages.clear()
        network.encode(torch.tensor([tokens]))
        rows = network.embedding.weight[tokens] * network.config.d_model**0.5
        both.append(torch.stack([rows, rows + network.positions[: len(tokens)], *stages]))  # (stage, S, d_model)
one, two = both[0][:, [pair[0] for pair in pairs]], both[1][:, [pair[1] for pair in pairs]]
distances = (one - two).norm(dim=-1).T  # (pair, stage)
