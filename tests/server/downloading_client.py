"""A visitor of a running app, without a browser, who downloads files."""

from __future__ import annotations

import asyncio
import urllib.request
import uuid

from streamlit.proto.BackMsg_pb2 import BackMsg

from benchmarks.load_protocol import Client


class DownloadingClient(Client):
    """A visitor who also downloads."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.url = url
        self.files: dict[str, str] = {}  # label -> id of the file to be made
        self._operation: asyncio.Future | None = None

    def _take(self, message) -> None:
        if message.WhichOneof("type") == "backend_operation_response":
            self._operation.set_result(message.backend_operation_response)
        super()._take(message)

    def _take_delta(self, delta) -> None:
        if delta.WhichOneof("type") == "new_element" and delta.new_element.WhichOneof("type") == "download_button":
            button = delta.new_element.download_button
            self.files[button.label] = button.deferred_file_id
        super()._take_delta(delta)

    async def download(self, label: str) -> bytes:
        message = BackMsg()
        message.backend_operation_request.request_id = str(uuid.uuid4())
        message.backend_operation_request.session_id = self.session
        message.backend_operation_request.deferred_file.file_id = self.files[label]
        self._operation = asyncio.get_running_loop().create_future()
        await self._send(message)
        answer = await asyncio.wait_for(self._operation, 100)
        assert not answer.error_msg, answer.error_msg
        address = self.url + answer.deferred_file.url
        return await asyncio.to_thread(lambda: urllib.request.urlopen(address, timeout=60).read())
