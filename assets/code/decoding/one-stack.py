import torch

from model import LanguageModel, Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours

translated = Translator.load(device="cpu").trace(sentence, target_ids=target_ids)
model = LanguageModel.load(device="cpu")
trace = model.trace(sentence, target_ids=translated.next_ids)  # the same French in one sequence with the English
weights = torch.from_numpy(trace.decoder_attention)  # (layer, head, query, key)
prompt = len(trace.source_ids)  # English tokens, with </s>
block = weights[:, :, prompt - 1 :, :prompt]  # rows that generate French; with two stacks, cross-attention
source = weights[:, :, prompt:, :prompt].sum(dim=-1).mean(dim=-1)  # attention of French tokens to English ones
to_first = weights[:, :, 1:, 0].mean(dim=-1)  # attention to the first token, a sink where it is high
