import torch

from model import LanguageModel

sentence = "I want to buy a car."  # yours
target_ids = None  # yours

model = LanguageModel.load(device="cpu")
sizes, trace = model.network.config, model.trace(sentence, target_ids=target_ids)
prompt, first = len(trace.source_ids), len(trace.source_ids) - 1
lengths = torch.arange(prompt, prompt + len(trace.next_ids[first:]))  # positions so far, of every step
computed = torch.where(lengths == prompt, prompt, 1)  # with the cache: the prompt once, then the newest token alone


def multiply_adds(new):  # of `new` positions that attend to all so far, and of the logits of the last one
    maps = 4 * sizes.d_model**2 + 2 * sizes.d_model * sizes.d_ff  # Q, K, V and output; the feed-forward layer
    attention = 2 * sizes.d_model * lengths  # scores, and weights times values
    return sizes.n_layers * new * (maps + attention) + sizes.vocabulary_size * sizes.d_model


cached, uncached = multiply_adds(computed), multiply_adds(lengths)
kept = 2 * sizes.n_layers * sizes.d_model * lengths * 4  # bytes of all keys and values, 4 a number
