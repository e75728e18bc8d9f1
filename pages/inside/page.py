"""Inside a layer: attention step by step, heads, the feed-forward layer, and Add & Norm."""

from pages.inside import add_norm, feed_forward, heads, layer_steps, memory_layout, query, scaling
from pages.shared.page_header import NOTHING
from pages.shared.page_sections import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part("seven-steps", Message("inside.part.steps", "Seven steps"), layer_steps.show, ("seven-steps",)),
    Part("one-query", Message("inside.part.query", "One query"), query.show, ("one-query",)),
    Part("heads", Message("inside.part.heads", "Heads"), heads.show, ("heads",)),
    Part("memory", Message("inside.part.memory", "Memory"), memory_layout.show, ("memory",), reads=NOTHING),
    Part("scaling", Message("inside.part.scaling", "Scaling"), scaling.show, ("scaling",)),
    Part("feed-forward", Message("inside.part.feed-forward", "Feed-forward"), feed_forward.show, ("feed-forward",)),
    Part("add-norm", Message("inside.part.add-norm", "Add & Norm"), add_norm.show, ("add-norm",)),
)

show_parts("inside", PARTS, "inside")
