"""Remove the script's absolute path from messages to browsers.

Streamlit sends it at the start of every run; the browser only needs it to be the same each time.
"""

from pathlib import Path

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.streamlit_internals import ForwardMsg


class PathRedaction:
    """Replace the script's path by its file name.

    Args:
        script: the file that Streamlit runs.
    """

    def __init__(self, app: ASGIApp, script: str) -> None:
        self._app = app
        path = Path(script).resolve()
        self._name, self._folder = path.name, str(path.parent).encode()

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
        return message.SerializeToString()
