"""A visitor without a browser: a WebSocket client for Streamlit's protocol.

The messages are the protocol buffers of the installed Streamlit. A visitor knows a control by its label, as a person
does, and learns its id from the page that the server sends.
"""

from __future__ import annotations

import asyncio
import html
import http.client
import json
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Common_pb2 import FileURLs
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

CONTROLS = ("text_input", "selectbox", "file_uploader")
DONE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
XSRF = "_streamlit_xsrf"  # the cookie with the token
ANSWER = re.compile(r'data-answer="([^"]*)"')  # see views/components/component.py
WAITING = "before you"  # in the notice of a waiting visitor, see views/text/waiting.py


class LostConnection(Exception):
    """The server closed the connection, or a new one did not restore the session."""


@dataclass(frozen=True)
class Control:
    """A control of the page: its id, and the fragment that runs when it is used ("" for the whole page)."""

    id: str
    fragment: str


@dataclass
class RunResult:
    """The result of one request.

    Attributes:
        waited: whether a waiting notice was shown.
        problems: exceptions and warnings on the page.
        bytes: of all messages.
    """

    waited: bool = False
    problems: list[str] = field(default_factory=list)
    bytes: int = 0


class Client:
    """One visitor's connection. Call `open` first; one request at a time.

    Attributes:
        controls: of the page, by their labels; components by their names.
        answer: to the last request of a component that has such an answer.
    """

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._host, self._port = parts.hostname or "localhost", parts.port or 80
        self.session = ""
        self.pages: dict[str, str] = {}  # address of a page -> its hash in the protocol
        self.page = ""
        self.controls: dict[str, Control] = {}
        self.answer: dict[str, object] = {}
        self.query = ""  # the address, as the server last wrote it
        self._cookies: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}
        self._answer = RunResult()
        self._done: asyncio.Future | None = None
        self._urls: asyncio.Future | None = None
        self._socket: ClientConnection | None = None
        self._reader: asyncio.Task | None = None

    async def open(self) -> RunResult:
        """Connect, and wait for the first page."""
        await self._connect()
        return await self._request(ClientState())

    async def go_to(self, page: str) -> RunResult:
        """Change to the page with this address; settings of other pages are dropped."""
        self.page, self.query, self.controls, self._states = page, "", {}, {}
        return await self._request(self._state())

    async def type(self, label: str, text: str) -> RunResult:
        """Type `text` into an input and press Enter."""
        control = self.controls[label]
        self._states[control.id] = WidgetState(id=control.id, string_value=text)
        return await self._request(self._state(control.fragment))

    async def send_values(self, component: str, **answer: object) -> RunResult:
        """Send the values of a component, by its name, in the format of Streamlit's page."""
        control = self.controls[component]
        state = self._state(control.fragment)
        widget = state.widget_states.widgets.add()
        widget.id = f"$$STREAMLIT_INTERNAL_KEY_{control.id}__events"
        widget.json_trigger_value = json.dumps([{"event": event, "value": value} for event, value in answer.items()])
        return await self._request(state)

    async def upload(self, label: str, name: str, content: bytes) -> RunResult:
        """Upload a file as the browser does: request an address, put the file there, report it."""
        control = self.controls[label]
        message = BackMsg()
        message.file_urls_request.request_id = str(uuid.uuid4())
        message.file_urls_request.file_names.append(name)
        message.file_urls_request.session_id = self.session
        self._urls = asyncio.get_running_loop().create_future()
        await self._send(message)
        urls: FileURLs = await self._urls
        await asyncio.to_thread(self._put, urls.upload_url, name, content)
        state = WidgetState(id=control.id)
        info = state.file_uploader_state_value.uploaded_file_info.add()
        info.file_id, info.name, info.size = urls.file_id, name, len(content)
        info.file_urls.CopyFrom(urls)
        self._states[control.id] = state
        answer = await self._request(self._state(control.fragment))
        self._states.pop(control.id, None)
        return answer

    async def close(self) -> None:
        """Disconnect, as by closing the tab."""
        if self._socket is not None:
            await self._socket.close()
        if self._reader is not None:
            await self._reader

    async def _connect(self) -> None:
        address = f"ws://{self._host}:{self._port}/_stcore/stream"
        # A browser sends no pings either; the server does, and the library answers them.
        self._socket = await connect(
            address, subprotocols=["streamlit"], compression=None, max_size=None, ping_interval=None, open_timeout=120
        )
        self._store_cookies(self._socket.response.headers.get_all("Set-Cookie"))
        self._reader = asyncio.create_task(self._read())

    def _state(self, fragment: str = "") -> ClientState:
        state = ClientState(query_string=self.query, fragment_id=fragment)
        state.page_script_hash = self.pages.get(self.page, "")
        state.widget_states.widgets.extend(self._states.values())
        return state

    async def _request(self, state: ClientState) -> RunResult:
        state.context_info.color_scheme = "light"
        state.context_info.url = f"http://{self._host}:{self._port}/{self.page}"
        message = BackMsg()
        message.rerun_script.CopyFrom(state)
        self._answer = RunResult()
        self._done = asyncio.get_running_loop().create_future()
        await self._send(message)
        await self._done
        return self._answer

    async def _send(self, message: BackMsg) -> None:
        try:
            await self._socket.send(message.SerializeToString())
        except ConnectionClosed as error:
            raise LostConnection(str(error)) from error

    async def _read(self) -> None:
        reason = "closed"
        try:
            async for data in self._socket:
                self._answer.bytes += len(data)
                self._take(ForwardMsg.FromString(data))
        except ConnectionClosed as error:
            reason = str(error)
        for waiting in (self._done, self._urls):
            if waiting is not None and not waiting.done():
                waiting.set_exception(LostConnection(reason))

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "delta":
            self._take_delta(message.delta)
        elif kind == "script_finished":
            if message.script_finished in DONE and self._done is not None and not self._done.done():
                self._done.set_result(None)
        elif kind == "new_session":
            self.session = message.new_session.initialize.session_id or self.session
        elif kind == "navigation":
            self.pages = {page.url_pathname: page.page_script_hash for page in message.navigation.app_pages}
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "file_urls_response":
            self._urls.set_result(message.file_urls_response.file_urls[0])

    def _take_delta(self, delta) -> None:
        change = delta.WhichOneof("type")
        if change == "new_transient":
            is_queued = any(WAITING in element.spinner.text for element in delta.new_transient.elements)
            self._answer.waited = self._answer.waited or is_queued
        if change != "new_element":
            return
        kind = delta.new_element.WhichOneof("type")
        if kind in CONTROLS:
            control = getattr(delta.new_element, kind)
            self.controls[control.label] = Control(control.id, delta.fragment_id)
        elif kind == "bidi_component":
            component = delta.new_element.bidi_component
            self.controls[component.component_name] = Control(component.id, delta.fragment_id)
        elif kind == "html":
            if mark := ANSWER.search(delta.new_element.html.body):
                self.answer = json.loads(html.unescape(mark[1]))
        elif kind == "exception":
            self._answer.problems.append(delta.new_element.exception.type or "exception")
        elif kind == "alert" and delta.new_element.alert.format in (Alert.ERROR, Alert.WARNING):
            self._answer.problems.append(delta.new_element.alert.body)

    def _store_cookies(self, cookies: Sequence[str]) -> None:
        """Store cookies as a response sets them: by one of them a proxy recognizes the session's replica."""
        self._cookies |= dict(cookie.split(";")[0].split("=", 1) for cookie in cookies)

    def _put(self, path: str, name: str, content: bytes) -> None:
        """Send a file with the token that the server sends to its pages."""
        connection = http.client.HTTPConnection(self._host, self._port, timeout=120)
        written = lambda: "; ".join(f"{name}={value}" for name, value in self._cookies.items())  # noqa: E731
        try:
            connection.request("GET", "/_stcore/health", headers={"Cookie": written()})
            answer = connection.getresponse()
            answer.read()
            self._store_cookies(answer.headers.get_all("Set-Cookie") or ())
            border = uuid.uuid4().hex
            head = f'--{border}\r\nContent-Disposition: form-data; name="{name}"; filename="{name}"\r\n'
            body = f"{head}Content-Type: image/jpeg\r\n\r\n".encode() + content + f"\r\n--{border}--\r\n".encode()
            headers = {
                "Content-Type": f"multipart/form-data; boundary={border}",
                "Cookie": written(),
                "X-Xsrftoken": self._cookies.get(XSRF, ""),
            }
            connection.request("PUT", path, body, headers)
            answer = connection.getresponse()
            answer.read()
            if answer.status >= 300:
                raise LostConnection(f"an upload was answered with {answer.status}")
        finally:
            connection.close()
