"""The message catalogue is generated from the code, with every text in it."""

import ast
import io
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from tools import messages
from views.text import catalogue


def test_the_generated_catalogue_has_every_id_of_the_code():
    """The ids are read from the files' text, not from a syntax tree."""
    sources = (path.read_text("utf-8") for layer in messages.LAYERS for path in (messages.ROOT / layer).rglob("*.py"))
    call = re.compile(r"\b(?:say|say_count|Message)\(\s*[\"']([a-z0-9._-]+)[\"'],\s")
    ids = {id for source in sources for id in call.findall(source)}
    generated = read_po(io.BytesIO(messages.written(messages.texts_of_the_code())), locale="en")
    assert len(ids) > 1000
    assert ids <= {message.context for message in generated}


def test_texts_are_found_in_f_strings_and_with_plurals():
    source = """f'<b>{say("a.b", "Bold")}</b>' + say_count("c", "one", "{n} of them", n) + say("d", variable)"""
    assert sorted(messages.texts_in(source), key=str) == [("a.b", "Bold"), ("c", ("one", "{n} of them"))]


def test_generating_writes_the_english_file(tmp_path, monkeypatch):
    (tmp_path / "en").mkdir()
    monkeypatch.setattr(messages, "TEXT", tmp_path)
    monkeypatch.setattr(messages, "ROOT", tmp_path.parent)
    monkeypatch.setattr(messages, "texts_of_the_code", lambda: Catalog(locale="en", fuzzy=False))
    messages.main()
    assert (tmp_path / "en" / "atlas.po").is_file()


def catalogue_of(*texts: tuple, translate: bool = False) -> Catalog:
    made = Catalog(locale="ko", fuzzy=False)
    for id, text in texts:
        string = "" if not translate else tuple("번역" for _ in range(1)) if isinstance(text, tuple) else "번역"
        made.add(text, string, context=id)
    return made


def test_the_translation_of_a_text_that_changes_is_kept_as_stale():
    refusal = "This text has {count} tokens, and 128 are the most."
    old = catalogue_of(
        ("same", "Same."), ("changed", "Old."), ("gone", "Gone."), ("counted", ("one", "many")), (None, refusal),
        translate=True,
    )  # fmt: skip
    code = catalogue_of(
        ("same", "Same."), ("changed", "New."), ("new", "Added."), ("counted", ("one", "{n} of many")),
        (None, refusal.replace("128", "256")), (None, "Something else is wrong."),
    )  # fmt: skip
    new = read_po(io.BytesIO(messages.written(messages.updated(old, code))), locale="ko")
    states = {message.context or message.id: (message.string, message.fuzzy) for message in new if message.id}
    assert states == {
        "same": ("번역", False),
        "changed": ("번역", True),
        "new": ("", False),
        "counted": (("번역",), True),
        refusal.replace("128", "256"): ("번역", True),
        "Something else is wrong.": ("", False),
    }
    assert [message.user_comments for message in new if message.context == "changed"] == [["translated from: Old."]]
    again = messages.updated(new, code)
    assert messages.written(again) == messages.written(new), "stale until it is translated anew"


def test_no_id_has_two_texts():
    texts: dict[str, set] = {}
    for message in messages.texts_of_the_code():
        if message.context:
            texts.setdefault(message.context, set()).add(message.id)
    assert not {id: variants for id, variants in texts.items() if len(variants) > 1}


def test_every_text_is_a_literal_at_its_call():
    """A text in a variable would be missing from the catalogue."""
    elsewhere = []
    for path in (path for layer in messages.LAYERS for path in (messages.ROOT / layer).rglob("*.py")):
        if path != Path(catalogue.__file__):
            nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
            calls = [node for node in nodes if isinstance(node, ast.Call)]
            for call in calls:
                count = {"say": 2, "Message": 2, "Sample": 2, "say_count": 3}.get(getattr(call.func, "id", ""), 0)
                if not all(isinstance(argument, ast.Constant) for argument in call.args[:count]):
                    elsewhere.append(f"{path.name}:{call.lineno}")
            called = {id(call.func) for call in calls}  # `partial(say, ...)` would hide a text
            names = [node for node in nodes if isinstance(node, ast.Name) and node.id in ("say", "say_count")]
            elsewhere += [f"{path.name}:{name.lineno}" for name in names if id(name) not in called]
    assert elsewhere == []


