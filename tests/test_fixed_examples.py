"""Fixed examples: the whole text of each is that of `tests/fixed_examples.py`, and none is missing there."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from model import HeadInterventions, Trace, Translator
from model.tracing.head_interventions import Pull
from tests.fixed_examples import PULLS, TRANSLATIONS
from views.components.stage_examples import EXAMPLES, links, proposed

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("pages", "views", "model/course", "attention_atlas")
NOT_EXAMPLES = {"say", "say_count", "Message", "Sample", "Refusal"}  # what they are given is a text of a page
SENTENCE = re.compile(r"[A-Z][^{}\n_=<>]* [^{}\n_=<>]*[.?!]")
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
QUOTED = re.compile(r'"([A-Z][^"\n]* [^"\n]*[.?!])"')


@cache
def translator() -> Translator:
    return Translator.load(device="cpu")


@cache
def trace_of(sentence: str) -> Trace:
    return translator().trace(sentence)


@pytest.mark.parametrize("sentence", TRANSLATIONS)
def test_each_fixed_sentence_has_its_whole_translation(sentence):
    assert trace_of(sentence).target_text == TRANSLATIONS[sentence].text


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.label.id)
def test_each_example_pull_gives_its_whole_translation_and_its_control(example):
    expected = PULLS[example.label.id.removeprefix("stage.example.")]
    trace = trace_of(example.sentence)
    assert (example.sentence, trace.target_text) == (expected.sentence, expected.before)
    plan = HeadInterventions.from_text(example.pull)
    (pull,) = plan.changes
    assert isinstance(pull, Pull)
    after = translator().trace_under(trace, plan)
    assert after.target_text == expected.after
    pulled = [after.cross_attention[layer, head, pull.query, pull.key] for layer, head in pull.heads]
    assert sum(pulled) / len(pulled) == pytest.approx(0.75, abs=1e-5)
    control = translator().control_pull(trace, pull, 0.75)
    assert control.pulled.chosen is not None and control.pulled.chosen.strip() == expected.word
    assert (len(control.same), len(control.keys)) == (expected.same, expected.others)
    assert control.hidden is not None and control.hidden.text == expected.hidden
    assert not control.nearly_tied


def test_the_examples_are_run_through_one_after_the_other():
    assert [example.label.id.removeprefix("stage.example.") for example in EXAMPLES] == list(PULLS)
    seen, (_, link) = [], proposed("Another sentence.")[0]
    for _ in EXAMPLES:
        example = next(each for each in EXAMPLES if each.query == link)
        seen.append(example)
        (_, own), (_, link) = proposed(example.sentence)
        assert own == example.query
    assert seen == list(EXAMPLES) and link == EXAMPLES[0].query
    assert [link for _, link in proposed("Another sentence.")] == [EXAMPLES[0].query, EXAMPLES[-1].query]
    assert [link for _, link in links()] == [f".{EXAMPLES[0].query}", f".{EXAMPLES[-1].query}"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_example_of_the_program_is_missing(folder):
    found = {text for path in sorted((ROOT / folder).rglob("*.py")) for text in sentences_in(path.read_text("utf-8"))}
    french = {row.text for row in TRANSLATIONS.values()} | GIVEN
    assert found - set(TRANSLATIONS) - french == set()


def test_no_example_of_the_documents_is_missing():
    documents = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "README.ko.md"]
    found = {
        text for path in documents for code in CODE.findall(path.read_text("utf-8")) for text in QUOTED.findall(code)
    }
    for path in sorted((ROOT / "docs").glob("*.ipynb")):
        cells = [cell for cell in json.loads(path.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
        found |= {text for cell in cells for text in QUOTED.findall("".join(cell["source"]))}
    for path in sorted((ROOT / "assets/code").rglob("*.py")):  # programs that a page fills in and shows
        found |= set(QUOTED.findall(path.read_text("utf-8")))
    assert found - OTHERS - set(TRANSLATIONS) - {row.text for row in TRANSLATIONS.values()} == set()


# French sentences that are given to be scored, not generated.
GIVEN = {
    "Je suis un étudiant.",
    "L'animal n'a pas traversé la rue parce qu'il était trop fatigué.",
    "Elle lui a donné le livre qu'il avait perdu.",
    "Nous aimerions mieux rester à la maison ce soir.",
    "Il fait froid ce matin.",
    "Où avez-vous appris à faire la cuisine ?",
}
OTHERS = {"The cat sat.", "It slept.", "What is this?", "Bonjour tout le monde."}  # read by others, or French


def sentences_in(source: str) -> Iterator[str]:
    """Sentences in the literals of a program that are neither texts of a page nor documentation."""
    tree = ast.parse(source)
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name in NOT_EXAMPLES or name.endswith("Error"):
                left_out |= set(ast.walk(node))
        elif isinstance(node, ast.Expr):
            left_out.add(node.value)
    for node in ast.walk(tree):
        text = node.value if isinstance(node, ast.Constant) and node not in left_out else None
        if isinstance(text, str) and SENTENCE.fullmatch(text):
            yield text


def test_an_example_is_found_and_a_text_of_a_page_is_not():
    source = 'EXAMPLE = ("The cat sat here.", say("id", "Press this now."))\nraise InputError("Type a word first.")'
    assert list(sentences_in(source)) == ["The cat sat here."]
    (code,) = CODE.findall('Text, "Not code here."\n```python\ntranslator.trace("A cat sat.")  # "a dog."\n```')
    assert QUOTED.findall(code) == ["A cat sat."]
