from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours

translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
lens = translator.logit_lens(trace)
top_ids = lens.top_ids[:, :, 0]  # (layer, position): the most probable token; layer 0 is the embedded input
probabilities = lens.top_probabilities[:, :, 0]
ranks = lens.ranks  # (layer, position) of the token that really follows; 1 is the most probable
said = [translator.tokenizer.labels(row.tolist()) for row in top_ids]
