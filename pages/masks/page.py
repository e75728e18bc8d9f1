"""Masks: padding, causality and their combination, and a mask that the reader chooses or paints."""

from pages.masks import batch, causal, own
from pages.shared.opening import NOTHING
from pages.shared.parts import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part("your-sentence", Message("masks.part.your-sentence", "Your sentence"), own.show, ("your-sentence",)),
    Part("causality", Message("masks.part.causality", "Causality"), causal.show, ("causality",)),
    Part("padding", Message("masks.part.padding", "Padding"), batch.show, ("padding",), reads=NOTHING),
)

show_parts("masks", PARTS, "masks")
