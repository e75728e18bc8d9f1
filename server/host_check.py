"""Check the Host and Origin headers.

Streamlit checks `server.allowedHosts` only when a socket opens, so a foreign name that resolves to this server (DNS
rebinding) could be used to read pages, pictures and metrics. It checks the origin of a socket too, but before it
refuses one, it asks a service on the internet for the address of this machine, and blocks all visitors meanwhile.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from server.http_errors import Refusal, refuse
from server.streamlit_internals import is_host_allowed

UNKNOWN_HOST = Refusal(
    "This server does not answer to that name: open the site at the address that its operator gave you."
)
FOREIGN_ORIGIN = Refusal("Pages of other sites may not use this server.")


class HostCheck:
    """Refuse requests whose Host is missing, repeated or not in `server.allowedHosts`, and those of another origin.

    The allowed origin is the Host header, port included, so a reverse proxy must pass it on unchanged. Clients that
    are not browsers send no origin and are accepted.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            hosts, origins = headers.getlist("host"), headers.getlist("origin")
            if len(hosts) != 1 or not is_host_allowed(hosts[0]):
                return await refuse(scope, receive, send, 421, UNKNOWN_HOST)
            if origins and not (len(origins) == 1 and is_same_origin(origins[0], hosts[0])):
                return await refuse(scope, receive, send, 403, FOREIGN_ORIGIN)
        await self._app(scope, receive, send)


def is_same_origin(origin: str, host: str | None) -> bool:
    """Whether `origin` is exactly `http://host` or `https://host`, as Streamlit compares them too."""
    try:
        scheme = urlsplit(origin).scheme
    except ValueError:
        return False
    return bool(host) and scheme in ("http", "https") and origin == f"{scheme}://{host}"
