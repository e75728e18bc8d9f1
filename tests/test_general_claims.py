"""General sentences name what they rest on, and their figures are those that were measured; see CONTRIBUTING.md."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from babel.messages.pofile import read_po
from safetensors import safe_open

from model import Translator
from model.attribution.head_statistics import load_statistics
from tests.general_claims import CLAIMS, COUNTS, DOCSTRINGS, KOREAN, SHARES, Measured, Published
from tools import messages
from views.text import prose
from views.text.catalogue import TEXT

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ("model", "attention_atlas", "views", "pages", "server", "training")
UNREAD = ("decisions.md",)  # records of what was measured on a day
FREQUENCY = re.compile(
    r"\b(often|usual(?:ly)?|many|few|mostly|most of"
    r"|most (?:units|heads|tokens|words|parameters|networks|sentences|pictures|things|objects)"
    r"|rarely|seldom|typical(?:ly)?|frequently|commonly|generally|in general|normally|mainly|sometimes|tends?(?: to)?"
    r"|always|never|hardly|scarcely|barely|nearly (?:all|every)|almost (?:all|every)"
    r"|(?:all|every|each|no) heads? (?:attends?|has|have|gives?|copy|copies|looks?|reads?|learns?|needs?|matters?))\b",
    re.IGNORECASE,
)
IN_DOCSTRINGS = re.compile(  # narrower: "always" and "many" of a docstring state what the program does
    r"\b(often|usual(?:ly)?|mostly|rarely|seldom|typical(?:ly)?|frequently|commonly|generally|in general"
    r"|normally|mainly|tends?(?: to)?|hardly|scarcely|barely|most (?:heads|networks)"
    r"|(?:nearly|almost) (?:all|always|every|never))\b",
    re.IGNORECASE,
)
IN_KOREAN = re.compile(
    r"대개|흔히|(?<!더 )자주|(?<!더 )(?<!가장 )많은|대부분|항상|언제나|결코|일반적으로|보통은|주로|종종|가끔|때때로"
    r"|좀처럼|드물|거의 (?:모든|언제나|나오지|없)"
)
COUNTED = re.compile(r"\b(?:how|as|so|too|equally) (?:many|often|few)\b", re.IGNORECASE)  # no claim of frequency
LINK = re.compile(r"\[([^\]]*)\]\(term:[^)]*\)")  # of a term to the glossary
SOURCE = re.compile(r"[A-Z].* \d{4}, (?:section|table|figure) \d")


@cache
def texts() -> dict[str, str]:
    """File and block, or id, or "error" -> text, in one line; prose, messages and documents for users."""
    listed: dict[str, list[str]] = {}
    for path in sorted((TEXT / "en").glob("*.md")):
        for id, block in prose.parse(path.read_text(encoding="utf-8")).blocks.items():
            listed[f"{path.stem}#{id}"] = [block]
    for message in messages.texts_of_the_code():
        forms = [message.id] if isinstance(message.id, str) else list(message.id)
        listed.setdefault(message.context or "error", []).extend(forms)
    for path in (ROOT / "README.md", ROOT / "benchmarks/README.md", *sorted((ROOT / "docs").glob("*.md"))):
        if path.name not in UNREAD:
            listed[str(path.relative_to(ROOT))] = [path.read_text(encoding="utf-8")]
    for path in sorted((ROOT / "docs").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        listed[str(path.relative_to(ROOT))] = [
            "".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"
        ]
    joined = {name: LINK.sub(r"\1", "\n".join(parts)).replace("{many}", "") for name, parts in listed.items()}
    return {name: re.sub(r"\s+", " ", text) for name, text in joined.items()}


def unlisted(
    name: str, text: str, pattern: re.Pattern = FREQUENCY, rows: Collection[tuple[str, str]] = CLAIMS
) -> Iterator[str]:
    """Words of frequency in a text that no row of the table covers, each with what is around it."""
    covered = [
        range(match.start(), match.end())
        for place, words in rows
        if place == name
        for match in re.finditer(re.escape(words), text)
    ]
    counted = [range(match.start(), match.end()) for match in COUNTED.finditer(text)]
    for match in pattern.finditer(text):
        if not any(match.start() in part for part in (*covered, *counted)):
            yield text[max(0, match.start() - 40) : match.end() + 40]


@cache
def korean_texts() -> dict[str, str]:
    """File and block, or id, or file -> Korean text, in one line."""
    listed = {
        f"{path.stem}#{id}": block
        for path in sorted((TEXT / "ko").glob("*.md"))
        for id, block in prose.parse(path.read_text(encoding="utf-8")).blocks.items()
    }
    with (TEXT / "ko" / "atlas.po").open("rb") as file:
        for message in read_po(file, locale="ko"):
            forms = message.string if isinstance(message.string, tuple) else (message.string,)
            if message.id:
                listed[message.context or "error"] = " ".join((listed.get(message.context or "error", ""), *forms))
    listed["README.ko.md"] = (ROOT / "README.ko.md").read_text(encoding="utf-8")
    return {name: re.sub(r"\s+", " ", LINK.sub(r"\1", text)) for name, text in listed.items()}


def is_docstring(node: ast.AST) -> bool:
    """Whether a statement is a string alone: of a module, a class, a function or a field."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


