"""The message catalogue is generated from the code, with every text in it."""

import ast
import io
import re
import subprocess
import sys
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


def test_the_texts_of_every_error_that_a_user_sees_are_found():
    sources = (path.read_text("utf-8") for layer in messages.LAYERS for path in (messages.ROOT / layer).rglob("*.py"))
    named = {name for source in sources for name in re.findall(r"^class (\w+)\(UserError\b", source, re.MULTILINE)}
    assert len(named) >= 5
    assert named | {"UserError"} <= messages.KEYWORDS.keys()


def test_every_id_is_lower_case_ascii():
    ids = [message.context for message in messages.texts_of_the_code() if message.context]
    assert ids
    assert [id for id in ids if not re.fullmatch(r"[a-z0-9._-]+", id)] == []


def test_the_program_itself_imports_no_user_interface():
    script = "import sys, tools.messages; assert 'streamlit' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
