"""The glossary as a list: search results and markup."""

from views.html.term_list import GlossaryEntry, matching_entries, terms_html

TOKEN = GlossaryEntry("Token", "**Token**: the unit of text, such as `<s>`.", "Tokens", "tokens?part=spelling&text=a")
KEY = GlossaryEntry("Query token, key token", "**Query token, key token**: of a map.", "Inside", "inside")
MASK = GlossaryEntry("Mask", "**Mask**: hides a token.", "Masks", "masks")
ALL = (TOKEN, KEY, MASK)


def test_terms_match_before_definitions_and_an_exact_term_alone():
    assert matching_entries(ALL, "") == list(ALL)
    assert matching_entries(ALL, " tok") == [TOKEN, KEY, MASK]
    assert matching_entries(ALL, "TOKEN") == [TOKEN]
    assert matching_entries(ALL, "hides") == [MASK]
    assert matching_entries(ALL, "zebra") == []


def test_a_term_is_above_its_definition_and_links_to_its_part():
    content = terms_html([TOKEN])
    assert "<dt>Token</dt><dd>The unit of text, such as &lt;s&gt;. " in content
    assert 'href="tokens?part=spelling&amp;text=a" target="_self" aria-label="Token: Tokens">Tokens</a>' in content


def test_a_definition_has_no_marks_and_no_capital_that_its_language_lacks():
    english = GlossaryEntry("Rank", "**Rank**: the page *Heads* has `it`.", "Heads", "heads")
    korean = GlossaryEntry("로짓", "**로짓(logits)**: softmax 앞의 *점수*입니다.", "디코딩", "decoding")
    content = terms_html([english, korean])
    assert "<dd>The page Heads has it. " in content and "<dd>softmax 앞의 점수입니다. " in content
