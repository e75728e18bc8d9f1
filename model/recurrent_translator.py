"""The networks before the Transformer, as pages and notebooks use them: load by name, then translate, stream, trace."""

from __future__ import annotations

from pathlib import Path

from model.checkpoint import CheckpointError
from model.networks.recurrent import RecurrentNetwork
from model.networks.recurrent_config import KINDS, RecurrentConfig
from model.translator import SHIPPED as TRANSLATOR
from model.translator import SentenceTranslator

SHIPPED = TRANSLATOR.parent / "recurrent"
TOKENIZER = TRANSLATOR / "tokenizer.model"


class RecurrentTranslator(SentenceTranslator):
    """A trained English-French network of recurrent cells; see `SentenceTranslator`."""

    network: RecurrentNetwork

    @classmethod
    def load(cls, name: str | Path, device: str = "auto") -> RecurrentTranslator:
        """Read one of the networks this project ships, or a folder that training wrote.

        Args:
            name: "rnn-vector", "lstm-vector", "lstm-additive" or "lstm-dot"; or a path to a folder with `config.json`,
                `model.safetensors` and `card.json`, and `tokenizer.model` unless it uses the shipped translator's.
            device: "auto" picks CUDA, MPS or CPU.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        folder = SHIPPED / name if str(name) in KINDS else Path(name)
        if not folder.is_dir():
            raise CheckpointError(f"There is no network {str(name)!r}; choose one of {', '.join(KINDS)}, or a folder.")
        own = folder / "tokenizer.model"
        return cls._read(folder, own if own.is_file() else TOKENIZER, device)

    @staticmethod
    def _build(sizes: dict) -> RecurrentNetwork:
        return RecurrentNetwork(RecurrentConfig.from_dict(sizes))
