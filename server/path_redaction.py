"""Where the app lies on the machine is nobody's business but its operator's.

At the start of every run Streamlit tells the browser the whole path of the script, of which the browser uses no more
than that it is always the same.
"""

from pathlib import Path

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.streamlit_internals import ForwardMsg


class UnnamedPlace:
    """Tell browsers the name of the script without its folder.

    Args:
        script: the file that Streamlit runs.
    """

    def __init__(self, app: ASGIApp, script: str) -> None:
        self._app = app
        path = Path(script).resolve()
        self._name, self._folder = path.name, str(path.parent).encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def without_place(message: Message) -> None:
            content = message.get("bytes")
            if content and self._folder in content:
                message = {**message, "bytes": self._renamed(content)}
            await send(message)

        await self._app(scope, receive, without_place if scope["type"] == "websocket" else send)

    def _renamed(self, content: bytes) -> bytes:
        try:
            message = ForwardMsg.FromString(content)
        except DecodeError:
            return content
        if message.WhichOneof("type") != "new_session":
            return content
        message.new_session.main_script_path = self._name
        return message.SerializeToString()
