"""Find the finished study of the weights in use among those that the operator named."""

import os
import re
from pathlib import Path

from ..attribution.head_statistics import FILE, HeadStatistics, load_statistics
from ..runtime.checkpoint import CheckpointError

SETTING = "ATLAS_STUDIES"


def find_study(weights_sha256: str, setting: str | None = None) -> HeadStatistics | None:
    """The first study of these weights; None where there is none. Studies that cannot be read are skipped.

    Args:
        weights_sha256: of the weights in use; there is no study of a network without a hash.
        setting: folders that `python -m model.study` wrote, separated by commas or line ends; None reads the
            environment variable `ATLAS_STUDIES`.
    """
    text = os.environ.get(SETTING, "") if setting is None else setting
    for folder in filter(None, (part.strip() for part in re.split(r"[,\n]", text))) if weights_sha256 else ():
        try:
            if (Path(folder) / FILE).is_file():
                return load_statistics(folder, weights_sha256)
        except CheckpointError:  # of other weights, or damaged
            continue
    return None
