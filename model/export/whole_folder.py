"""Write a checkpoint's folder whole, or leave nothing of it: half of one looks like a model that can be opened."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_folder(folder: Path) -> Iterator[None]:
    """Within this context the files of a folder are written; if that fails, a folder that was not there is removed."""
    existed = folder.exists()
    try:
        yield
    except BaseException:  # also Ctrl+C
        if not existed:
            shutil.rmtree(folder, ignore_errors=True)
        raise
