"""The training program with recurrent networks of a few units, which learn the toy language in seconds.

`python -m tests.training.small_recurrent` takes what `python -m training` takes.
"""

import sys

from model.networks.recurrent_config import VARIANTS
from training.__main__ import main

WIDTH = 96  # of a state of the encoder, both directions together, and of the decoder


def small(kind: str) -> dict:
    """The sizes of a kind in `VARIANTS`, with small widths."""
    values = VARIANTS[kind]
    sizes = {"d_model": 64, "encoder_width": WIDTH // (2 if values["reads"] == "both" else 1), "decoder_width": WIDTH}
    return {**values, **sizes} | ({"alignment_width": WIDTH // 2} if values.get("alignment") == "additive" else {})


SMALL = {kind: small(kind) for kind in VARIANTS}

if __name__ == "__main__":
    VARIANTS.update(SMALL)
    sys.exit(main())
