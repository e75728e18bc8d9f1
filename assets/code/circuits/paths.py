from model import Translator

clean = "I want to buy a car."  # yours
corrupt = "I want to buy a house."  # yours

translator = Translator.load(device="cpu")
# Measured: the logit of the next token of the clean translation minus that of the corrupt one, after the beginning that
# both share. Along one edge at a time, the corrupt run's value arrives in the clean run.
result = translator.path_patch(clean, corrupt)
strongest = [  # connection, places from 0 (layer and head of sender and receiver), change of what is measured
    (connection.name, places, effect) for connection, places, effect in result.strongest(20)
]
direct = result.direct  # kind of attention -> (layer, head): the path to the logits past all other heads
count = result.count  # edges by query, key and value
