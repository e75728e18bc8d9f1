from model import Translator

first = "I want to buy a car."  # yours
second = "I want to sell a car."  # yours
first_ids = None  # yours
second_ids = None  # yours

translator = Translator.load(device="cpu")
a = translator.trace(first, target_ids=first_ids)  # with None it reads its own greedy translation
b = translator.trace(second, target_ids=second_ids)
losses_a, losses_b = translator.score(a), translator.score(b)  # -ln p of each token of the target
tokens = a.next_tokens, b.next_tokens
weights_a, weights_b = a.cross_attention, b.cross_attention  # (layer, head, query, key)
