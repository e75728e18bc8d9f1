import json
from pathlib import Path

import torch

from model import RecurrentTranslator, Translator

order = "history"  # yours

measured = json.loads(Path("assets/recurrent/comparison.json").read_text(encoding="utf-8"))
names, speed = list(measured["weights_sha256"]), measured["tokens_per_second"]
if order == "speed":
    names.sort(key=lambda name: -speed[name])
bleu, parameters = [], []
for name in names:
    counts = [group["counts"][name] for group in measured["groups"]]  # of sentences of one length
    right, all_ = (torch.tensor([of[part] for of in counts]).double().sum(dim=0) for part in ("correct", "total"))
    length, reference = (sum(of[part] for of in counts) for part in ("length", "reference"))
    brevity = min(0.0, 1 - reference / length)  # below 0 where the translations are too short
    bleu.append(100 * ((right / all_).log().mean() + brevity).exp())  # over runs of one to four words
    loaded = Translator.load(device="cpu") if name == "transformer" else RecurrentTranslator.load(name, device="cpu")
    parameters.append(sum(each.numel() for each in loaded.network.parameters()))
bleu, speeds = torch.stack(bleu), [speed[name] for name in names]
