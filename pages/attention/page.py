"""Every head of encoder self-attention, masked decoder self-attention and cross-attention."""

from pages.shared import code_values
from pages.shared.attention_viewer.explore import explore_text
from pages.shared.code import same_in_pytorch
from pages.shared.page_header import opening, translated
from pages.shared.texts import block, how_to_read


def main() -> None:
    """The sentence, its translation, and the attention viewer."""
    request = opening("attention")
    if request.accepted:
        trace = request.trace()
        explore_text(request, trace, translated(trace.target_text))
        same_in_pytorch("attention", "attention", **code_values.sentence(request))
        how_to_read(block("attention", "rows-columns-kinds"), block("attention", "what-to-look-for"))


main()
