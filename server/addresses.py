"""Refuse requests for other hosts, from other origins, and for addresses that the app does not have."""

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server import streamlit_internals
from server.base_path import base_path
from server.http_errors import Refusal, refuse
from server.streamlit_internals import is_host_allowed

# Answer 404 to unknown addresses; Streamlit would send its page with status 200.

SOCKET = "/_stcore/stream"
# Streamlit's own routes that are used.
STREAMLIT_PATHS = (
    "/_stcore/health",
    "/_stcore/host-config",
    "/_stcore/metrics",
)
# Prefixes of paths that are created while the server runs, or that another version has, and their methods. Uploads
# cannot be read by address.
DYNAMIC_PATHS = {
    "/media/": ("GET", "HEAD", "OPTIONS"),
    "/viewer/": ("GET", "HEAD"),
    "/_stcore/upload_file/": ("PUT", "DELETE", "OPTIONS"),
}
NOT_FOUND = Refusal("There is no such page here.")


class KnownAddresses:
    """Answer 404 to every address that is not part of this app, and redirect old addresses of pages.

    Args:
        pages: the names of the pages in their addresses; the first page is the bare address.
        extra_paths: paths of further routes.
        moved: old name of a page -> new name.
    """

    def __init__(
        self,
        app: ASGIApp,
        pages: Collection[str],
        extra_paths: Collection[str] = (),
        moved: Mapping[str, str] | None = None,
    ) -> None:
        self._app = app
        self._moved = {f"/{old}": f"/{new}" for old, new in (moved or {}).items()}
        page_paths = {f"/{page}{slash}" for page in pages for slash in ("", "/")}  # Streamlit redirects the second
        folder = streamlit_internals.static_folder()
        files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".html")
        names = (f"/{path.relative_to(folder).as_posix()}" for path in files)
        self._known = frozenset({"/", *page_paths, *extra_paths, *STREAMLIT_PATHS, *names})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path, method = scope["path"], scope["method"]
            if (target := self._moved.get(path.rstrip("/"))) and method in ("GET", "HEAD"):
                query = scope["query_string"].decode("latin-1")
                target = f"{base_path()}{target}"
                return await RedirectResponse(f"{target}?{query}" if query else target, 308)(scope, receive, send)
            known = path in self._known or any(
                path.startswith(prefix) and method in methods for prefix, methods in DYNAMIC_PATHS.items()
            )
        else:
            known = scope["type"] != "websocket" or scope["path"] == SOCKET
        if not known:
            return await refuse(scope, receive, send, 404, NOT_FOUND, link_home=True)
        await self._app(scope, receive, send)


# Check the Host and Origin headers.
#
# Streamlit checks `server.allowedHosts` only when a socket opens, so a foreign name that resolves to this server (DNS
# rebinding) could be used to read pages, pictures and metrics. It checks the origin of a socket too, but before it
# refuses one, it asks a service on the internet for the address of this machine, and blocks all visitors meanwhile.

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
