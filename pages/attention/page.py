"""The page *Attention*: every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from pages.shared import code
from pages.shared.attention_viewer.explore import explore_text, find_opening_head
from pages.shared.code import render_program
from pages.shared.page_header import render_header, traced_translation_html
from pages.shared.texts import block, how_to_read


def render() -> None:
    """Render the sentence, its translation, and the attention viewer."""
    request = render_header("attention")
    if request.accepted:
        trace = request.trace()
        caption, first = traced_translation_html(request.service, trace), find_opening_head(request.service, trace)
        explore_text(request.service, request.text, trace, caption, first)
        render_program("attention", "attention", **code.sentence(request))
        how_to_read(block("attention", "rows-columns-kinds"), block("attention", "what-to-look-for"))


render()
