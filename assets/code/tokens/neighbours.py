from torch.nn.functional import cosine_similarity

from model import Translator

sentence = "I want to buy a car."  # yours
place = 1  # yours
count = 12  # yours

translator = Translator.load(device="cpu")
token = [*translator.tokenizer.encode(sentence), translator.tokenizer.eos_id][place - 1]
table = translator.network.embedding.weight  # (vocabulary, d_model)
cosines = cosine_similarity(table, table[token][None])  # (vocabulary,)
nearest = cosines.argsort(descending=True)[1 : count + 1].tolist()  # the first is the token itself
words = translator.tokenizer.labels(nearest)
