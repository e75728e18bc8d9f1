"""Security headers of every response. deploy/nginx passes them on, and sets its own for responses of nginx itself.

The Content-Security-Policy: everything comes from this site, nothing may frame it but the sites that the operator lists
(`server/headers.py`), no form leads away. It is loosened only where Streamlit 1.67 and Plotly cannot work otherwise;
tests/browser and tests/deploy measure it:

- script-src sha256-...: the one inline script of Streamlit's index.html (it sets window.prerenderReady);
- script-src blob: Streamlit imports each component's script, a string, through a blob;
- script-src wasm-unsafe-eval: a library in Streamlit (Long.js) tries a few bytes of WebAssembly at the start. It works
  without, but every page would log a violation, and one that matters would be overlooked;
- style-src unsafe-inline: style elements and attributes by Streamlit (Emotion, KaTeX), Plotly and this app's tables;
- font-src data: KaTeX' small fonts inside its style sheet;
- img-src data: and blob: thumbnails and icons drawn into the page, Plotly's pictures on their way to a PNG file;
- connect-src data: the camera's photo, which Streamlit fetches from a data address before it uploads it.

Not loosened: eval of JavaScript.
"""

import base64
import hashlib
import os
import re
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server import streamlit_internals
from server.http_errors import Refusal, refusal_language

POLICY = (
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval'{scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data:; manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
)
DENIED_FEATURES = (
    "accelerometer autoplay display-capture encrypted-media geolocation gyroscope idle-detection local-fonts "
    "magnetometer microphone midi payment picture-in-picture publickey-credentials-get screen-wake-lock serial usb "
    "xr-spatial-tracking"
)
ALLOWED_FEATURES = "camera clipboard-read clipboard-write fullscreen"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",  # for browsers that do not know frame-ancestors
    "Referrer-Policy": "no-referrer",  # the address holds the visitor's sentence
    "Permissions-Policy": ", ".join(
        [
            *(f"{feature}=(self)" for feature in ALLOWED_FEATURES.split()),
            *(f"{feature}=()" for feature in DENIED_FEATURES.split()),
        ]
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
SERVER_ERROR = Refusal("Something went wrong in this server: please reload the page.")
PRIVATE = ("/media/", "/_stcore/upload_file/")  # a visitor's own files: no browser and no proxy caches them


class SecurityHeaders:
    """Add the headers to every response.

    Args:
        sites: that may frame the app; those of the environment if None.

    Raises:
        ValueError: the environment lists something else than sites.
    """

    def __init__(self, app: ASGIApp, sites: Sequence[str] | None = None) -> None:
        self._app = app
        self._sites = embedding_sites() if sites is None else tuple(sites)
        page = (streamlit_internals.static_folder() / "index.html").read_text(encoding="utf-8")
        self._headers = HEADERS | {"Content-Security-Policy": policy(page, self._sites)}
        if self._sites:
            del self._headers["X-Frame-Options"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            return await self._app(scope, receive, send)
        headers = self._headers | ({"Cache-Control": "no-store"} if scope["path"].startswith(PRIVATE) else {})

        async def with_headers(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start", "websocket.accept"):
                message = {"headers": (), **message}
                changed = MutableHeaders(scope=message)
                changed.update(headers)
                if self._sites:
                    del changed["x-frame-options"]  # knows no list; a browser that knows frame-ancestors ignores it
                    cookies = changed.getlist("set-cookie")
                    del changed["set-cookie"]
                    for cookie in cookies:
                        changed.append("set-cookie", for_frames(cookie))
            await send(message)

        await self._app(scope, receive, with_headers)


async def server_error(request: Request, error: Exception) -> Response:
    """Answer an error of the server, with the headers: Starlette calls this outside of all middleware."""
    sentence = refusal_language(request.scope)[1](SERVER_ERROR.english)
    return PlainTextResponse(f"{sentence}\n", 500, headers=HEADERS | {"Content-Security-Policy": policy("")})


async def client_disconnected(request: Request, error: Exception) -> Response:
    """Answer a browser that disconnected while it was sending, so that it is not logged as an error."""
    return Response(status_code=499)  # by convention: the client closed the connection


EXCEPTION_HANDLERS = {Exception: server_error, ClientDisconnect: client_disconnected}


def policy(page: str, sites: Sequence[str] = ()) -> str:
    """The Content-Security-Policy of an HTML page, with the hashes of its inline scripts, for frames of these sites."""
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = "".join(f" 'sha256-{digest}'" for digest in digests)
    return POLICY.format(scripts=hashes, ancestors=frame_ancestors(sites))


# The sites that may show this app in a frame: none, unless the operator lists them.
#
# In a frame of another site a browser sends no cookie that is `SameSite=Lax`, and uploads need Streamlit's: they are
# answered with 403 without it. So with a list, cookies are `SameSite=None; Secure; Partitioned`: each embedding site
# has its own, and the app has to be served by HTTPS, or on this machine. That they travel with requests of other sites
# opens nothing: Streamlit compares the cookie with a header that only its own page can set, and `server/addresses.py`
# refuses other origins.

EMBED = "ATLAS_EMBED"  # environment: origins of sites, separated by spaces or commas

_LABEL = r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?"
_ORIGIN = re.compile(
    rf"https://{_LABEL}(?:\.{_LABEL})*(?::\d{{1,5}})?|http://(?:localhost|127\.0\.0\.1)(?::\d{{1,5}})?"
)
_SAME_SITE = re.compile(r";\s*(?:samesite=\w+|secure|partitioned)(?=;|$)", re.IGNORECASE)


def embedding_sites(setting: str | None = None) -> tuple[str, ...]:
    """The origins that a setting lists, by default that of the environment.

    Raises:
        ValueError: an item is not the origin of a site that is served by HTTPS; the message contains it.
    """
    listed = (os.environ.get(EMBED, "") if setting is None else setting).replace(",", " ").split()
    sites = tuple(dict.fromkeys(site.lower() for site in listed))
    for site in sites:
        port = site.rpartition(":")[2]
        if not _ORIGIN.fullmatch(site) or (port.isdigit() and not 0 < int(port) < 2**16):
            raise ValueError(
                f"{EMBED} contains {site!r}, which is not a site: write https:// and its name without a path, such as "
                "https://lms.example.edu, and spaces between several."
            )
    return sites


def frame_ancestors(sites: Sequence[str]) -> str:
    """The sources of the policy's `frame-ancestors`; with embedding sites the app may frame itself too."""
    return " ".join(("'self'", *sites)) if sites else "'none'"


def for_frames(cookie: str) -> str:
    """A Set-Cookie header whose cookie is sent in frames of other sites, for each of these another one."""
    return _SAME_SITE.sub("", cookie) + "; SameSite=None; Secure; Partitioned"
