"""A server in its own process: uvicorn as Streamlit starts it, the app's whole middleware, and a tiny app behind it.

It starts in two seconds and takes little memory, so an attack's share of both can be measured. `python -m
tests.server.small_app PORT plain` serves the same without the limits of connections, and `quick` in place of `plain`
with times of a second or two in place of tens.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from typing import BinaryIO
from urllib.parse import parse_qs

import uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_server import _get_uvicorn_config_kwargs

from server import logs, memory_budget
from server.addresses import SOCKET
from server.connections import ConnectionLimits, LimitedHttpProtocol, LimitedWebSocketProtocol
from server.limits import HttpLimits, SocketLimits
from server.middleware import middleware_stack
from tests.processes import ServerProcess, answers_http, free_port, processor_seconds, resident_megabytes

STORED = bytes(20_000_000)  # a download that is in memory anyway


async def stream(socket: WebSocket) -> None:
    """Answer a message `count=5&size=1000` with so many messages of so many bytes, through a queue as Streamlit's."""
    await socket.accept()
    queue: asyncio.Queue[bytes] = asyncio.Queue(500)

    async def send() -> None:
        while True:
            await socket.send_bytes(await queue.get())

    sender = asyncio.create_task(send())
    try:
        while True:
            message = BackMsg.FromString(await socket.receive_bytes())
            values = parse_qs(message.rerun_script.query_string)
            for _ in range(int(values.get("count", ["1"])[0])):
                answer = ForwardMsg()
                answer.delta.new_element.text.body = "a" * int(values.get("size", ["1"])[0])
                queue.put_nowait(answer.SerializeToString())
                await asyncio.sleep(0)  # as a run, which sends from its own thread
                if sender.done():
                    return
    except (WebSocketDisconnect, asyncio.QueueFull):
        pass
    finally:
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)


class Upload:
    """Read a body to its end, as an upload, and answer with its size."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            size, more = size + len(message.get("body", b"")), message.get("more_body", False)
        await PlainTextResponse(str(size))(scope, receive, send)


def app(plain: bool) -> Starlette:
    """The tiny app behind the middleware."""
    routes = [
        Route("/healthz", lambda request: PlainTextResponse("ready")),
        Route("/stored", lambda request: PlainTextResponse(STORED)),
        Route("/_stcore/upload_file/{session}/{file}", Upload()),
        WebSocketRoute(SOCKET, stream),
        Route("/", lambda request: PlainTextResponse(str(len(request.url.query)))),
    ]
    middleware = middleware_stack("app.py", "1", ["attention"], ["/healthz", "/stored"], {})
    if plain:
        middleware = [each for each in middleware if each.cls is not ConnectionLimits]
    return Starlette(routes=routes, middleware=middleware)


class SmallServer(ServerProcess):
    """The tiny app in a process; use it with `with`.

    Attributes:
        address: host and port.
    """

    name, patience = "The small app", 60

    def __init__(self, *options: str) -> None:
        self._options = options

    def command(self) -> list[str]:
        self.address = ("localhost", free_port("localhost"))
        self.url = f"http://localhost:{self.address[1]}"
        return [sys.executable, "-m", "tests.server.small_app", str(self.address[1]), *self._options]

    def environment(self) -> dict[str, str]:
        return os.environ | {"STREAMLIT_LOGGER_ENABLE_RICH": "false"}

    def open_log(self) -> BinaryIO:
        return tempfile.TemporaryFile()

    def log(self) -> str:
        """The output so far."""
        self._output.seek(0)
        return self._output.read().decode(errors="replace")

    def answers(self) -> bool:
        return answers_http(f"{self.url}/healthz")

    def resident_megabytes(self) -> float:
        """Memory of the process."""
        return resident_megabytes(self._process.pid)

    def processor_seconds(self) -> float:
        """Processor time of the process so far."""
        return processor_seconds(self._process.pid)


def main() -> None:
    """Serve until the process is terminated."""
    logs.start()
    memory_budget.limit_malloc_arenas()
    settings = _get_uvicorn_config_kwargs()
    if "quick" in sys.argv:
        LimitedHttpProtocol.limits = HttpLimits(head_seconds=1.0, pause_seconds=1.0, body_seconds=4.0)
        LimitedWebSocketProtocol.limits = SocketLimits(stalled_seconds=2.0, closing_seconds=1.0)
        settings |= {"ws_ping_interval": 0.5, "ws_ping_timeout": 1.0, "timeout_keep_alive": 1}
    uvicorn.run(app(plain="plain" in sys.argv), host="localhost", port=int(sys.argv[1]), **settings)


if __name__ == "__main__":
    main()
