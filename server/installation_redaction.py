"""Remove what describes this installation from messages to browsers.

At the start of every run Streamlit sends the script's absolute path, which the browser only needs to be the same each
time, the versions of Streamlit and Python, the operating system and ids of the installation. Of those a browser needs
one: a page that is open loads itself anew when the server comes back with another version.
"""

import hashlib
from pathlib import Path

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import streamlit_internals
from server.streamlit_internals import ForwardMsg


class InstallationRedaction:
    """Replace the script's path by its file name, the version by that of the release, and blank the rest.

    Args:
        script: the file that Streamlit runs.
        version: of the app.
    """

    def __init__(self, app: ASGIApp, script: str, version: str) -> None:
        self._app = app
        path = Path(script).resolve()
        self._name, self._folder = path.name, str(path.parent).encode()
        self._release = release(version)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_redacted(message: Message) -> None:
            content = message.get("bytes")
            if content and self._folder in content:
                message = {**message, "bytes": self._redact(content)}
            await send(message)

        await self._app(scope, receive, send_redacted if scope["type"] == "websocket" else send)

    def _redact(self, content: bytes) -> bytes:
        try:
            message = ForwardMsg.FromString(content)
        except DecodeError:
            return content
        if message.WhichOneof("type") != "new_session":
            return content
        message.new_session.main_script_path = self._name
        start = message.new_session.initialize
        start.user_info.Clear()
        start.environment_info.Clear()
        start.environment_info.streamlit_version = self._release
        return message.SerializeToString()


def release(version: str) -> str:
    """One value for the app's version and all that browsers load of Streamlit's, the same on every replica."""
    page = (streamlit_internals.static_folder() / "index.html").read_bytes()  # it names scripts by their content
    return hashlib.sha256(b"\0".join((version.encode(), page))).hexdigest()[:16]
