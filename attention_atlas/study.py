"""Measure what every head of a network does over many inputs: `python -m attention_atlas.study`.

    python -m attention_atlas.study path/or/hub-id texts.txt --out study
    main(["path/or/hub-id", "texts.txt", "--out", "study"])   # the same from Python; 0 where it succeeds

docs/study.md describes its inputs and its results.
"""

import sys

from .model.study import __main__ as study

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Run a study as the command line does.

    Returns 0, 2 after an error, or 130 after Ctrl+C, which are printed as one sentence.

    Args:
        arguments: those of the command line by default.
    """
    return study.main(arguments, "attention_atlas.study")


if __name__ == "__main__":
    sys.exit(main())
