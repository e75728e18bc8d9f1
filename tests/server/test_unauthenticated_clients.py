"""A running server allows an unauthenticated client only what deploy/README.md states."""

from __future__ import annotations

import asyncio
import re
import uuid
from collections.abc import Awaitable, Callable, Iterator

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from server.uploads import MAX_FILES_PER_SESSION
from tests.browser.app_server import AppServer
from tests.coroutines import run_in_thread
from tests.deploy.visitor import Response, request
from tests.fuzz.visitor import RecordingVisitor

TOKEN = "2|00000000|6d346b|1"  # any client can make one: it protects from other sites only
SILENCE = 0.5  # seconds after which no answer is expected
KILOBYTES = 100  # of an upload


@pytest.fixture(scope="module")
def server() -> Iterator[AppServer]:
    with AppServer() as server:
        yield server


def visit(server: AppServer, act: Callable[[RecordingVisitor], Awaitable[None]]) -> None:
    """Open the app, `act`, and disconnect."""

    async def run() -> None:
        visitor = RecordingVisitor(server.url)
        await visitor.open()
        await act(visitor)
        await visitor.close()

    run_in_thread(run())


async def put(server: AppServer, session: str, file: str, method: str = "PUT", token: str = TOKEN) -> Response:
    """Send a file to any upload address, or use another method there."""
    head = b'--b\r\nContent-Disposition: form-data; name="a"; filename="a"\r\n\r\n'
    headers = {"Cookie": f"_streamlit_xsrf={token}", "X_Xsrftoken": token} if token else {}
    headers["Content_Type"] = "multipart/form-data; boundary=b"
    body = head + b"." * KILOBYTES * 1000 + b"\r\n--b--\r\n"
    return await asyncio.to_thread(
        request, server.url, f"/_stcore/upload_file/{session}/{file}", method, body, **headers
    )


def stored_bytes(server: AppServer) -> int:
    """Bytes of uploads that the server stores; to be called once, since it counts them only every five seconds."""
    text = request(server.url, "/_stcore/metrics?families=cache_memory_bytes").body.decode()
    match = re.search(r'UploadedFileManager"[^}]*} (\d+)', text)
    return int(match[1]) if match else 0


def test_uploads_go_to_the_client_s_own_session_and_are_limited(server: AppServer):
    async def act(visitor: RecordingVisitor) -> None:
        assert (await put(server, str(uuid.uuid4()), "a")).status == 400
        assert (await put(server, visitor.session, "a", token="")).status == 403
        for number in range(5 * MAX_FILES_PER_SESSION):
            assert (await put(server, visitor.session, str(number))).status == 204
        assert stored_bytes(server) == MAX_FILES_PER_SESSION * KILOBYTES * 1000

    visit(server, act)


def test_uploads_cannot_be_read_or_removed_by_guessing_addresses(server: AppServer):
    async def act(visitor: RecordingVisitor) -> None:
        assert (await put(server, visitor.session, "a")).status == 204
        for session, file in ((str(uuid.uuid4()), "a"), (visitor.session, str(uuid.uuid4()))):
            await put(server, session, file, "DELETE")
        answer = await put(server, visitor.session, "a", "GET")
        assert b"." * KILOBYTES not in answer.body

    visit(server, act)


def test_a_download_stays_available_during_runs_of_other_visitors(server: AppServer):
    async def act(visitor: RecordingVisitor) -> None:
        path = await visitor.request_file()
        other = RecordingVisitor(server.url)
        await other.open()
        for page in ("tokens", ""):
            await other.go_to(page)
        await other.close()
        assert (await visitor.fetch(path)).startswith(b"\xef\xbb\xbf")  # a table, as all of them begin

    visit(server, act)


async def answers(socket: ClientConnection, message: BackMsg) -> list[str]:
    """The kinds of messages with which the server answers a message."""
    await socket.send(message.SerializeToString())
    kinds = []
    while True:
        try:
            data = await asyncio.wait_for(socket.recv(), SILENCE)
        except TimeoutError:
            return kinds
        kinds.append(ForwardMsg.FromString(data).WhichOneof("type"))


def operation(session: str, payload: str) -> BackMsg:
    message = BackMsg()
    message.backend_operation_request.session_id = session
    getattr(message.backend_operation_request, payload).SetInParent()
    return message


def test_dropped_messages_are_not_answered_and_the_server_stays_ready(server: AppServer):
    dropped = [
        BackMsg(clear_cache=True),
        BackMsg(load_git_info=True),
        BackMsg(set_run_on_save=True),
        BackMsg(debug_shutdown_runtime=True),
        BackMsg(debug_disconnect_websocket=True),
    ]

    async def act(visitor: RecordingVisitor) -> None:
        # on a second socket with the user's session id, since the user's own would receive the answers
        for message in (*dropped, operation(visitor.session, "install_skills")):
            async with connect(server.url.replace("http", "ws", 1) + "/_stcore/stream", compression=None) as socket:
                assert await answers(socket, message) == []
        assert (await visitor.read("We have two cars.")).problems == []

    visit(server, act)
    assert request(server.url, "/healthz").status == 200


def test_an_unknown_session_in_the_handshake_starts_a_new_one(server: AppServer):
    async def act(visitor: RecordingVisitor) -> None:
        protocols = ["streamlit", "token", str(uuid.uuid4())]
        address = server.url.replace("http", "ws", 1) + "/_stcore/stream"
        async with connect(address, subprotocols=protocols, compression=None) as socket:
            rerun = BackMsg()
            rerun.rerun_script.SetInParent()
            await socket.send(rerun.SerializeToString())
            first = ForwardMsg.FromString(await socket.recv())
        assert first.new_session.initialize.session_id not in ("", visitor.session, protocols[2])

    visit(server, act)
