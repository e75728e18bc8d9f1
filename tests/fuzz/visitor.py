"""A visitor at work beside the strangers, who remembers all that the server draws, so that it can be compared."""

from __future__ import annotations

import asyncio
import re
import uuid

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.load_protocol import Answer, Client, LostConnection
from tests.deploy.visitor import request

SENTENCE = "English sentence"  # the box of the first page
STYLES = 2  # the first number of the places of what is nothing but style
_WAITING = ".stSpinner"  # of the style that comes with the sentence for those who wait, see views/text/waiting.py
_NEW_EACH_TIME = re.compile(r"[0-9a-f]{32,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Reader(Client):
    """A visitor who remembers what is on the page. `open` comes first; one request at a time."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url
        self._drawn: dict[tuple[int, ...], str] = {}  # place on the page -> what stands there
        self._files: dict[str, str] = {}  # label of a download -> what the protocol calls its file
        self._made: asyncio.Future | None = None

    @property
    def view(self) -> dict[tuple[int, ...], str]:
        """What the page shows, without the names that each run gives anew, and without a word that one has to wait."""
        drawn = {place: _NEW_EACH_TIME.sub("#", text) for place, text in self._drawn.items()}
        styles = sorted(text for place, text in drawn.items() if place[0] == STYLES and _WAITING not in text)
        return {place: text for place, text in drawn.items() if place[0] != STYLES} | {(STYLES,): "".join(styles)}

    async def read(self, sentence: str) -> Answer:
        """Type a sentence on the first page, going there if need be."""
        if self.page:
            await self.go_to("")
        return await self.type(SENTENCE, sentence)

    async def download(self) -> bytes:
        """The first file that the page offers.

        Raises:
            LostConnection: the server would not make it, or not hand it out.
        """
        return await self.fetch(await self.order())

    async def order(self) -> str:
        """Have the first file made that the page offers; where it lies then."""
        message = BackMsg()
        operation = message.backend_operation_request
        operation.request_id, operation.session_id = str(uuid.uuid4()), self.session
        operation.deferred_file.file_id = next(iter(self._files.values()))
        self._made = asyncio.get_running_loop().create_future()
        await self._send(message)
        made = await self._made
        if made.error_msg:
            raise LostConnection(made.error_msg)
        return made.deferred_file.url

    async def fetch(self, path: str) -> bytes:
        """A file that was made."""
        answer = await asyncio.to_thread(request, self.url, path)
        if answer.status != 200:
            raise LostConnection(f"a download was answered with {answer.status}")
        return answer.body

    async def _request(self, state: ClientState) -> Answer:
        if not state.fragment_id:  # else the rest of the page stays
            self._drawn, self._files = {}, {}
        return await super()._request(state)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "delta" and message.delta.WhichOneof("type") != "new_transient":
            self._drawn[tuple(message.metadata.delta_path)] = str(message.delta)
            button = message.delta.new_element.download_button
            if button.deferred_file_id:
                self._files[button.label] = button.deferred_file_id
        elif kind == "backend_operation_response" and self._made is not None:
            self._made.set_result(message.backend_operation_response)
        super()._take(message)
