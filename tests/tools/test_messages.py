"""The catalogues are those of the code as it is."""

import re
import subprocess
import sys

from tools import messages


def test_the_english_catalogue_is_up_to_date():
    """If this fails: `python -m tools.messages`."""
    assert (messages.TEXT / "en" / "atlas.po").read_bytes() == messages.written(messages.texts_of_the_code())


def test_no_id_says_two_things():
    texts: dict[str, set] = {}
    for message in messages.texts_of_the_code():
        if message.context:
            texts.setdefault(message.context, set()).add(message.id)
    assert not {id: said for id, said in texts.items() if len(said) > 1}


def test_every_id_is_lower_case_ascii():
    ids = [message.context for message in messages.texts_of_the_code() if message.context]
    assert ids
    assert [id for id in ids if not re.fullmatch(r"[a-z0-9._-]+", id)] == []


def test_the_program_itself_imports_no_user_interface():
    script = "import sys, tools.messages; assert 'streamlit' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)
