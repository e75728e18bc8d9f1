"""The glossary: every term has a definition, links to an existing part, and is linked where prose marks it."""

import re
from pathlib import Path
from urllib.parse import parse_qsl

import pytest

from tests.every_view import PARTS
from views.text import glossary, prose

TEXTS = Path(__file__).resolve().parents[3] / "assets" / "text" / "en"
ASKED = (  # the field's terms that this program uses
    "token attends query key special tokens BOS EOS PAD logits softmax next-token sub-layer ablat attribution "
    "leave-one-out occlusion hypothesis beam width masked keys one-hot uniform nats residual stream head entropy "
    "distance autoregressive "
    "context vector hidden_size d_model d_k d_ff embedding positional causal padding cross-attention self-attention "
    "feed-forward LayerNorm ReLU dropout teacher forcing label smoothing cross-entropy greedy sampling top-k top-p "
    "temperature RNN LSTM gate cell state hidden state vanishing seq2seq patch CLS rollout inductive bias vocabulary"
)

SOURCES = {  # definition of what a paper introduced -> the paper and its section
    "add-norm": ("Vaswani", 2017, "3.1"),
    "alibi": ("Press", 2022, "3"),
    "bleu": ("Papineni", 2002, "2.3"),
    "cls": ("Dosovitskiy", 2021, "3.1"),
    "feed-forward": ("Vaswani", 2017, "3.3"),
    "label-smoothing": ("Szegedy", 2016, "7"),
    "layer-norm": ("Ba", 2016, "3"),
    "length-penalty": ("Wu", 2016, "7"),
    "multi-head": ("Vaswani", 2017, "3.2.2"),
    "positional-encoding": ("Vaswani", 2017, "3.5"),
    "rollout": ("Abnar and Zuidema", 2020, "3"),
    "rope": ("Su", 2021, "3"),
    "scaled-dot-product": ("Vaswani", 2017, "3.2.1"),
    "top-p": ("Holtzman", 2020, "3.1"),
}


def text(id: str) -> str:
    return prose.block(glossary.PAGE, id)


def test_every_term_has_a_text_and_every_text_a_part():
    headings = re.findall(r"(?m)^## (.+)$", (TEXTS / "glossary.md").read_text(encoding="utf-8"))
    assert sorted(headings) == sorted([*glossary.WHERE_SHOWN, "none"])
    assert len(set(map(glossary.term_of, map(text, glossary.WHERE_SHOWN)))) == len(glossary.WHERE_SHOWN)


@pytest.mark.parametrize("id", glossary.WHERE_SHOWN)
def test_a_definition_has_one_or_two_sentences(id):
    definition = glossary.plain_text(text(id))
    assert definition.startswith(f"{glossary.term_of(text(id))}: ") and definition.endswith(".")
    assert len(definition) < 260 and definition.replace("et al. ", "").count(". ") <= 1


@pytest.mark.parametrize("language", ["en", "ko"])
def test_definitions_name_the_papers_that_introduced_the_terms_and_their_sections(language):
    blocks = prose.parse((TEXTS.parent / language / "glossary.md").read_text(encoding="utf-8")).blocks
    cited = {id: re.findall(r"\(([^()]* \d{4}[^()]*)\)", blocks[id]) for id in glossary.WHERE_SHOWN}
    written = {}
    for id, (authors, year, section) in SOURCES.items():
        several = " and " in authors
        english = f"{authors if several else f'{authors} et al.'} {year}, section {section}"
        korean = f"{authors.replace(' and ', '와 ') if several else f'{authors} 등'} {year}, {section}절"
        written[id] = [english if language == "en" else korean]
    assert {id: papers for id, papers in cited.items() if papers} == written


def test_the_terms_of_the_field_are_defined():
    definitions = " ".join(glossary.plain_text(text(id)) for id in glossary.WHERE_SHOWN).casefold()
    missing = [word for word in ASKED.split() if word.casefold() not in definitions]
    assert missing == []


