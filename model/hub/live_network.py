"""A user's live model: opened as a copy that shares its tensors, and opened again after its owner has changed it."""

import copy
import weakref
from typing import Any

from ..runtime.messages import Template
from .errors import OpenError
from .library_version import Network

PLAIN = (bool, int, float, str, type(None))
OWN_OF_TORCH = ("training", "_is_full_backward_hook", "call_super_init")
CLOSED = Template("This model is closed; open it again with open_model to use it.")
COMPILED = "_orig_mod"  # what a module of `torch.compile` compiles
HOOKS = ("_forward_hooks", "_forward_pre_hooks")

ModuleState = tuple[str, int, tuple[int, ...], tuple[object, ...], tuple[object, ...]]


class LiveNetwork:
    """A live model and the state in which it was opened; it does not keep the model alive.

    What its owner trains is seen without any of this, as the tensors are shared. Everything else is noticed: layers,
    tensors or hooks that were replaced, adapters that were added, merged, switched or turned off.
    """

    def __init__(self, network: Network) -> None:
        self._network = weakref.ref(network)
        self._opened_in = module_states(network)

    @property
    def changed(self) -> bool:
        """Whether its owner has changed it since it was opened."""
        network = self._network()
        return network is not None and module_states(network) != self._opened_in

    @property
    def network(self) -> Network | None:
        """The live model; None after its owner has released it."""
        return self._network()


def module_states(network: Network) -> list[ModuleState]:
    """What decides how a network computes, besides the numbers in its tensors: one entry for each module."""
    return [
        (
            name,
            id(type(module)),
            tuple(map(id, (*module._parameters.values(), *module._buffers.values()))),
            tuple(id(hook) for hooks in HOOKS for hook in getattr(module, hooks).values()),
            tuple((key, _plain(value)) for key, value in vars(module).items() if _counts(key, value)),
        )
        for name, module in network.named_modules()
    ]


def _counts(key: str, value: object) -> bool:
    if key in OWN_OF_TORCH or key in HOOKS:
        return False
    return isinstance(value, (*PLAIN, list, tuple, dict, set)) or callable(value)


def _plain(value: Any) -> object:
    """A setting as a value that can be compared; functions and objects by their identity."""
    if isinstance(value, PLAIN):
        return value
    if isinstance(value, dict):
        return tuple((str(key), _plain(part)) for key, part in value.items())
    if isinstance(value, list | tuple | set):
        return tuple(map(_plain, value))
    return id(value)


def share_tensors(network: Network) -> Network:
    """Copy a live model, but not its tensors: the user's model keeps its mode and its attention, and can be trained on.

    What it learns, and the device that it is moved to, the copy shares.
    """
    shared: list[object] = [*network.parameters(), *network.buffers()]
    # hooks of the library accelerate move weights to the device that runs them, and may own those that are not on it
    shared += [hook for module in network.modules() if (hook := getattr(module, "_hf_hook", None)) is not None]
    copied: Network = copy.deepcopy(network, {id(part): part for part in shared})
    _remove_compilation(copied)
    return copied


def _remove_compilation(network: Network) -> None:
    """Let a copy run as it is written: code that `torch.compile` made is of the user's model, and passes no tap."""
    for module in list(network.modules()):
        module._compiled_call_impl = None
        if hasattr(vars(module).get("forward"), "_torchdynamo_orig_callable"):
            del module.forward
        for name, child in module.named_children():
            if COMPILED in child._modules:
                setattr(module, name, child._modules[COMPILED])


class ClosedNetwork:
    """In place of the network, and of the reader, of a model that was closed."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # asked for by Python itself, such as to copy it
            raise AttributeError(name)
        raise OpenError(CLOSED)
