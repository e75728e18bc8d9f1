from model import HeadInterventions, Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
plan = "scale:decoder:3.1.2.3.4.5.6.7.8:0"  # yours

translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
interventions = HeadInterventions.from_text(plan)  # kind, layers and heads, and the numbers of each change, from 1
result = translator.intervene(trace, interventions)
translation = result.translation  # greedy, under the interventions
before, after = translator.score(trace), translator.score(result.after)  # -ln p of each token of the former translation
weights = result.after.cross_attention  # (layer, head, query, key)
