"""Browsers hear the script's name and not where it lies."""

from pathlib import Path

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.path_redaction import UnnamedPlace
from tests.elsewhere import run_elsewhere

SCRIPT = "/srv/place/app.py"


def heard(content: bytes, kind: str = "websocket") -> bytes:
    """What arrives of one message of the app."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "websocket.send", "bytes": content})

    async def send(message):
        sent.append(message["bytes"])

    run_elsewhere(UnnamedPlace(app, SCRIPT)({"type": kind}, None, send))
    return sent[0]


def test_the_start_of_a_run_names_the_script_alone():
    message = ForwardMsg(hash="kept")
    message.new_session.main_script_path = str(Path(SCRIPT).resolve())
    message.new_session.name = "app.py"
    found = ForwardMsg.FromString(heard(message.SerializeToString()))
    assert found.new_session.main_script_path == "app.py"
    message.new_session.main_script_path = "app.py"
    assert found == message


def test_everything_else_is_left_as_it_is():
    message = ForwardMsg()
    message.delta.new_element.text.body = f"someone typed {SCRIPT}"
    for content in (message.SerializeToString(), b"/srv/place", b"", b"\x00\xff/srv/place/x"):
        assert heard(content) == content
    assert heard(b"/srv/place", "http") == b"/srv/place"
