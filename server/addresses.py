"""The addresses that this server has, and no others.

For any address that it does not know, Streamlit sends its page with status 200.
"""

from collections.abc import Collection, Mapping

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server import streamlit_internals
from server.http_errors import refuse

SOCKET = "/_stcore/stream"
SERVED = ("/_stcore/health", "/_stcore/host-config", "/_stcore/metrics")  # of Streamlit's own, what somebody needs
# Below these the names are made while the server runs; nobody reads an upload by its address.
WITH_NAMES = {"/media/": ("GET", "HEAD", "OPTIONS"), "/_stcore/upload_file/": ("PUT", "DELETE", "OPTIONS")}
SENTENCE = "There is no such page here."


class KnownAddresses:
    """Answer 404 to every address that is none of this app's, and lead old addresses of pages to the new ones.

    Args:
        pages: the names of the pages as their addresses have them; the first page is the bare address.
        beside: paths of further routes.
        moved: the name that a page had -> the name that it has.
    """

    def __init__(
        self, app: ASGIApp, pages: Collection[str], beside: Collection[str] = (), moved: Mapping[str, str] | None = None
    ) -> None:
        self._app = app
        self._moved = {f"/{old}": f"/{new}" for old, new in (moved or {}).items()}
        own = {f"/{page}{slash}" for page in pages for slash in ("", "/")}  # Streamlit leads the second to the first
        # Streamlit's scripts, styles, fonts and pictures
        folder = streamlit_internals.files()
        files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".html")
        names = (f"/{path.relative_to(folder).as_posix()}" for path in files)
        self._known = frozenset({"/", *own, *beside, *SERVED, *names})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path, method = scope["path"], scope["method"]
            if (place := self._moved.get(path.rstrip("/"))) and method in ("GET", "HEAD"):
                query = scope["query_string"].decode("latin-1")
                return await RedirectResponse(f"{place}?{query}" if query else place, 308)(scope, receive, send)
            known = path in self._known or any(
                path.startswith(above) and method in methods for above, methods in WITH_NAMES.items()
            )
        else:
            known = scope["type"] != "websocket" or scope["path"] == SOCKET
        if not known:
            return await refuse(scope, receive, send, 404, SENTENCE)
        await self._app(scope, receive, send)
