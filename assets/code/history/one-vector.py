import math

import torch

from model import RecurrentTranslator

sentence = "I want to buy a car."  # yours

translator = RecurrentTranslator.load("lstm-vector", device="cpu")
network, tokenizer = translator.network, translator.tokenizer
table, encoder, decoder = network.embedding.weight, network.encoder.layer, network.decoder.layer
ids, translation = torch.tensor([*tokenizer.encode(sentence), tokenizer.eos_id]).flip(0), []
with torch.inference_mode():
    _, state = encoder(table[ids][None] * math.sqrt(table.shape[1]))  # the sentence backwards; no state but the last
    hidden, cell = (part.flatten() for part in state)  # all that the decoder gets, however long the sentence is
    newest = tokenizer.bos_id
    while newest != tokenizer.eos_id and len(translation) < 128:
        output, state = decoder(table[[newest]][None] * math.sqrt(table.shape[1]), state)
        logits = table @ network.readout(output[0, 0])  # the output layer has the rows of the embedding
        logits[list(network.config.never_generated)] = -torch.inf
        newest = int(logits.argmax())  # greedy
        translation.append(newest)
lengths = hidden.norm(), cell.norm()
text = tokenizer.decode(translation)