@pytest.mark.parametrize("id", glossary.WHERE_SHOWN)
def test_a_term_links_to_an_existing_part(id):
    page, query = glossary.WHERE_SHOWN[id]
    key, parts = PARTS[page]
    for name, value in parse_qsl(query, strict_parsing=True) if query else ():
        if name == key:
            assert value in parts
        else:
            assert (page, name) == ("attention", "kind") and value in ("encoder", "decoder", "cross")


def test_every_mark_in_the_prose_is_of_a_term():
    marks = {
        path.stem: re.findall(r"\]\(term:(.*?)\)", path.read_text(encoding="utf-8")) for path in TEXTS.glob("*.md")
    }
    assert sum(map(len, marks.values())) > 50
    assert {page: id for page, ids in marks.items() for id in ids if id not in glossary.WHERE_SHOWN} == {}


def test_a_mark_becomes_a_link_with_the_definition_as_title():
    linked = glossary.link_terms(
        "The [rows](term:x) and [more](term:y).", {"x": '**A "term"**: of\ntwo `<s>`.', "y": "**B**: b."}.get
    )
    first = '[rows](glossary?find=A+%22term%22 "A &quot;term&quot;: of two &lt;s&gt;.")'
    assert linked == f'The {first} and [more](glossary?find=B "B: b.").'
    assert glossary.unlink_terms(linked) == "The rows and more."


def test_plain_text_has_the_words_of_links_without_their_targets():
    linked = glossary.link_terms(
        "**The [rows](term:query-token)** of `x`, see\n[the paper](https://arxiv.org/abs/1706.03762).", text
    )
    assert glossary.plain_text(linked) == "The rows of x, see the paper."
    assert glossary.plain_text("weights[0](query), 2 * 3") == "weights[0](query), 2 * 3"
    assert glossary.plain_text("*All* of it: 97.3\u00a0%\n*x*2") == "All of it: 97.3\u00a0% x2"


def test_no_text_alternative_and_no_lead_contains_a_link():
    """They are used as plain text, without Markdown."""
    for path in TEXTS.glob("*.md"):
        for part in re.split(r"(?m)^## ", path.read_text(encoding="utf-8")):
            heading = part.splitlines()[0] if part.strip() else ""
            if heading.startswith("# ") or heading.endswith("-alt"):
                assert "](term:" not in part, (path.name, heading)


# Terms whose names have other senses too, and texts that are no prose or cannot contain links.
OTHER_SENSES = {"gate", "hypothesis", "mask", "patch", "sampling", "scores", "span", "temperature", "view"}
NO_PROSE = {"experiments", "glossary", "lessons", "notices"}
IN_LABELS = (
    "keep d-model what-is-counted whole-words bundle scales probabilities counted special-tokens hidden replaced "
    "nothing-moved"
)
NO_LINK = re.compile(rf"alt$|help$|-of-the-step$|check|^not-|^no-|^card|^({'|'.join(IN_LABELS.split())})$")
NOT_PROSE = re.compile(r"`[^`]*`|\$\$.*?\$\$|\$[^$]*\$|!?\[[^\]]*\]\([^)]*\)|\{[^}]*\}|<[^>]*>|(?m:^\s*[#|].*$)", re.S)


def test_the_first_use_of_a_term_in_a_block_is_marked():
    names = {id: re.escape(glossary.term_of(text(id))) for id in set(glossary.WHERE_SHOWN) - OTHER_SENSES}
    missing = []
    for path in TEXTS.glob("*.md"):
        blocks = re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", path.read_text(encoding="utf-8"))
        for heading, block in blocks if path.stem not in NO_PROSE else ():
            if NO_LINK.search(heading) or len(block.split()) < 12:
                continue
            prose = " ".join(NOT_PROSE.sub(" ", block).split())
            for id, name in names.items():
                if f"](term:{id})" not in block and re.search(rf"(?i)(?<![\w/*-]){name}s?(?![\w-])", prose):
                    missing.append((path.stem, heading, id))
    assert missing == []
