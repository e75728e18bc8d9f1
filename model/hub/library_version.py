"""Which versions of `transformers` and PyTorch open checkpoints; `pyproject.toml` has the same ranges."""

from .errors import OpenError

LIBRARY = ((5, 0), (6, 0))  # of transformers: from the first, below the second
OLDEST_TORCH = (2, 6)


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


def _numbers(version: str) -> tuple[int, ...]:
    """Major and minor number; the rest of a version is not read."""
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def _text(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
