"""What comes above marked lines of `model` in a program: it loads what their function is given. Nothing runs this file.

See `pages/shared/shared_programs.py`; names that no line here assigns are values of the user's.
"""
# ruff: noqa: F821

import torch
from PIL import Image

from model import RecurrentTranslator, Translator, VisionClassifier

# program: translation
translator = Translator.load(device="cpu")
network, trace = translator.network, translator.trace(sentence, target_ids=target_ids)
# end of program

# program: recorded
translator, tensors = Translator.load(device="cpu"), {}  # every tensor that passes through the network, by its name
network = translator.network
translator.trace(sentence, target_ids=target_ids, intervention=lambda name, tensor: tensors.setdefault(name, tensor))
# end of program

# program: tokens
translator = Translator.load(device="cpu")
network, tokenizer = translator.network, translator.tokenizer
ids = torch.tensor([*tokenizer.encode(sentence), tokenizer.eos_id])
# end of program

# program: token
table, token = network.embedding.weight, int(ids[place - 1])  # (vocabulary, d_model), and the chosen row
# end of program

# program: stages
translator = Translator.load(device="cpu")
rows = translator.network.embedding.weight.detach() * translator.config.d_model**0.5
traces = [translator.trace(sentence) for sentence in sentences]
# of each sentence, (stage, S, d_model): the rows, the input of the encoder, the output of each layer
stages = [torch.stack([rows[list(each.source_ids)], *map(torch.from_numpy, each.encoder_stream)]) for each in traces]
# end of program

# program: sentences
own, other = (each.source_ids for each in traces)
# end of program

# program: words
translator = Translator.load(device="cpu")
ids = [[translator.tokenizer.encode(word)[0] for word in pair] for pair in pairs]
vectors = translator.network.embedding.weight[torch.tensor(ids)].detach().double()  # (pair, 2, d_model)
# end of program

# program: classifier
classifier = VisionClassifier.load(device="cpu")
trace = classifier.trace(Image.open(picture))
norm, head = classifier.network.norm.double(), classifier.network.head.double()
# end of program

# program: alignment
record = RecurrentTranslator.load(score, device="cpu").trace(sentence, target_ids=target_ids).records["cross"]
# end of program

# program: rnn
recurrent = RecurrentTranslator.load("rnn-vector", device="cpu")
encoder = recurrent.network.encoder
inputs = torch.from_numpy(recurrent.trace(sentence).encoder_embedded).double()  # (S, d_model)
# end of program

# program: lstm
recurrent = RecurrentTranslator.load(network, device="cpu")
encoder = recurrent.network.encoder
weights = [part.double() for part in encoder.weights(direction)]  # W, U and their two biases
inputs = torch.from_numpy(recurrent.trace(sentence).encoder_embedded)  # (S, d_model)
h = c = torch.zeros(encoder.width).double()  # the state before the first step
# end of program

# program: places
places = torch.arange(length)
# end of program

# program: more places
places = torch.arange(length + shift)
# end of program

# program: encoding
column = torch.arange(d_model, dtype=torch.float64)
exponent = (column // 2 * 2 if form == "paper" else column) / d_model
angles = places[:, None] / 10000**exponent
table = torch.where(column % 2 == 0, angles.sin(), angles.cos())  # (position, d_model)
# end of program
