"""Masks: padding, causality and their combination, and a mask that the reader chooses or paints."""

from pages.masks import causal, padding_batches, sentence_masks
from pages.shared.page_header import NOTHING
from pages.shared.page_sections import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part(
        "your-sentence", Message("masks.part.your-sentence", "Your sentence"), sentence_masks.show, ("your-sentence",)
    ),
    Part("causality", Message("masks.part.causality", "Causality"), causal.show, ("causality",)),
    Part("padding", Message("masks.part.padding", "Padding"), padding_batches.show, ("padding",), reads=NOTHING),
)

show_parts("masks", PARTS, "masks")
