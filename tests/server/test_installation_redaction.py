"""Browsers receive nothing about the installation but one value that changes with each release."""

from pathlib import Path

import streamlit
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.installation_redaction import InstallationRedaction, release
from tests.coroutines import run_in_thread

SCRIPT = "/srv/place/app.py"


def redact(content: bytes, kind: str = "websocket") -> bytes:
    """One message of the app as the browser receives it."""
    sent = []

    async def app(scope, receive, send):
        await send({"type": "websocket.send", "bytes": content})

    async def send(message):
        sent.append(message["bytes"])

    run_in_thread(InstallationRedaction(app, SCRIPT, "1.0")({"type": kind}, None, send))
    return sent[0]


def test_the_start_of_a_run_contains_only_the_script_s_name():
    message = ForwardMsg(hash="kept")
    message.new_session.main_script_path = str(Path(SCRIPT).resolve())
    message.new_session.name = "app.py"
    redacted = ForwardMsg.FromString(redact(message.SerializeToString()))
    assert redacted.new_session.main_script_path == "app.py"
    message.new_session.main_script_path = "app.py"
    message.new_session.initialize.user_info.SetInParent()
    message.new_session.initialize.environment_info.streamlit_version = release("1.0")
    assert redacted == message


def test_versions_and_ids_of_the_installation_are_blank():
    message = ForwardMsg()
    message.new_session.main_script_path = str(Path(SCRIPT).resolve())
    start = message.new_session.initialize
    for part in (start.user_info, start.environment_info):
        for field in part.DESCRIPTOR.fields:
            setattr(part, field.name, True if field.name == "has_display" else f"private {field.name}")
    start.session_id = "kept"
    redacted = redact(message.SerializeToString())
    assert b"private" not in redacted
    sent = ForwardMsg.FromString(redacted).new_session.initialize
    assert (sent.session_id, sent.user_info.ListFields()) == ("kept", [])
    assert [field.name for field, _ in sent.environment_info.ListFields()] == ["streamlit_version"]


def test_the_release_is_one_value_for_all_replicas_and_another_for_another_version():
    assert release("1.0") == release("1.0") != release("1.1")
    assert streamlit.__version__ not in release("1.0")


def test_other_messages_are_unchanged():
    message = ForwardMsg()
    message.delta.new_element.text.body = f"someone typed {SCRIPT}"
    for content in (message.SerializeToString(), b"/srv/place", b"", b"\x00\xff/srv/place/x"):
        assert redact(content) == content
    assert redact(b"/srv/place", "http") == b"/srv/place"
