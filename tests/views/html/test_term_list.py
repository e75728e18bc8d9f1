"""Terms as a list: what is found, and its markup."""

from views.html.term_list import GlossaryEntry, matching_entries, terms_html

TOKEN = GlossaryEntry("Token", "**Token**: the unit of text, such as `<s>`.", "Tokens", "tokens?part=spelling&text=a")
KEY = GlossaryEntry("Query token, key token", "**Query token, key token**: of a map.", "Inside", "inside")
MASK = GlossaryEntry("Mask", "**Mask**: hides a token.", "Masks", "masks")
ALL = (TOKEN, KEY, MASK)


def test_names_come_before_explanations_and_a_whole_name_alone():
    assert matching_entries(ALL, "") == list(ALL)
    assert matching_entries(ALL, " tok") == [TOKEN, KEY, MASK]
    assert matching_entries(ALL, "TOKEN") == [TOKEN]
    assert matching_entries(ALL, "hides") == [MASK]
    assert matching_entries(ALL, "zebra") == []


def test_a_term_stands_above_its_explanation_and_leads_to_its_part():
    found = terms_html([TOKEN])
    assert "<dt>Token</dt><dd>The unit of text, such as &lt;s&gt;. " in found
    assert 'href="tokens?part=spelling&amp;text=a" target="_self" aria-label="Token: Tokens">Tokens</a>' in found
