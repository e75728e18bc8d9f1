"""Inputs of a study: lines of text, pairs of texts, or pictures, in an order that never changes."""

import gzip
import hashlib
import io
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
from PIL import Image, UnidentifiedImageError

from ..data.corpus import CorpusError, read_pairs
from ..data.images import SUFFIXES
from ..runtime.unpacking import LARGEST_UNPACKED, UnpackedSizeError, unpack_within_limit

InputForm = Literal["texts", "pairs", "pictures"]
PAIRS = (".tsv", ".tsv.gz", ".zip")
LONGEST_TEXT = 1_000_000  # characters of one input, more than any network reads
MOST_TIMES = 50  # that a table may be larger than its file; texts take a tenth at best


class StudyError(ValueError):
    """A study cannot be made; the message states why and what to do."""


def check_packages() -> None:
    """Refuse to begin a study whose results could not be written.

    Raises:
        StudyError: pyarrow is not installed; the message states what to install.
    """
    if find_spec("pyarrow") is None:
        raise StudyError("Results are written by the library pyarrow, which is not installed; run: pip install pyarrow")


@dataclass(frozen=True)
class StudyInput:
    """One input."""

    content: str | bytes  # a text, or the bytes of a picture's file
    second: str | None = None  # the second text of a pair, such as a translation
    label: int | str | None = None  # the class of a picture, by number or by name; None where it is not known
    name: str = ""  # its origin, for messages

    def text(self) -> str:
        """The text, of an input that is one."""
        assert isinstance(self.content, str)
        return self.content

    def picture(self) -> Image.Image:
        """The picture, as RGB.

        Raises:
            StudyError: it cannot be read.
        """
        assert isinstance(self.content, bytes)
        try:
            return Image.open(io.BytesIO(self.content)).convert("RGB")
        except (UnidentifiedImageError, OSError, ValueError, SyntaxError, Image.DecompressionBombError):
            raise StudyError("This file is not a picture that can be read.") from None


@dataclass(frozen=True, eq=False)
class StudyInputs:
    """All inputs of a study: their form, and functions that read each when it is needed."""

    form: InputForm
    items: Sequence[Callable[[], StudyInput]]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, place: int) -> StudyInput:
        """One input.

        Raises:
            StudyError: it cannot be read, or is longer than any network reads.
        """
        item = self.items[place]()
        if any(isinstance(text, str) and len(text) > LONGEST_TEXT for text in (item.content, item.second)):
            raise StudyError(f"A text of more than {LONGEST_TEXT:,} characters is not read; split it into several.")
        return item

    def part(self, most: int | None) -> "StudyInputs":
        """At most `most` of them, spread evenly over all."""
        if most is None:
            return self
        return StudyInputs(self.form, [self.items[place] for place in spread_evenly(len(self), most)])

    def sha256(self) -> str:
        """Over every item's content, in their order."""
        digest = hashlib.sha256()
        for item in (make() for make in self.items):
            for part in (item.content, item.second or "", str(item.label)):
                content = part.encode() if isinstance(part, str) else part
                digest.update(hashlib.sha256(content).digest())
        return digest.hexdigest()


def spread_evenly(count: int, most: int) -> np.ndarray:
    """At most `most` indices below `count`, ascending, from the first to the last."""
    return np.unique(np.linspace(0, count - 1, min(most, count)).round().astype(int))


def read_inputs(path: str | Path) -> StudyInputs:
    """Read the inputs of a file or a folder.

    A `.tsv`, `.tsv.gz` or `.zip` contains pairs (a text, a tab, another); a `.parquet` file a column `text`, with
    `second` for pairs, or a column `image` of the hub's form, with `label` where known; any other file has a text in
    every line that is not blank, `.gz` unpacked. A folder contains `.parquet` files, or pictures in it and in the
    folders below it, whose names are the pictures' classes.

    Raises:
        StudyError: the path does not exist, contains no inputs, or is damaged.
    """
    path = Path(path)
    if path.is_dir():
        tables = sorted(path.glob("*.parquet"))
        inputs = _tables(tables) if tables else _pictures(path)
    elif not path.is_file():
        raise StudyError(f"There is no file or folder {path}; give a file of texts or a folder of pictures.")
    elif path.suffix == ".parquet":
        inputs = _tables([path])
    elif path.name.endswith(PAIRS):
        try:
            pairs, _ = read_pairs(path)
        except CorpusError as error:
            raise StudyError(str(error)) from error
        inputs = StudyInputs("pairs", [partial(StudyInput, first, second) for first, second in pairs])
    else:
        inputs = StudyInputs("texts", [partial(StudyInput, line) for line in _lines(path)])
    if not len(inputs):
        raise StudyError(f"{path} holds no texts; give a file with a text in each line, or a folder of pictures.")
    return inputs


