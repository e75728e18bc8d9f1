from model import Translator

sentence = "I want to buy a car."  # yours
target_ids = None  # yours
position = 0  # yours
other = None  # yours

translator = Translator.load(device="cpu")
trace = translator.trace(sentence, target_ids=target_ids)
index = trace.next_ids[position]
attribution = translator.logit_attribution(trace, index, other, position)
logit = float(trace.logits[position, index]) - (float(trace.logits[position, other]) if other is not None else 0)
heads = attribution.heads  # kind of attention -> (layer, head): what each head adds to the logit
feed_forward = attribution.feed_forward  # (layer,)
total = attribution.total  # with embedding, position and biases: the logit, up to rounding