@cache
def docstrings() -> dict[str, str]:
    """File of the program -> its docstrings."""
    listed = {}
    for path in sorted(path for folder in PROGRAM for path in (ROOT / folder).rglob("*.py")):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        texts = [str(node.value.value) for node in nodes if is_docstring(node)]
        listed[str(path.relative_to(ROOT))] = re.sub(r"\s+", " ", " ".join(texts))
    return listed


def test_every_word_of_frequency_has_its_row():
    assert len(texts()) > 1000
    missing = [f"{name}: {words}" for name, text in texts().items() for words in unlisted(name, text)]
    assert not missing, (
        "Measure it, name the paper, or claim less; then a row in tests/general_claims.py:\n" + "\n".join(missing)
    )


def test_every_word_of_a_docstring_has_its_row():
    assert {name.split("/")[0] for name in docstrings()} == set(PROGRAM)
    found = [
        f"{name}: {words}"
        for name, text in docstrings().items()
        for words in unlisted(name, text, IN_DOCSTRINGS, DOCSTRINGS)
    ]
    assert not found, "\n".join(found)
    assert [row for row in DOCSTRINGS if row[1] not in docstrings()[row[0]]] == []


def test_korean_words_of_frequency_have_the_row_of_their_english_text():
    rested = {place for place, _ in CLAIMS}
    found = [
        f"{name}: {words}"
        for name, text in korean_texts().items()
        if name not in rested
        for words in unlisted(name, text, IN_KOREAN, KOREAN)
    ]
    assert not found, "\n".join(found)
    assert [row for row in KOREAN if row[1] not in korean_texts()[row[0]] or not IN_KOREAN.search(row[1])] == []


@pytest.mark.parametrize(
    "sentence",
    [
        "The background often decides.",
        "Few have a task.",
        "It usually means nothing.",
        "Most parameters of a layer are there.",
        "Heads tend to specialise.",
        "It almost always ends.",
    ],
)
def test_a_new_general_sentence_is_found(sentence):
    assert list(unlisted("vision#background", sentence))


def test_a_count_is_no_claim():
    assert not list(unlisted("x", "How many heads there are, and how often: as many as layers."))


@pytest.mark.parametrize(("place", "words"), list(CLAIMS))
def test_every_row_is_of_a_text_and_states_its_basis(place, words):
    assert words in texts()[place] and FREQUENCY.search(words)
    basis = CLAIMS[place, words]
    if isinstance(basis, Measured):
        assert basis.network and basis.baseline and basis.cases
        assert isinstance(basis.cases, str) or basis.cases > 10
    elif isinstance(basis, Published):
        assert SOURCE.match(basis.paper)
    else:
        assert basis.reason


@cache
def measured() -> dict:
    return json.loads((ROOT / "benchmarks/general_claims.json").read_text(encoding="utf-8"))


def value(path: tuple[str, ...]) -> int:
    found = measured()
    for name in path:
        found = found[name]
    return found


