from model import Translator

clean = "I want to buy a car."  # yours
corrupt = "I want to buy a house."  # yours

translator = Translator.load(device="cpu")
# The decoder is fed the beginning that both translations share. Measured is the logit of the next token of the clean
# translation minus that of the corrupt one. One edge at a time carries the value of the corrupt run in the clean run.
result = translator.path_patch(clean, corrupt)
strongest = [  # connection, places from 0 (layer and head of sender and receiver), change of what is measured
    (connection.name, places, effect) for connection, places, effect in result.strongest(20)
]
direct = result.direct  # kind of attention -> (layer, head): the direct path to the logits, through no other head
count = result.count  # edges by query, key and value
