"""The statistical word alignment that ships with the translator, which pages compare attention with."""

from __future__ import annotations

from pathlib import Path

from model import CheckpointError
from model.text.word_alignment import AlignmentTable
from server.process_wide import process_wide


@process_wide
def alignment(folder: Path, tokenizer_sha256: str) -> AlignmentTable | None:
    """The word alignment in a translator's folder, or None if it does not fit."""
    try:
        return AlignmentTable.load(folder, tokenizer_sha256)
    except CheckpointError:
        return None
