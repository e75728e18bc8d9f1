"""Who may use this server: what calls it by its own name and, from a browser, only this site's own pages.

Streamlit looks at `server.allowedHosts` when a socket opens and nowhere else, so that a foreign name which is made to
point here could still be used to read pages, pictures and metrics. It would look at the origin of a socket too. But
before it refuses one, it asks a service in the internet for the address of this machine, while everybody waits.
"""

from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from server.http_errors import refuse
from server.streamlit_internals import is_host_allowed

NO_NAME = "This server does not go by that name: open the site by the address that its operator gave you."
NO_ORIGIN = "Pages of other sites may not use this server."


class OwnSite:
    """Refuse what calls the server by a name that is not in `server.allowedHosts`, by none, or by two.

    And whatever a page of another origin asks for. A page's own origin is the name by which the server is called, port
    included: a reverse proxy must pass on the Host header as it came. What is no browser sends no origin and may ask.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            names, origins = headers.getlist("host"), headers.getlist("origin")
            if len(names) != 1 or not is_host_allowed(names[0]):
                return await refuse(scope, receive, send, 421, NO_NAME)
            if origins and not (len(origins) == 1 and is_own(origins[0], names[0])):
                return await refuse(scope, receive, send, 403, NO_ORIGIN)
        await self._app(scope, receive, send)


def is_own(origin: str, host: str | None) -> bool:
    """Whether `origin` is `http://host` or `https://host`, letter by letter, as Streamlit compares them too."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return bool(host) and found.scheme in ("http", "https") and origin == f"{found.scheme}://{host}"
