import json
from pathlib import Path

import torch

from model import Translator

sentence = "I want to buy a car."  # yours
next_ids = (271, 372, 1300, 312, 567, 260, 3)  # yours
step = 0  # yours

folder = Path("assets/positions/sinusoidal")
translator = Translator.load(folder, device="cpu", tokenizer="assets/translator/tokenizer.model")
data = (folder / "snapshots" / f"step-{step:06d}.safetensors").read_bytes()
start = 8 + int.from_bytes(data[:8], "little")  # of the numbers, after a header in JSON
for name, entry in json.loads(data[8:start]).items():
    if name != "__metadata__":
        first, end = (start + offset for offset in entry["data_offsets"])
        halves = torch.frombuffer(bytearray(data[first:end]), dtype=torch.float16)
        translator.network.state_dict()[name].copy_(halves.view(entry["shape"]))  # in single precision

trace = translator.trace(sentence, target_ids=next_ids)
losses = -torch.from_numpy(trace.logits).log_softmax(dim=-1)[range(len(next_ids)), list(next_ids)]
loss = losses.mean()
translation = translator.translate(sentence, max_length=2 * len(trace.source_ids) + 10)
