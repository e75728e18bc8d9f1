"""Browsers receive the script's file name without its folder."""

from pathlib import Path

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.path_redaction import PathRedaction
from tests.coroutines import run_in_thread

SCRIPT = "/srv/place/app.py"


def redact(content: bytes, kind: str = "websocket") -> bytes:
    """One message of the app as the browser receives it."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "websocket.send", "bytes": content})

    async def send(message):
        sent.append(message["bytes"])

    run_in_thread(PathRedaction(app, SCRIPT)({"type": kind}, None, send))
    return sent[0]


def test_the_start_of_a_run_contains_only_the_script_s_name():
    message = ForwardMsg(hash="kept")
    message.new_session.main_script_path = str(Path(SCRIPT).resolve())
    message.new_session.name = "app.py"
    redacted = ForwardMsg.FromString(redact(message.SerializeToString()))
    assert redacted.new_session.main_script_path == "app.py"
    message.new_session.main_script_path = "app.py"
    assert redacted == message


def test_other_messages_are_unchanged():
    message = ForwardMsg()
    message.delta.new_element.text.body = f"someone typed {SCRIPT}"
    for content in (message.SerializeToString(), b"/srv/place", b"", b"\x00\xff/srv/place/x"):
        assert redact(content) == content
    assert redact(b"/srv/place", "http") == b"/srv/place"