def test_figures_in_prose_are_those_of_the_measurement():
    for place, figures in COUNTS.items():
        for words, path in figures.items():
            assert words in texts()[place] and f"{value(path):,}" in words.split() + re.split(r"\D+(?=\d)", words), (
                words
            )
    for place, figures in SHARES.items():
        for written, path in figures.items():
            share = value(path) / measured()["vision"]["pictures"]
            assert f"{100 * share:.1f}" == written and f"{written} %" in texts()[place]


def test_what_cross_attention_sends_stands_beside_its_layer_and_all_heads():
    sent = measured()["sent"]
    raised, ranks = np.array(sent["target_raised"]), np.array(sent["target_rank"])
    shares = (
        f"{100 * raised[3, 3]:.1f} % of its links, all heads of its layer in {100 * raised[3].mean():.1f} %, all 32"
    )
    figures = (
        f"Over {sent['links']} links of {sent['sentences']} test sentences",
        f"{shares} heads in {100 * raised.mean():.1f} %",
        f"is {ranks[3, 3]:g} of 8,000 with head 4.4, and {np.median(ranks[3]):g} over",
        f"in {100 * sent['source_raised'][3][3]:.1f} %, with a median rank of {sent['source_rank'][3][3]:,.0f}",
    )
    assert [words for words in figures if words not in texts()["docs/causal.md"]] == []
    assert sent["above_the_others"] == [] and "No head of the 32 is above" in texts()["docs/causal.md"]


def test_half_the_change_is_what_the_prose_names():
    recurrent = measured()["recurrent"]
    assert {figures["pairs"] for figures in recurrent.values()} == {40}


@pytest.mark.parametrize(("stack", "share"), [("encoder", "66.5 %"), ("decoder", "49.9 %")])
def test_the_share_of_the_feed_forward_parameters(stack, share):
    with safe_open(ROOT / "assets/translator/model.safetensors", "np") as file:
        sizes = {name: file.get_tensor(name).size for name in file.keys() if name.startswith(f"{stack}.0.")}  # noqa: SIM118
    own = sum(size for name, size in sizes.items() if name.startswith(f"{stack}.0.feed_forward."))
    assert f"{100 * own / sum(sizes.values()):.1f} %" == share and share in texts()["tokens#sizes"]


def test_heads_that_give_the_end_twice_the_weight_of_uniform_attention():
    translator = Translator.load(device="cpu")
    statistics = load_statistics(ROOT / "assets/translator", translator.weights_sha256)
    counts = {
        (kind, place): int((each.scores[place].mean > 2 * each.chance[place]).sum())
        for kind, each in statistics.kinds.items()
        for place in ("start", "end")
        if place in each.scores and kind != "decoder"
    }
    assert counts == {("encoder", "start"): 0, ("encoder", "end"): 9, ("cross", "start"): 0, ("cross", "end"): 8}
    text = texts()["attention#what-to-look-for"]
    assert (
        f"Over {statistics.inputs} held-out sentences, 9 of the 32 encoder" in text and "8 of the 32 of cross" in text
    )
    assert f"{100 * statistics.facts['linked']:.0f} % of the French tokens of 500" in texts()["history#beside-read"]


def test_the_lstm_that_does_not_divide():
    folder = ROOT / "assets/recurrent/lstm-dot"
    card = json.loads((folder / "card.json").read_text(encoding="utf-8"))
    width = json.loads((folder / "config.json").read_text(encoding="utf-8"))["decoder_width"]
    bleu = card["evaluation"]["greedy"]["bleu"]
    assert f"at width {width}, and reaches a BLEU of {bleu:.1f}" in texts()["inside#scaling"]


def test_tokens_that_give_themselves_the_largest_weight():
    study = json.loads((ROOT / "assets/translator/raw_attention.json").read_text(encoding="utf-8"))
    shares = [100 * stage["trained_first"] for stage in study["stages"] if stage["trained_first"] is not None]
    assert f"{min(shares):.1f} to {max(shares):.1f} % of the tokens" in texts()["history_projections#study"]