@cache
def sources() -> list[tuple[Path, ast.Module]]:
    paths = (path for layer in messages.LAYERS for path in sorted((messages.ROOT / layer).rglob("*.py")))
    return [(path, ast.parse(path.read_text("utf-8"))) for path in paths]


def names_of_errors() -> set[str]:
    """`UserError` and all classes below it."""
    bases = {
        node.name: {getattr(base, "id", getattr(base, "attr", "")) for base in node.bases}
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    names = {"UserError"}
    while more := {name for name, above in bases.items() if above & names} - names:
        names |= more
    return names


def test_the_texts_of_every_error_that_a_user_sees_are_found():
    named = names_of_errors()
    assert len(named) >= 10
    assert named <= messages.KEYWORDS.keys()


PASSED_ON = {"raised_as", "_check"}  # functions that raise an error with their first argument


def test_the_sentence_of_an_error_is_a_literal_or_a_template():
    """One in a variable would be missing from the catalogue, and appear in English on a page in another language."""
    templates = {
        target.id
        for _, tree in sources()
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_template(node.value)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }
    templates |= {
        node.target.id
        for _, tree in sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        if ast.unparse(node.annotation) == "Template"
    }  # fields that a class declares as such
    raising = names_of_errors() | {"raised_as"}
    elsewhere = [
        f"{path.name}:{node.lineno} {ast.unparse(node.args[0])}"
        for path, tree in sources()
        for function, node in calls_in(tree)
        if getattr(node.func, "id", getattr(node.func, "attr", "")) in raising
        if node.args and not is_known(node.args[0], templates, function)
    ]
    assert len(templates) >= 10 and elsewhere == []


def is_template(value: ast.expr) -> bool:
    """Whether a value is `Template(...)`, or a dictionary of such."""
    if isinstance(value, ast.Dict):
        return bool(value.values) and all(map(is_template, value.values))
    return isinstance(value, ast.Call) and getattr(value.func, "id", "") == "Template"


def calls_in(tree: ast.AST, function: str = "") -> Iterator[tuple[str, ast.Call]]:
    """Every call, with the name of the function that it is in."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call):
            yield function, node
        yield from calls_in(node, node.name if isinstance(node, ast.FunctionDef) else function)


def is_known(text: ast.expr, templates: set[str], function: str) -> bool:
    """Whether the sentence of an error is in the catalogue: a literal, a template, or that of another error."""
    if isinstance(text, ast.IfExp):
        return is_known(text.body, templates, function) and is_known(text.orelse, templates, function)
    if isinstance(text, ast.Subscript):
        of_other_process = isinstance(text.slice, ast.Constant) and text.slice.value == "template"
        return of_other_process or is_known(text.value, templates, function)
    if isinstance(text, ast.Name):
        return text.id in templates or (text.id == "template" and function in PASSED_ON)
    known = {*templates, "template"}
    return isinstance(text, ast.Constant) or (isinstance(text, ast.Attribute) and text.attr in known)


EXAMPLES = {"PROBE", "EXAMPLE"}  # what networks read
MATCHED = {"_LIBRARY", "_FULL"}  # what libraries say
OWN_TEXTS = {"course", "lessons", "training"}  # folders whose constants are sentences for a network, and model cards


def test_sentences_that_a_module_keeps_are_in_the_catalogue():
    """Whatever a constant of a module that computes says in a sentence may reach a page, by whatever way."""
    collected = {message.id for message in messages.texts_of_the_code()}
    kept = {
        (path.name, name.id, text.value)
        for path, tree in sources()
        if (layers := path.relative_to(messages.ROOT).parts)[0] == "model" and layers[1] not in OWN_TEXTS
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for name in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(name, ast.Name) and name.id.isupper() and name.id not in EXAMPLES | MATCHED
        for text in ast.walk(node.value)
        if isinstance(text, ast.Constant) and isinstance(text.value, str) and is_sentence(text.value)
    }
    assert len(kept) >= 20
    assert [each for each in sorted(kept) if each[2] not in collected] == []


def is_sentence(text: str) -> bool:
    """Whether a text is a sentence, or a part of one, by its punctuation or placeholders."""
    return len(text.split()) >= 4 and bool(re.search(r"\.\s*$|; |\{\w+[^}]*\}", text))


def test_every_id_is_lower_case_ascii():
    ids = [message.context for message in messages.texts_of_the_code() if message.context]
    assert ids
    assert [id for id in ids if not re.fullmatch(r"[a-z0-9._-]+", id)] == []


def test_the_program_itself_imports_no_user_interface():
    script = "import sys, tools.messages; assert 'streamlit' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
