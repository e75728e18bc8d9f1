"""A visitor during the campaign that records everything the server renders, so that it can be compared."""

from __future__ import annotations

import asyncio
import re
import uuid

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.load_protocol import Client, LostConnection, RunResult
from tests.deploy.visitor import request

SENTENCE = "English sentence"  # the input of the first page
STYLES = 2  # first number of the delta paths of style sheets
_WAITING = ".stSpinner"  # in the style sheet of the waiting notice, see views/text/waiting.py
_NEW_EACH_TIME = re.compile(r"[0-9a-f]{32,}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class RecordingVisitor(Client):
    """A visitor that records the content of the page. Call `open` first; one request at a time."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url
        self._elements: dict[tuple[int, ...], str] = {}  # delta path -> element
        self._files: dict[str, str] = {}  # label of a download -> id of its file
        self._response: asyncio.Future | None = None

    @property
    def view(self) -> dict[tuple[int, ...], str]:
        """The content of the page, without the ids that each run generates and without the waiting notice."""
        elements = {path: _NEW_EACH_TIME.sub("#", text) for path, text in self._elements.items()}
        styles = sorted(text for path, text in elements.items() if path[0] == STYLES and _WAITING not in text)
        return {path: text for path, text in elements.items() if path[0] != STYLES} | {(STYLES,): "".join(styles)}

    async def read(self, sentence: str) -> RunResult:
        """Type a sentence on the first page, going there if need be."""
        if self.page:
            await self.go_to("")
        return await self.type(SENTENCE, sentence)

    async def download(self) -> bytes:
        """Download the first file that the page offers.

        Raises:
            LostConnection: the server did not make it, or did not send it.
        """
        return await self.fetch(await self.request_file())

    async def request_file(self) -> str:
        """Request the first file that the page offers; its address."""
        message = BackMsg()
        operation = message.backend_operation_request
        operation.request_id, operation.session_id = str(uuid.uuid4()), self.session
        operation.deferred_file.file_id = next(iter(self._files.values()))
        self._response = asyncio.get_running_loop().create_future()
        await self._send(message)
        response = await self._response
        if response.error_msg:
            raise LostConnection(response.error_msg)
        return response.deferred_file.url

    async def fetch(self, path: str) -> bytes:
        """The content of a file at an address."""
        answer = await asyncio.to_thread(request, self.url, path)
        if answer.status != 200:
            raise LostConnection(f"a download was answered with {answer.status}")
        return answer.body

    async def _request(self, state: ClientState) -> RunResult:
        if not state.fragment_id:  # the rest of the page stays otherwise
            self._elements, self._files = {}, {}
        return await super()._request(state)

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "delta" and message.delta.WhichOneof("type") != "new_transient":
            self._elements[tuple(message.metadata.delta_path)] = str(message.delta)
            button = message.delta.new_element.download_button
            if button.deferred_file_id:
                self._files[button.label] = button.deferred_file_id
        elif kind == "backend_operation_response" and self._response is not None:
            self._response.set_result(message.backend_operation_response)
        super()._take(message)
