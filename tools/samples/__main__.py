"""Draw the samples: `python -m tools.samples`; variants of them: with `--variants 10 --out FOLDER`."""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.samples.drawing import jpeg
from tools.samples.variants import write_variants
from views.controls.samples import SAMPLES


def main() -> None:
    """Read the options and draw."""
    parser = argparse.ArgumentParser(prog="python -m tools.samples", description=__doc__)
    parser.add_argument("--variants", type=int, default=0, help="so many of each sample instead of the samples")
    parser.add_argument("--off-centre", action="store_true", help="variants whose object lies beside the middle")
    parser.add_argument("--out", type=Path, help="folder for variants")
    options = parser.parse_args()
    if options.variants:
        if options.out is None or options.variants < 0:
            parser.error("give --variants 1 or more, and --out FOLDER.")
        count = write_variants(options.out, options.variants, options.off_centre)
        print(f"{options.out}: {count} variants")
        return
    for sample in SAMPLES:
        content = jpeg(sample.id)
        sample.path.write_bytes(content)
        print(f"{sample.path.name}: {len(content):,} bytes")


main()
