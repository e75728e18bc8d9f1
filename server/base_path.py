"""Serve the app below a path of a site, such as /class/atlas, which is Streamlit's setting `server.baseUrlPath`.

All middleware of this app sees paths as if the app were at the root. The outermost removes the path, the innermost
inserts it again for Streamlit, whose routes contain it; the routes of this app do not. Those of `root_paths`, which the
operator's machines read, answer at the root too.
"""

from collections.abc import Collection

import streamlit as st
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

_ORIGINAL = "atlas.path"  # key of a request's scope: its whole path


def base_path() -> str:
    """The path below which the app is served: with a leading slash and without one at its end; "" for the root."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


class RemoveBasePath:
    """Let all that follows see paths below the root, and redirect the bare path to the start page.

    Args:
        root_paths: paths that answer at the root too.
        base: see `base_path`, which is the default.
    """

    def __init__(self, app: ASGIApp, root_paths: Collection[str] = (), base: str | None = None) -> None:
        self._app = app
        self._root_paths = frozenset(root_paths)
        self._base = base_path() if base is None else base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if not self._base or scope["type"] not in ("http", "websocket") or path in self._root_paths:
            return await self._app(scope, receive, send)
        if path == self._base and scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
            query = scope["query_string"].decode("latin-1")
            target = f"{self._base}/?{query}" if query else f"{self._base}/"
            return await RedirectResponse(target, 308)(scope, receive, send)
        below = path.removeprefix(self._base)
        # a path of another part of the site is none of this app
        inner = below if path != below and below.startswith("/") else "/ "
        await self._app({**scope, "path": inner, _ORIGINAL: path}, receive, send)


class InsertBasePath:
    """Let Streamlit's routes see the whole path again.

    Args:
        own_paths: paths of routes of this app, or where they begin.
    """

    def __init__(self, app: ASGIApp, own_paths: Collection[str] = ()) -> None:
        self._app = app
        self._own_paths = tuple(own_paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        original = scope.get(_ORIGINAL)
        if original is not None and not scope["path"].startswith(self._own_paths):
            scope = {**scope, "path": original}
        await self._app(scope, receive, send)
