"""Optimiser, learning-rate schedule and weight averaging, in one recipe for every network of this project."""

import math
from dataclasses import asdict, dataclass

import torch
from torch import Tensor, nn
from torch.optim import Optimizer


@dataclass(frozen=True)
class Recipe:
    """All settings of training except the data and the sizes.

    Raises:
        ValueError: a value lies outside its range; the message names it.
    """

    epochs: int = 8  # passes over the training data
    batch_tokens: int = 3500  # padded positions a process takes in one step
    learning_rate: float = 1e-3  # peak for AdamW
    matrix_learning_rate: float = 2e-3  # peak for Muon on the weight matrices inside the layers; 0 leaves all to AdamW
    warmup_steps: int = 400  # steps over which the rate rises linearly, before it falls to zero
    # "linear" falls in a straight line, "cosine" along half a wave (Loshchilov and Hutter 2017)
    schedule: str = "linear"
    weight_decay: float = 0.01
    clip_norm: float = 1.0
    label_smoothing: float = 0.1
    average_decay: float = 0.999  # of the exponential moving average of the weights
    precision: str = "bf16"  # "bf16" runs the forward and backward pass under autocast, "fp32" does not
    seed: int = 2017

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_tokens"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("learning_rate", "clip_norm"):
            if not 0 < getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be above 0.")
        for name in ("matrix_learning_rate", "warmup_steps", "weight_decay", "seed"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0.")
        for name in ("label_smoothing", "average_decay"):
            if not 0 <= getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}; it must be at least 0 and below 1.")
        if self.schedule not in ("linear", "cosine"):
            raise ValueError(f"schedule is {self.schedule!r}; choose linear or cosine.")
        if self.precision not in ("bf16", "fp32"):
            raise ValueError(f"precision is {self.precision!r}; choose bf16 or fp32.")

    def to_dict(self) -> dict:
        """All fields, for JSON."""
        return asdict(self)


def build_optimizers(network: nn.Module, recipe: Recipe) -> list[Optimizer]:
    """AdamW (Loshchilov and Hutter 2019), with Muon (Jordan et al. 2024) for the matrices inside the layers.

    Muon orthogonalises the momentum of a matrix before the step; embeddings, learned positions, biases and norms, for
    which that has no meaning, use AdamW.
    """
    tables = ("embedding", "positions")
    matrices = [p for name, p in network.named_parameters() if p.ndim == 2 and not any(part in name for part in tables)]
    chosen = {id(p) for p in matrices} if recipe.matrix_learning_rate else set()
    others = [p for p in network.parameters() if id(p) not in chosen]
    rate, decay = recipe.learning_rate, recipe.weight_decay
    adamw = torch.optim.AdamW(others, rate, betas=(0.9, 0.98), eps=1e-9, weight_decay=decay, fused=True)
    optimizers: list[Optimizer] = [adamw]
    if chosen:
        rate, adjust = recipe.matrix_learning_rate, "match_rms_adamw"
        optimizers.append(torch.optim.Muon(matrices, rate, weight_decay=decay, momentum=0.95, adjust_lr_fn=adjust))
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["peak"] = group["lr"]
    return optimizers


def rate_factor(step: int, progress: float, warmup_steps: int, schedule: str = "linear") -> float:
    """Share of the peak learning rate: a linear rise over `warmup_steps`, times the fall over the whole run.

    Args:
        step: counted from 0.
        progress: share of the run that is done, in [0, 1].
        schedule: see `Recipe`.
    """
    left = max(0.0, 1.0 - progress)
    if schedule == "cosine":
        left = (1 - math.cos(math.pi * left)) / 2
    return min(1.0, (step + 1) / max(1, warmup_steps)) * left


def set_rate(optimizers: list[Optimizer], factor: float) -> None:
    """Set every group's learning rate to `factor` times its peak."""
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["lr"] = group["peak"] * factor


def optimizer_tensors(optimizers: list[Optimizer]) -> dict[str, Tensor]:
    """The optimisers' state as one flat mapping, for a safetensors file."""
    flat: dict[str, Tensor] = {}
    for number, optimizer in enumerate(optimizers):
        for index, state in optimizer.state_dict()["state"].items():
            for name, value in state.items():
                flat[f"optimizer.{number}.{index}.{name}"] = torch.as_tensor(value)
    return flat


def restore_optimizers(optimizers: list[Optimizer], tensors: dict[str, Tensor]) -> None:
    """Restore the state that `optimizer_tensors` returned."""
    states: list[dict[int, dict[str, Tensor]]] = [{} for _ in optimizers]
    for key, tensor in tensors.items():
        if key.startswith("optimizer."):
            _, number, index, name = key.split(".", 3)
            states[int(number)].setdefault(int(index), {})[name] = tensor
    for optimizer, state in zip(optimizers, states, strict=True):
        groups = optimizer.state_dict()["param_groups"]
        optimizer.load_state_dict({"state": state, "param_groups": groups})
