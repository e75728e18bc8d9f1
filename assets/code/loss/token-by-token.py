import torch

from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours

trace = Translator.load(device="cpu").trace(sentence, target_ids=target_ids)
log_p = torch.from_numpy(trace.logits).double().log_softmax(dim=-1)  # (T, vocabulary)
losses = -log_p[range(len(trace.next_ids)), trace.next_ids]  # -ln p of each right token
probabilities = (-losses).exp()
total, mean = losses.sum(), losses.mean()
perplexity = mean.exp()
shares = losses / total
running_means = losses.cumsum(dim=0) / torch.arange(1, len(losses) + 1)
ranks = [1 + int((row > row[right]).sum()) for row, right in zip(log_p, trace.next_ids, strict=True)]
