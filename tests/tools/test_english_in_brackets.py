"""Korean prose has the English of a term in brackets where a page uses it first, and not again."""

import pytest

from tests.english_in_brackets import links_without_english, names_without_english, prose_of, repeated
from views.text.catalogue import TEXT

# Texts of many pages: each page that shows them is tested in tests/pages/test_korean.py.
OF_MANY_PAGES = {"experiments", "notices", "slips"}
FILES = sorted(path.stem for path in (TEXT / "ko").glob("*.md") if path.stem not in {*OF_MANY_PAGES, "glossary"})
PAGES = {"attention_viewer": "", "what_if": "vision"}  # of a file that is not named after its page; "" is several
WITH_LEAD = {"vision_heads", "vision_layers", "vision_positions", "what_if"}  # parts whose own lead is on the page


def lead_of(file: str) -> str:
    """Return the leads that a page shows above the blocks of a file."""
    page = PAGES.get(file, file.partition("_")[0])
    leads = [page] if page in FILES else []
    return "\n".join(prose_of(name).blocks[""] for name in dict.fromkeys(leads + [file] * (file in WITH_LEAD)))


@pytest.mark.parametrize(
    ("lead", "missing"),
    [
        ("헤드(head)마다 토큰(token) 하나에 주목합니다. 그 토큰은", []),
        ("헤드를 봅니다. 헤드(head)마다", ["헤드"]),
        ("헤드(head)를 하나씩 제거합니다.", []),
        ("이 제거는", ["제거"]),
    ],
)
def test_names_without_english_in_a_lead_are_detected(lead: str, missing: list[str]):
    assert names_without_english(lead) == missing


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["[헤드](term:attention-head)의 [토큰](term:token)(token)"], 1),
        (["헤드(head)입니다.", "**[헤드](term:attention-head)**, [로짓](term:logits)**(logit)"], 0),
        (["[토큰](term:token)(token)", "[토큰](term:token)", "[냇](term:nats)", "[냇](term:nats)"], 1),
        (["[주목하는](term:attends-to) [query](term:qkv), [Self-Attention](term:self-attention)"], 0),
        (['[토큰](glossary?find=%ED%86%A0%ED%81%B0%28token%29 "신경망이 (읽는) 글")'], 1),
        (['[토큰](glossary?find=%ED%86%A0%ED%81%B0%28token%29 "신경망이 (읽는) 글")(token)'], 0),
    ],
)
def test_links_without_english_are_detected(texts: list[str], count: int):
    assert len(links_without_english(texts)) == count


@pytest.mark.parametrize(
    ("lead", "block", "again"),
    [
        ("토큰(token)입니다.", "[토큰](term:token)(token)과 [냇](term:nats)(nat)", ["token"]),
        ("", "[냇](term:nats)(nat), [냇](term:nats), [냇](term:nats)(nat)", ["nats"]),
        ("토큰(token)입니다.", "[토큰](term:token)", []),
    ],
)
def test_english_that_is_repeated_is_detected(lead: str, block: str, again: list[str]):
    assert repeated(lead, block) == again


@pytest.mark.parametrize("file", FILES)
def test_a_file_gives_the_english_of_each_term_once(file: str):
    own, lead = prose_of(file), lead_of(file)
    blocks = {id: text for id, text in own.blocks.items() if id}
    assert names_without_english(lead) == []
    assert links_without_english([lead, *blocks.values()]) == []
    assert {id: again for id, text in blocks.items() if (again := repeated(lead, text))} == {}
