"""Two token sequences in columns: what differs is marked, and every text is escaped."""

import re

from views.html.aligned_tokens import aligned_tokens

PAIRS = [(0, 0), (1, 1), (None, 2), (2, 3)]


def test_columns_pair_tokens_and_mark_what_differs():
    text = aligned_tokens(("a", "<b>", "c"), ("a", "x", "y", "c"), PAIRS, ("A", "B"), "no token")
    columns = re.findall(r'<span( class="[\w-]+")? role="listitem">(.*?)</span></span>', text)
    assert [bool("other" in style) for style, _ in columns] == [False, False, True, True, False]
    assert [re.findall(r">([^<>]+)(?:<|$)", cells) for _, cells in columns] == [
        ["A", "B"],
        ["a", "a"],
        ["&lt;b&gt;", "x"],
        ["y"],
        ["c", "c"],
    ]
    assert 'aria-label="no token"' in columns[3][1]
