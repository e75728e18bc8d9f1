"""The networks of this project as Hugging Face checkpoints.

They can be opened on every server, whatever its operator allows, since their weights are ours.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from ..classifier import VisionClassifier
from ..language_model import LanguageModel
from ..runtime.checkpoint import CheckpointError
from ..translator import Translator
from .errors import OpenError, reason_of

EXPORTS: Mapping[str, Callable[[Path], None]] = MappingProxyType(
    {
        "atlas-translator": lambda folder: Translator.load(device="cpu").export_marian(folder),
        "atlas-gpt2": lambda folder: LanguageModel.load(device="cpu").export_gpt2(folder),
        "atlas-vit": lambda folder: VisionClassifier.load(device="cpu").export_vit(folder),
    }
)


def export_own(name: str, root: Path) -> Path:
    """Write one of `EXPORTS` into a folder of its name, in the existing folder `root`.

    Raises:
        OpenError: the weights are missing or damaged, or the folder cannot be written.
    """
    folder = root / name
    try:
        folder.mkdir()
        EXPORTS[name](folder)
    except CheckpointError as error:
        raise OpenError(error.template, **error.values) from error
    except OSError as error:
        raise OpenError(
            "This checkpoint cannot be written to the temporary folder of this machine ({reason}); make room there.",
            reason=reason_of(error),
        ) from error
    return folder
