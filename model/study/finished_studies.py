"""Finished studies that the operator has named: which one was made of the weights in use."""

import os
import re
from pathlib import Path

from ..attribution.head_statistics import FILE, HeadStatistics, load_statistics
from ..runtime.checkpoint import CheckpointError

SETTING = "ATLAS_STUDIES"


def find_study(weights_sha256: str, setting: str | None = None) -> HeadStatistics | None:
    """The first study of these weights; None where there is none. Studies that cannot be read are passed over.

    Args:
        weights_sha256: of the weights in use; of a network without a hash there is no study.
        setting: folders that `python -m model.study` wrote, with commas or line ends between them; None reads the
            environment, `ATLAS_STUDIES`.
    """
    text = os.environ.get(SETTING, "") if setting is None else setting
    for folder in filter(None, (part.strip() for part in re.split(r"[,\n]", text))) if weights_sha256 else ():
        try:
            if (Path(folder) / FILE).is_file():
                return load_statistics(folder, weights_sha256)
        except CheckpointError:  # of other weights, or damaged
            continue
    return None
