"""Which versions of `transformers` and PyTorch open checkpoints; `pyproject.toml` has the same ranges."""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from .errors import OpenError

LIBRARY = ((5, 0), (6, 0))  # of transformers: from the first, below the second
OLDEST_TORCH = (2, 6)
OLDEST_WITH_ADAPTERS = (5, 4)  # that apply an adapter to the base beside it, not to the one that it names


def check_library_version() -> None:
    """Refuse to open anything with a version of `transformers` or PyTorch whose results are not known to be right.

    Raises:
        OpenError: `transformers` is missing, or has another major version, or PyTorch is too old for it; the message
            names the versions.
    """
    import torch

    try:
        import transformers
    except ModuleNotFoundError as error:
        if error.name != "transformers":
            raise
        raise OpenError(
            "Checkpoints are read by the library transformers, which is not installed; run: pip install "
            "'transformers>={oldest},<{below}'",
            oldest=_text(LIBRARY[0]),
            below=LIBRARY[1][0],
        ) from None
    if not LIBRARY[0] <= _numbers(transformers.__version__) < LIBRARY[1]:
        raise OpenError(
            "Version {installed} of the library transformers is installed, and checkpoints are opened with versions "
            "from {oldest} to below {below}; run: pip install 'transformers>={oldest},<{below}'",
            installed=transformers.__version__,
            oldest=_text(LIBRARY[0]),
            below=LIBRARY[1][0],
        )
    if _numbers(torch.__version__) < OLDEST_TORCH or not transformers.utils.is_torch_available():
        raise OpenError(
            "Version {installed} of PyTorch is too old for version {library} of the library transformers; install "
            "PyTorch {oldest} or later, or the version that transformers asks for.",
            installed=torch.__version__,
            library=transformers.__version__,
            oldest=_text(OLDEST_TORCH),
        )


def check_adapter_libraries() -> None:
    """Refuse an adapter beside its base where the installed libraries would leave it out, or load another base.

    Raises:
        OpenError: with what to install.
    """
    import transformers

    if find_spec("peft") is None:
        raise OpenError(
            "The folder has an adapter of its model, adapter_config.json, which the library peft applies, and that is "
            "not installed; install it, or remove adapter_config.json to open the model without the adapter."
        )
    if _numbers(transformers.__version__) < OLDEST_WITH_ADAPTERS:
        raise OpenError(
            "The folder has an adapter of its model, adapter_config.json, which version {installed} of the library "
            "transformers would apply to another model; install version {oldest} or later.",
            installed=transformers.__version__,
            oldest=_text(OLDEST_WITH_ADAPTERS),
        )


def _numbers(version: str) -> tuple[int, ...]:
    """Major and minor number; the rest of a version is not read."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


# Types of the library `transformers`, for annotations alone: the library itself is loaded when a model is opened.

if TYPE_CHECKING:
    from transformers import BaseImageProcessor, PretrainedConfig, PreTrainedModel, PreTrainedTokenizerBase

    Network: TypeAlias = PreTrainedModel
    Tokenizer: TypeAlias = PreTrainedTokenizerBase
    ImageProcessor: TypeAlias = BaseImageProcessor
    Reader: TypeAlias = PreTrainedTokenizerBase | BaseImageProcessor  # converts the user's input to tensors
    Config: TypeAlias = PretrainedConfig
else:
    Network = Tokenizer = ImageProcessor = Reader = Config = Any
