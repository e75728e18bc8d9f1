import json
from pathlib import Path

import torch

axis = "steps"  # yours

lines = [json.loads(line) for line in Path("assets/translator/metrics.jsonl").read_text(encoding="utf-8").splitlines()]
ends = [line for line in lines if line["event"] == "epoch"]  # held-out sentences were scored at each
points = [line for line in lines if line["event"] == "step" and line["epoch"] <= ends[-1]["epoch"]]
steps, losses, nlls, rates = (
    torch.tensor([line[name] for line in points], dtype=torch.float64) for name in ("step", "loss", "nll", "rate")
)
heldout = torch.tensor([line["heldout_nll"] for line in ends], dtype=torch.float64)
bounds = torch.tensor([0, *(line["steps"] for line in ends)], dtype=torch.float64)
epoch = torch.searchsorted(bounds[1:-1], steps)  # which one each point falls into, from 0
epochs = epoch + (steps - bounds[epoch]) / (bounds[epoch + 1] - bounds[epoch])  # passes over the data so far
at, heldout_at = (steps, bounds[1:]) if axis == "steps" else (epochs, torch.arange(1, len(bounds)))
fallen = (heldout[0] - heldout) / (heldout[0] - heldout.min())
most = 1 + int((fallen >= 0.9).nonzero()[0])  # the first epoch with 90 % of the total decrease
perplexities = heldout.exp()
