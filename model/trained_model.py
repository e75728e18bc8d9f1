"""Base of the trained networks of this project: reading a folder, choosing the device, the model card."""

from abc import ABC, abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import torch
from torch import nn

from .networks.config import NetworkConfig
from .networks.transformer import parameter_count
from .runtime.checkpoint import (
    check_sha256,
    display_path,
    explain_read_errors,
    load_tensors,
    load_weights,
    read_json,
    read_text,
)
from .runtime.device import NetworkOwner, choose_device, describe_device, device_of, place_on_device
from .tracing.traced_model import Capability

ASSETS = Path(__file__).resolve().parent.parent / "assets"


class TrainedModel(NetworkOwner, ABC):
    """A trained network. Safe to share between threads.

    If a GPU runs out of memory, the network moves to the CPU and computes the result there; threads that share it must
    then compute one at a time, as this project's pages do.

    Attributes:
        network: in evaluation mode.
        card: figures about data, training and quality, as the evaluation wrote them.
        weights_sha256: hash of the weight file, verified when it was read.
    """

    network_type: ClassVar[type[nn.Module]]
    config_type: ClassVar[type[NetworkConfig]]
    folder: Path
    """Of its files; before any is read, the folder of the shipped network."""

    def __init__(
        self,
        network: nn.Module,
        card: dict | None = None,
        card_markdown: str = "",
        folder: Path | None = None,
        left_device: str | None = None,
    ) -> None:
        self.network = network.eval().requires_grad_(False)
        self.card = card or {}
        self.card_markdown = card_markdown
        self.weights_sha256: str = self.card.get("weights_sha256", "")
        self.folder = folder or self.folder
        self.left_device = left_device

    def __repr__(self) -> str:
        network, parameters = type(self.network).__name__, self.parameters
        return f"<{type(self).__name__} {self.folder.name}: {network}, {parameters:,} parameters>"

    @classmethod
    def read_trained(cls, what: str, folder: Path, device: str) -> dict[str, Any]:
        """Read a folder's `config.json`, `model.safetensors` and `card.json`, as arguments of the class by name.

        Args:
            what: how messages call the model.
            device: see `model.runtime.device.choose_device`.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        card = read_json(folder / "card.json")
        with explain_read_errors(what, folder):
            network = cls.network_type(cls.config_type.from_dict(read_json(folder / "config.json")))
            tensors, _ = load_tensors(folder / "model.safetensors", card["weights_sha256"])
        load_weights(network, tensors, display_path(folder))
        if "config_sha256" in card:  # sizes that fit the weights can still be wrong: the number of heads, the classes
            check_sha256(folder / "config.json", card["config_sha256"])
        return {
            "left_device": place_on_device(network, choose_device(device)),
            "network": network,
            "card": card,
            "card_markdown": read_text(folder / "card.md"),
            "folder": folder,
        }

    @property
    @abstractmethod
    def capabilities(self) -> frozenset[Capability]:
        """Its features in addition to `trace` and `score`; a class attribute or a property of each subclass."""

    @property
    def config(self):
        """The network's sizes."""
        return self.network.config

    @property
    def device(self) -> torch.device:
        """The device of the network."""
        return device_of(self.network)

    @property
    def device_name(self) -> str:
        """ "CPU" or the GPU's name, and why the network had to leave the GPU if it had to."""
        return describe_device(self)

    @cached_property
    def parameters(self) -> int:
        """Number of trained numbers; a tied embedding counts once."""
        return parameter_count(self.network)
