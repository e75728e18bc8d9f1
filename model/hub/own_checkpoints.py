"""The networks of this project as Hugging Face checkpoints.

They can be opened on every server, whatever its operator allows, since their weights are ours.
"""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from ..classifier import VisionClassifier
from ..language_model import LanguageModel
from ..runtime.checkpoint import CheckpointError, WriteError
from ..translator import Translator
from .errors import OpenError

EXPORTS: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "atlas-translator": lambda folder: Translator.load(device="cpu").export_marian(folder),
        "atlas-gpt2": lambda folder: LanguageModel.load(device="cpu").export_gpt2(folder),
        "atlas-vit": lambda folder: VisionClassifier.load(device="cpu").export_vit(folder),
    }
)


def export_own(name: str, root: Path) -> Path:
    """Write one of `EXPORTS` into a folder of its name, in the existing folder `root`, or leave nothing of it.

    Raises:
        OpenError: the weights are missing or damaged, or the folder cannot be written; without its path, as visitors of
            a server see the message.
    """
    folder, unfinished = root / name, root / f"{name}.part"
    try:
        EXPORTS[name](unfinished)
        shutil.rmtree(folder, ignore_errors=True)
        unfinished.rename(folder)
    except (WriteError, OSError) as error:
        cause = error.__cause__ if isinstance(error, WriteError) else error
        raise OpenError(
            "This checkpoint cannot be written to the temporary folder of this machine ({reason}); make room there.",
            reason=getattr(cause, "strerror", None) or "no reason is known",
        ) from None
    except CheckpointError as error:
        raise OpenError(error.template, **error.values) from error
    return folder
