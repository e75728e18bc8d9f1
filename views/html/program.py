"""A program, or another text of a computer, as HTML with a button that copies it: `web/src/page/copy_button.ts`.

Streamlit's own element for it, `st.code`, loads 1.5 MB of scripts that know two hundred languages, also in a closed
fold: 0.3 s of processor time on every page with a program. Here Python's own tokenizer marks what is what.
"""

import io
import keyword
import tokenize

from ..text import literal
from ..text.catalogue import say

_KINDS = {tokenize.COMMENT: "comment", tokenize.STRING: "literal", tokenize.NUMBER: "literal"}


def program_html(text: str, name: str) -> str:
    """A Python program with its comments, literals and keywords marked.

    Args:
        name: describes it for screen readers, unique within the page.
    """
    return _with_copy_button(f'<pre tabindex="0" role="region" aria-label="{literal.html(name)}">', _marked(text))


def message_html(text: str) -> str:
    """A message of a program, in lines as wide as the page."""
    return _with_copy_button('<pre class="aa-wrapped">', literal.html(text))


def _with_copy_button(start: str, content: str) -> str:
    copy, copied = say("program.copy", "Copy"), say("program.copied", "Copied")
    selected = say("program.selected", "Selected: press Ctrl+C, or \u2318C")
    return (
        f'<div class="aa-program"><div><span role="status"></span><button type="button" '
        f'data-copied="{literal.html(copied)}" data-selected="{literal.html(selected)}">{literal.html(copy)}</button>'
        f"</div>{start}<code{literal.CODE}>{content}</code></pre></div>"
    )


def _marked(text: str) -> str:
    """HTML of a program with an element around each keyword, each comment and each literal."""
    starts = [0]  # of the lines, in characters
    for line in io.StringIO(text):
        starts.append(starts[-1] + len(line))
    content, end = "", 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kind = "keyword" if keyword.iskeyword(token.string) else _KINDS.get(token.type)
            if kind is None:
                continue
            first, last = (starts[line - 1] + column for line, column in (token.start, token.end))
            marked = f'<span class="aa-{kind}">{literal.html(text[first:last])}</span>'
            content += literal.html(text[end:first]) + marked
            end = last
    except (tokenize.TokenError, SyntaxError):  # no Python: the rest stays as it is
        pass
    return content + literal.html(text[end:])
