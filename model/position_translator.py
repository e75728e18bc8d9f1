"""Small translators that differ in their positions alone: load by the kind, then translate and trace."""

from __future__ import annotations

from pathlib import Path

from .networks.config import POSITION_KINDS, PositionKind
from .sentence_check import InputError
from .tracing.traced_model import Capability
from .trained_model import ASSETS
from .translator import SHIPPED as TRANSLATOR
from .translator import Translator

SHIPPED = ASSETS / "positions"  # a folder for each kind; read from the checkout, not part of the installed package
TOKENIZER = TRANSLATOR / "tokenizer.model"
FIRST: PositionKind = "sinusoidal"  # the kind whose training is followed by snapshots


def is_shipped(kind: PositionKind) -> bool:
    """Whether the network with these positions is in the checkout; training writes its card last."""
    return (SHIPPED / kind / "card.json").is_file()


class PositionTranslator(Translator):
    """A small English-French Transformer with one kind of positions; see `model.networks.config.PositionKind`."""

    folder = SHIPPED / FIRST
    capabilities: frozenset[Capability] = frozenset({"translate", "ablate", "intervene"})

    @classmethod
    def load(
        cls, path: str | Path | None = None, device: str = "auto", tokenizer: str | Path | None = None
    ) -> PositionTranslator:
        """Read one of the networks this project ships, or a folder that training wrote.

        Args:
            path: "sinusoidal", "learned", "rotary", "alibi" or "none"; or a path to a folder with `config.json`,
                `model.safetensors` and `card.json`. By default "sinusoidal".
            device: "auto" picks CUDA, MPS or CPU.
            tokenizer: by default `tokenizer.model` of the folder or, without one, that of the shipped translator.

        Raises:
            CheckpointError: a file is missing, damaged, or does not match the hash in `card.json`.
            ValueError: the named device does not exist.
        """
        name = str(path or FIRST)
        folder = SHIPPED / name if name in POSITION_KINDS else Path(name)
        own = folder / "tokenizer.model"
        translator = cls._read(folder, Path(tokenizer or (own if own.is_file() else TOKENIZER)), device)
        translator.loaded_by = f"PositionTranslator.load({name!r})"
        return translator

    def forced(
        self, text: str, target: str | None = None, target_ids: tuple[int, ...] | None = None
    ) -> tuple[list[int], list[int], list[int]]:
        """Return inputs and targets of a teacher-forced pass, as of other translators.

        Raises:
            InputError: see `check`; or the target has more tokens than the network has positions.
        """
        ids = super().forced(text, target, target_ids)
        count, most = len(ids[-1]), self.config.max_positions
        if count > most:
            raise InputError(
                "That translation has {count} tokens and the model reads at most {most}. "
                "Shorten it by {excess} {excess:token|tokens}.",
                count=count,
                most=most,
                excess=count - most,
            )
        return ids
