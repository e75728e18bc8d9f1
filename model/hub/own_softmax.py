"""The weights that a network's own eager form computes, seen at its softmax: what our maps are compared with."""

from typing import Any

from torch import Tensor
from torch.overrides import TorchFunctionMode

from .forward_run import ModelInputs, run_network
from .interface import attention_implementation
from .layer_numbers import Place, RunningLayers, watch_layers
from .library_types import Network
from .softmax_calls import SOFTMAX


class _OwnSoftmax(TorchFunctionMode):
    """Within this context, records every softmax over `(row, head, query, key)` with the place of its layer."""

    def __init__(self, layers: RunningLayers) -> None:
        super().__init__()
        self.layers = layers
        self.results: list[tuple[Place | None, Tensor]] = []

    def __torch_function__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        result = function(*arguments, **(options or {}))
        if function in SOFTMAX and isinstance(result, Tensor) and result.ndim == 4:
            self.results.append((self.layers.outermost, result))
        return result


def own_weights(network: Network, inputs: ModelInputs) -> tuple[Any, list[tuple[Place | None, Tensor]]]:
    """The output of a network in its eager form, and the place and the weights of every softmax of its attention."""
    with attention_implementation(network, "eager"), watch_layers(network) as layers, _OwnSoftmax(layers) as watched:
        output = run_network(network, inputs, None, True, output_attentions=True)
    return output, watched.results


def largest_difference(own: list[Tensor], recorded: list[Tensor]) -> float:
    """The largest difference between two lists of weights; infinite where they differ in number or shape."""
    if len(own) != len(recorded) or any(a.shape != b.shape for a, b in zip(own, recorded, strict=True)):
        return float("inf")
    pairs = zip(own, recorded, strict=True)
    return max((float((a.to(b.device).float() - b.float()).abs().max()) for a, b in pairs), default=0.0)
