"""The page *Masks*: padding, causality and their combination, and a mask that a user chooses or paints."""

from pages.masks import causal, padding_batches, sentence_masks
from pages.shared.page_header import NOTHING
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection(
        "your-sentence", Message("masks.part.your-sentence", "Your sentence"), sentence_masks.render, ("your-sentence",)
    ),
    PageSection("causality", Message("masks.part.causality", "Causality"), causal.render, ("causality",)),
    PageSection(
        "padding", Message("masks.part.padding", "Padding"), padding_batches.render, ("padding",), reads=NOTHING
    ),
)

render_sections("masks", PARTS, "masks")
