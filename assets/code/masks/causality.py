import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
place = 4  # yours
replacement = 20  # yours

translator = Translator.load(device="cpu")
network, trace = translator.network, translator.trace(sentence, target_ids=target_ids)
before = torch.tensor([trace.target_ids])  # (1, T)
after = before.clone()
after[0, place - 1] = replacement
memory = network.encode(torch.tensor([trace.source_ids]))
streams = []
for block in network.decoder:
    block.register_forward_hook(lambda _, given, stream: streams.append(stream))
with torch.inference_mode():
    inputs = [network.embed(ids) for ids in (before, after)]
    network.decode(before, memory)
    network.decode(after, memory)
half = len(network.decoder)
streams = [inputs[0], *streams[:half]], [inputs[1], *streams[half:]]
changes = torch.stack([(new - old).abs().amax(dim=-1)[0] for old, new in zip(*streams, strict=True)])  # (level, T)
largest_before = changes[:, : place - 1].max()  # exactly 0: the causal mask hides what follows
