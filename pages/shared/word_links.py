"""The statistical word alignment that ships with the translator, which pages compare attention with."""

from __future__ import annotations

from model import CheckpointError
from model.text.word_alignment import AlignmentTable
from model.translator import SHIPPED
from server.process_wide import process_wide


@process_wide
def alignment(tokenizer_sha256: str) -> AlignmentTable | None:
    """The word alignment that ships with the translator, or None if it does not fit."""
    try:
        return AlignmentTable.load(SHIPPED, tokenizer_sha256)
    except CheckpointError:
        return None
