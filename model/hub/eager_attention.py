"""Attention of any architecture written out step by step; each step passes the tap of the recorder in use.

`transformers` calls one function for the attention of nearly every architecture it has. Ours computes what the usual
eager form computes (Vaswani et al. 2017, equation 1) with what architectures add to it: fewer heads of keys and values
(Ainslie et al. 2023), a bias on the scores (Raffel et al. 2020), capped scores (Gemma Team 2024), a window in the mask
(Beltagy et al. 2020), an attention sink (OpenAI 2025). Whether a model itself computes the same is checked when it is
opened; see `model.hub.verification`.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from ..networks.tap import Tap
from .library_version import Network

# Which layer of a network runs: the number that a call of attention has among all layers, also those without any.

Place = tuple[str, int]  # name of a list of modules, and the index of the running one


@dataclass
class RunningLayers:
    """The lists of modules of a network of which a module is running, outermost first."""

    running: list[Place] = field(default_factory=list)  # a place for each module of a list that is running

    @property
    def outermost(self) -> Place | None:
        """The place of the running layer; None outside of all lists."""
        return self.running[0] if self.running else None


@contextmanager
def watch_layers(network: Network) -> Iterator[RunningLayers]:
    """Within this context, know which module of which `nn.ModuleList` of a network is running."""
    layers = RunningLayers()
    handles = []
    for name, modules in network.named_modules():
        if not isinstance(modules, nn.ModuleList):
            continue
        for index, module in enumerate(modules):
            place = name, index
            handles.append(module.register_forward_pre_hook(lambda *_, place=place: layers.running.append(place)))
            handles.append(
                module.register_forward_hook(lambda *_, place=place: layers.running.remove(place), always_call=True)
            )
    try:
        yield layers
    finally:
        for handle in handles:
            handle.remove()


def layer_numbers(places: Sequence[Place | None]) -> tuple[int, ...]:
    """Numbers from 0 of the layers that make these calls of one kind, in the order of the calls.

    They are the indices in the network's list of layers, where each call is in another layer of one list; otherwise,
    as where layers share their weights, the calls are counted.
    """
    numbers = [place[1] for place in places if place is not None]
    of_one_list = len(numbers) == len(places) and len({place[0] for place in places if place is not None}) == 1
    if of_one_list and all(first < second for first, second in zip(numbers, numbers[1:], strict=False)):
        return tuple(numbers)
    return tuple(range(len(places)))


# Of our function among those that `transformers` knows. A process may import this package as `model` and as
# `attention_atlas.model`: each records the calls of its own function only.
NAME = __name__.replace(".", "_")


@dataclass(frozen=True, eq=False)
class AttentionCall:
    """Everything that one call computed for one input. H heads of queries, G heads of keys, Q queries, K keys."""

    queries: Tensor | None  # `(1, H, Q, d_k)`
    # `keys`, `values`: `(1, G, K, d_k)` and `(1, G, K, d_v)`; H is a multiple of G. None where `SoftmaxCalls` saw none.
    keys: Tensor | None
    values: Tensor | None
    original_scores: Tensor  # `(1, H, Q, K)`, scaled, capped and with their bias, before any intervention
    scores: Tensor  # the same after interventions
    # bool, broadcastable to `(1, H, Q, K)`, before any intervention; None where nothing is masked
    original_mask: Tensor | None
    mask: Tensor | None  # the same after interventions
    weights: Tensor  # `(1, H, Q, K)`; with a sink, rows sum to less than 1
    outputs: Tensor | None  # `(1, H, Q, d_v)`
    bias: Tensor | None = None  # added to the scaled scores, broadcastable to them; None where there is none
    sinks: Tensor | None = None  # `(H,)` score of the sink of every head, or None
    scaling: float | None = None  # factor of the products; None where it is not known how they become scores
    softcap: float | None = None  # scores are softcap * tanh(score / softcap), or None


class CallRecorder:
    """Records one run of a network: counts its calls of attention and sends their steps through a tap.

    Args:
        names: of the calls in the order in which the network makes them, such as `encoder.0.self`; None while that
            order is unknown, as on opening.
        tap: called with `<name>.<step>` for `queries`, `keys`, `values`, `scores`, `mask`, `weights`, `outputs`.
        reduce: maps the index of a call in that order and the call to what is stored in `calls`; by default the call.
        layers: of the network, watched while it runs; the place of each call is then stored in `places`.
        name_of: the name of a call in place of `names`, from its place, where the number of calls differs by the input.
    """

    def __init__(
        self,
        names: tuple[str | None, ...] | None = None,
        tap: Tap | None = None,
        reduce: Callable[[int, AttentionCall], Any] = lambda _, call: call,
        layers: RunningLayers | None = None,
        name_of: Callable[[Place | None], str | None] | None = None,
    ) -> None:
        self.name_of = name_of
        self.names, self.tap, self._reduce, self._layers = names, tap, reduce, layers
        self.count = 0
        self.windows = False  # whether softmax was applied to several windows of the input at once, which is no call
        self.calls: list = []
        self.places: list[Place | None] = []

    def record(self, call: AttentionCall) -> None:
        """Store a call that has been computed."""
        self.calls.append(self._reduce(len(self.calls), call))

    def next_step(self) -> Tap:
        """A function for the next call, `(step, tensor) -> tensor`, that names its steps and sends them to the tap."""
        index, tap = self.count, self.tap
        self.count += 1
        if self._layers is not None:
            self.places.append(self._layers.outermost)
        name = self.names[index] if self.names is not None and index < len(self.names) else None
        if self.name_of is not None and self._layers is not None:
            name = self.name_of(self._layers.outermost)
        if tap is None or name is None:
            return lambda step, tensor: tensor
        return lambda step, tensor: tap(f"{name}.{step}", tensor)


current_recorder: ContextVar[CallRecorder | None] = ContextVar("running", default=None)  # of this thread


def attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    scaling: float | None = None,
    dropout: float = 0.0,
    position_bias: Tensor | None = None,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    **_: object,
) -> tuple[Tensor, Tensor]:
    """Compute attention; the function that `transformers` calls, with the library's arguments.

    Args:
        query: `(batch, H, Q, d_k)`.
        key, value: `(batch, G, K, d_k)`.
        attention_mask: additive, 0 or a very negative number, or bool with True for visible keys; broadcastable to
            `(batch, H, Q, K)`.

    Returns:
        Outputs `(batch, Q, H, d_v)` and weights `(batch, H, Q, K)`.
    """
    recorder = current_recorder.get()
    step: Tap = (lambda _, tensor: tensor) if recorder is None else recorder.next_step()
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    query, key, value = step("queries", query), step("keys", key), step("values", value)
    scores = query @ repeat_kv(key, query).transpose(-2, -1) * scaling  # (batch, H, Q, K)
    if softcap is not None:
        scores = torch.tanh(scores / softcap) * softcap
    bias, allowed = split_mask(attention_mask, scores)
    if position_bias is not None:
        bias = position_bias if bias is None else position_bias + bias
    if bias is not None:
        scores = scores + bias
    original_scores, original_mask = scores, allowed
    scores = step("scores", scores)
    if allowed is not None:
        allowed = step("mask", allowed)
    hidden = scores if allowed is None else scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
    weights = step("weights", softmax(hidden, s_aux).to(value.dtype))  # (batch, H, Q, K)
    outputs = step("outputs", weights @ repeat_kv(value, query))  # (batch, H, Q, d_v)
    if recorder is not None:
        steps = (query, key, value, original_scores, scores, original_mask, allowed, weights, outputs, bias, s_aux)
        recorder.record(AttentionCall(*steps, scaling, softcap))
    return outputs.transpose(1, 2).contiguous(), weights


def is_half(dtype: torch.dtype) -> bool:
    """Whether numbers have half precision."""
    return torch.finfo(dtype).bits < 32


def repeat_kv(keys: Tensor, queries: Tensor) -> Tensor:
    """Repeat keys or values `(batch, G, K, d)` for each head of the queries: `(batch, H, K, d)`."""
    times = queries.shape[1] // keys.shape[1]
    return keys if times == 1 else keys.repeat_interleave(times, dim=1)


def softmax(scores: Tensor, sinks: Tensor | None) -> Tensor:
    """Softmax over the keys in float32 or float64; with sinks `(H,)`, over one key more, whose weight is dropped."""
    precise = torch.promote_types(scores.dtype, torch.float32)
    if sinks is None:
        return scores.softmax(dim=-1, dtype=precise)
    column = sinks.reshape(1, -1, 1, 1).expand(*scores.shape[:-1], 1)  # (batch, H, Q, 1)
    return torch.cat([scores, column.to(scores.dtype)], dim=-1).softmax(dim=-1, dtype=precise)[..., :-1]


def split_mask(mask: Tensor | None, scores: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """Split a mask into the bias on visible scores (None where it is 0) and the visible keys (bool)."""
    if mask is None:
        return None, None
    mask = mask[..., : scores.shape[-1]]
    if mask.dtype == torch.bool:
        return None, mask
    allowed = mask > torch.finfo(mask.dtype).min / 2
    bias = mask.masked_fill(~allowed, 0)
    return (bias if bool(bias.any()) else None), allowed
