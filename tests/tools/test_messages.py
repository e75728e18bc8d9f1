"""The catalogues are those of the code as it is."""

import ast
import re
import subprocess
import sys
from pathlib import Path

from tools import messages
from views.text import catalogue


def test_the_english_catalogue_is_up_to_date():
    """If this fails: `python -m tools.messages`."""
    assert (messages.TEXT / "en" / "atlas.po").read_bytes() == messages.written(messages.texts_of_the_code())


def test_no_id_says_two_things():
    texts: dict[str, set] = {}
    for message in messages.texts_of_the_code():
        if message.context:
            texts.setdefault(message.context, set()).add(message.id)
    assert not {id: said for id, said in texts.items() if len(said) > 1}


def test_every_text_stands_where_it_is_said():
    """A text in a variable is found by nobody who translates."""
    elsewhere = []
    for path in (path for floor in messages.FLOORS for path in (messages.ROOT / floor).rglob("*.py")):
        if path != Path(catalogue.__file__):
            calls = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
            for call in calls:
                count = {"say": 2, "Message": 2, "Place": 2, "Sample": 2, "say_count": 3}.get(
                    getattr(call.func, "id", ""), 0
                )
                if not all(isinstance(given, ast.Constant) for given in call.args[:count]):
                    elsewhere.append(f"{path.name}:{call.lineno}")
    assert elsewhere == []


def test_the_texts_of_every_error_that_a_reader_sees_are_found():
    sources = (path.read_text("utf-8") for floor in messages.FLOORS for path in (messages.ROOT / floor).rglob("*.py"))
    named = {name for source in sources for name in re.findall(r"^class (\w+)\(ReaderError\b", source, re.MULTILINE)}
    assert len(named) >= 5
    assert named | {"ReaderError"} <= messages.KEYWORDS.keys()


def test_every_id_is_lower_case_ascii():
    ids = [message.context for message in messages.texts_of_the_code() if message.context]
    assert ids
    assert [id for id in ids if not re.fullmatch(r"[a-z0-9._-]+", id)] == []


def test_the_program_itself_imports_no_user_interface():
    script = "import sys, tools.messages; assert 'streamlit' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
