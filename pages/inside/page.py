"""The page *Inside a layer*: attention step by step, heads, the feed-forward layer, and Add & Norm."""

from pages.inside import add_norm, feed_forward, heads, layer_steps, memory_layout, query, scaling
from pages.shared.page_header import NOTHING
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection("seven-steps", Message("inside.part.steps", "Seven steps"), layer_steps.render, ("seven-steps",)),
    PageSection("one-query", Message("inside.part.query", "One query"), query.render, ("one-query",)),
    PageSection("heads", Message("inside.part.heads", "Heads"), heads.render, ("heads",)),
    PageSection("memory", Message("inside.part.memory", "Memory"), memory_layout.render, ("memory",), reads=NOTHING),
    PageSection("scaling", Message("inside.part.scaling", "Scaling"), scaling.render, ("scaling",)),
    PageSection(
        "feed-forward", Message("inside.part.feed-forward", "Feed-forward"), feed_forward.render, ("feed-forward",)
    ),
    PageSection("add-norm", Message("inside.part.add-norm", "Add & Norm"), add_norm.render, ("add-norm",)),
)

render_sections("inside", PARTS, "inside")
