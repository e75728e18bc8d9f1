import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
step = 1  # yours

translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
hidden = torch.from_numpy(trace.decoder_stream[-1, step - 1])  # (d_model,), output of the last decoder layer
embedding = translator.network.embedding.weight  # (vocabulary, d_model), the output layer has the same weights
logits = embedding @ hidden  # (vocabulary,)
powers = (logits - logits.max()).exp()
probabilities = powers / powers.sum()
best = logits.argsort(descending=True)[:10].tolist()
