import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
words = ((0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8))  # yours
word = (0, 1)  # yours

trace = Translator.load(device="cpu").trace(sentence, target_ids=target_ids)
encoder, decoder, cross = (  # mean over heads: (layer, query, key)
    torch.from_numpy(trace.attention(kind)).double().mean(dim=1) for kind in ("encoder", "decoder", "cross")
)
memory = torch.eye(encoder.shape[-1], dtype=torch.float64)  # source tokens in each output of the encoder: (S, S)
for weights in encoder:
    memory = (weights @ memory + memory) / 2  # one half through attention, one half through the residual connection
source = torch.zeros(cross.shape[1:], dtype=torch.float64)  # share of each source token: (T, S)
for own, attended in zip(decoder, cross, strict=True):
    source = (own @ source + source) / 2  # masked self-attention
    source = (attended @ memory + source) / 2  # cross-attention takes half of it from the encoder
rows = source[slice(*word)].mean(dim=0)  # over the tokens of the target word
rollout = torch.stack([rows[begin:end].sum() for begin, end in words])
