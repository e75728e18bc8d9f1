"""The tokenizer or image processor of a folder: opened, or refused for the reason that is true."""

import re
import sys
from pathlib import Path
from typing import Any

from ..runtime.messages import Template
from .errors import OpenError, raised_as
from .library_version import Config, Reader, Tokenizer
from .tasks import OPTIONS

NO_PROCESSOR = Template(
    "The pictures of this model are not read, as its processor is missing: give a live model with "
    "reader=processor, or put the processor's files next to config.json."
)
OTHER_TOKENIZER = Template(
    "The tokenizer has {size} tokens and the model {known}; put the tokenizer's files next to config.json."
)
_LIBRARY = re.compile(
    r"requires the (.+?) library|Missing optional dependencies: ([\w, ]+)|No module named '([\w.]+)'"
    r"|pip install (?:-U )?([\w-]+)"
)


def load_reader(folder: Path, vision: bool, config: Config) -> Reader:
    """Open the tokenizer of a folder, or its image processor.

    Raises:
        OpenError: there is none, or it does not fit the network.
    """
    from transformers import AutoImageProcessor, AutoTokenizer

    name = "preprocessor_config.json" if vision else "tokenizer.json"
    with raised_as("The folder has no {file} that can be read ({reason}); put it next to config.json.", file=name):
        if vision:  # with a configuration the library puts another processor in place of one that it cannot open
            reader = _load(AutoImageProcessor, folder, "image processor")
        else:
            reader = _load(AutoTokenizer, folder, "tokenizer", config=config)
    if not vision:
        check_vocabulary(reader, config)
    return reader


def load_processor(folder: Path) -> Any:
    """Open the processor of texts with pictures of a folder.

    Raises:
        OpenError: it has none, or it needs a library that is not installed.
    """
    from transformers import AutoProcessor

    with raised_as(
        "The pictures of this model are not read, as its processor cannot be opened ({reason}): give a live model with "
        "reader=processor, or put the processor's files next to config.json."
    ):
        processor = _load(AutoProcessor, folder, "processor")
    if not is_picture_text_processor(processor):
        raise OpenError(NO_PROCESSOR)
    return processor


def _load(kind: Any, folder: Path, name: str, **options: Any) -> Any:
    """Open a reader by a class of the library.

    Raises:
        OpenError: it needs a library that is not installed.
    """
    try:
        return kind.from_pretrained(folder, **OPTIONS, **options)
    except (ImportError, ValueError) as error:
        match = _LIBRARY.search(str(error))
        library = next(filter(None, match.groups()), "") if match else ""
        if not library:
            raise
        raise OpenError(
            "The {kind} of this model needs the library {library}, which is not installed; install it.",
            kind=name,
            library=library,
        ) from None


def is_picture_text_processor(reader: Any) -> bool:
    """Whether a reader prepares texts with pictures: it has a tokenizer, an image processor, and a placeholder."""
    parts = (getattr(reader, name, None) for name in ("tokenizer", "image_processor", "image_token"))
    return all(part is not None for part in parts)


def check_vocabulary(tokenizer: Tokenizer, config: Config) -> None:
    """Refuse a tokenizer that is empty, as the library opens one without its files.

    One with more tokens than the network is accepted: a text may use none of the others.

    Raises:
        OpenError: it is empty, or the network reads no text.
    """
    known = getattr(config.get_text_config(), "vocab_size", None)
    if not isinstance(known, int):
        raise OpenError("This model reads no text of its own, and no pictures alone; open one that does.")
    if len(tokenizer) <= len(tokenizer.all_special_tokens):
        raise OpenError(OTHER_TOKENIZER, size=len(tokenizer), known=known)


def table_size(config: Config) -> int:
    """How many tokens a network knows, by its configuration; ids from this number on have no row in its table."""
    size = getattr(config.get_text_config(), "vocab_size", None)
    return size if isinstance(size, int) else sys.maxsize
