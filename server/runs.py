"""Every run that a browser asks for takes place, and looks at what it was told before the next one takes its place.

Streamlit ends a run as soon as another one is asked for, and one that has not begun by then never does. What its
message said is lost where the next message does not say it again: a page that is asked for hears nothing of the
controls on the page that is left, and a click says nothing of a step back in the history before it.

A browser whose server has gone connects to another one by itself, and does not ask for its page anew. If it asks for a
part of the page first, Streamlit knows no such part there, and would answer nothing to whatever is done in it.
"""

from __future__ import annotations

import asyncio
import contextlib

from google.protobuf.message import DecodeError
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

PATIENCE = 1.0  # seconds; a run that has not begun after that may be replaced
DRAWN = frozenset({"delta", "ref_hash", "script_finished"})  # a run looks at its message before it draws anything


class RunsBegin:
    """Hold back a message that asks for a run until the run of a page that was asked for before has begun to draw.

    What a socket asks for first is run as a whole page, with all that its message says.

    Args:
        patience: the longest that it is held back, in seconds.
    """

    def __init__(self, app: ASGIApp, patience: float = PATIENCE) -> None:
        self._app, self._patience = app, patience

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            socket = _Socket(receive, send, self._patience)
            receive, send = socket.receive, socket.send
        await self._app(scope, receive, send)


class _Socket:
    """One socket between the server and the app."""

    def __init__(self, receive: Receive, send: Send, patience: float) -> None:
        self._receive, self._send, self._patience = receive, send, patience
        self._asked = False  # for any run
        self._begun = False  # the run asked for last; what comes before that is of an older one
        self._drawn = asyncio.Event()
        self._drawn.set()

    async def receive(self) -> Message:
        """The next message, as soon as the app may see it."""
        message = await self._receive()
        asked = asked_for(message.get("bytes") or b"")
        if asked is not None:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._drawn.wait(), self._patience)
            if asked.fragment_id and not self._asked:
                asked.fragment_id = ""
                message = {**message, "bytes": BackMsg(rerun_script=asked).SerializeToString()}
            self._asked = True
            if not asked.fragment_id:  # a run of a part of the page replaces no other
                self._begun = False
                self._drawn.clear()
        return message

    async def send(self, message: Message) -> None:
        """Pass on what the app sends, and look how far the run has come."""
        await self._send(message)
        if not self._drawn.is_set() and (content := message.get("bytes")):
            kind = ForwardMsg.FromString(content).WhichOneof("type")
            self._begun = self._begun or kind == "new_session"
            if self._begun and kind in DRAWN:
                self._drawn.set()


def asked_for(content: bytes) -> ClientState | None:
    """What a browser's message asks to be run; None if it asks for something else."""
    try:
        message = BackMsg.FromString(content)
    except DecodeError:
        return None
    return message.rerun_script if message.WhichOneof("type") == "rerun_script" else None
