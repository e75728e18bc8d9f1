import math

import torch

from model import Translator

sentence = "I want to buy a car."  # yours

translator = Translator.load(device="cpu")
ids = (*translator.tokenizer.encode(sentence), translator.tokenizer.eos_id)
table = translator.network.embedding.weight  # (vocabulary, d_model)
d_model = table.shape[1]
rows = table[list(ids)]  # (S, d_model)
scaled = rows * math.sqrt(d_model)
angles = torch.arange(len(ids))[:, None] / 10000 ** (torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
positions = torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1).float()  # sine, cosine, sine, ...
embedded = scaled + positions  # what the first layer of the encoder reads
