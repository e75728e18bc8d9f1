"""The glossary: all terms, matching terms, and one sentence if none matches."""

from tests.pages.conftest import visit
from views.text import glossary


def listed(app) -> str:
    return next(each.proto.body for each in app.get("html") if "aa-terms" in each.proto.body)


def test_all_terms_are_listed_with_links_that_contain_the_sentence():
    terms = listed(visit("glossary", text="My sentence."))
    assert terms.count("<dt>") == len(glossary.WHERE_SHOWN)
    assert 'href="inside?inside=scaling&amp;' in terms and "text=My+sentence." in terms


def test_a_link_can_contain_the_search_text():
    assert listed(visit("glossary", find="residual stream")).count("<dt>") == 1


def test_a_term_is_found_by_its_names_in_both_languages():
    for name in ("Query, key and value", "query, key, value", "Entropy", "엔트로피(entropy)"):
        assert listed(visit("glossary", find=name, lang="ko")).count("<dt>") == 1, name
    assert listed(visit("glossary", find="인코더", lang="ko")) != listed(visit("glossary", lang="ko"))


def test_a_search_without_matches_gets_one_sentence():
    (message,) = [each.value for each in visit("glossary", find="*zebra*").info]
    assert message == "No term contains what you look for. Take fewer letters, or another word for it."
