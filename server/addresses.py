"""Answer 404 to unknown addresses; Streamlit would send its page with status 200."""

from collections.abc import Collection, Mapping

from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from server import streamlit_internals
from server.base_path import base_path
from server.http_errors import Refusal, refuse

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