def _lines(path: Path) -> list[str]:
    try:
        text = _read(path).decode("utf-8-sig")
    except UnpackedSizeError as error:
        raise StudyError(str(error)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise StudyError(f"{path} cannot be read ({error}); give another file of texts.") from error
    except UnicodeDecodeError as error:
        raise StudyError(f"{path} is not UTF-8 (byte {error.start + 1}); convert the file.") from error
    return [line.strip() for line in text.split("\n") if line.strip()]


def _read(path: Path) -> bytes:
    if path.suffix != ".gz":
        return path.read_bytes()
    with gzip.open(path) as packed:
        return unpack_within_limit(packed, path)


def _pictures(folder: Path) -> StudyInputs:
    files = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    if not files:
        raise StudyError(f"{folder} holds neither pictures nor .parquet files; give a folder that does.")
    return StudyInputs("pictures", [partial(_file, path, path.parent.name) for path in files])


def _file(path: Path, label: str) -> StudyInput:
    return StudyInput(path.read_bytes(), label=label, name=path.name)


def _tables(paths: list[Path]) -> StudyInputs:
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    rows = []
    forms: set[InputForm] = set()
    for path in paths:
        try:
            schema = ParquetFile(path).schema
            columns = schema.to_arrow_schema().names
            if not {"text", "image"} & set(columns):
                raise StudyError(
                    f"{path} has no column called text or image, but {', '.join(columns) or 'none'}; rename one."
                )
            names = ("text", "second") if "text" in columns else ("image", "label")
            # equal texts stay one in memory, as they are in the file
            leaves = [schema.column(number) for number in range(len(schema))]
            equal = [leaf.path for leaf in leaves if leaf.path in names and leaf.physical_type == "BYTE_ARRAY"]
            file = ParquetFile(path, memory_map=True, read_dictionary=equal)
            _check_unpacked_size(file, path, names)
            table = file.read(columns=[name for name in names if name in columns])
        except (ArrowException, OSError) as error:
            raise StudyError(f"{path} cannot be read as a table ({error}); give another file.") from error
        forms.add("pictures" if "image" in table.column_names else "pairs" if "second" in columns else "texts")
        rows.append([partial(_row, table, place, path.name) for place in range(len(table))])
    if len(forms) > 1:
        raise StudyError(f"{paths[0].parent} holds tables of {' and of '.join(sorted(forms))}; give those of one form.")
    return StudyInputs(forms.pop(), list(chain.from_iterable(rows)))


def _check_unpacked_size(file: Any, path: Path, columns: tuple[str, ...]) -> None:
    """Refuse a table that is many times as large as its file.

    Raises:
        StudyError: it is.
    """
    groups = [file.metadata.row_group(number) for number in range(file.metadata.num_row_groups)]
    parts = [group.column(number) for group in groups for number in range(group.num_columns)]
    size = sum(part.total_uncompressed_size for part in parts if part.path_in_schema.split(".")[0] in columns)
    if size > max(LARGEST_UNPACKED, MOST_TIMES * path.stat().st_size):
        raise StudyError(
            f"{path} unpacks to {size / 1e9:.1f} GB, {MOST_TIMES} times its size and more; write it without "
            "compression."
        )


def _row(table, place: int, file: str) -> StudyInput:
    row = {name: table[name][place].as_py() for name in table.column_names}
    name = f"row {place + 1} of {file}"
    if "text" in row:
        if not isinstance(row["text"], str) or not isinstance(row.get("second", ""), str):
            raise StudyError(f"There is no text in {name}; fill it in, or leave the row out.")
        return StudyInput(row["text"], row.get("second"), name=name)
    image = row["image"]
    if not isinstance(image, dict) or not isinstance(image.get("bytes"), bytes):
        raise StudyError(f"There is no picture in {name}; the column image needs bytes.")
    return StudyInput(image["bytes"], label=row.get("label"), name=name)
