"""The app below a path of a site: paths inside and outside of it, redirects and the page of an error."""

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from server import addresses, base_path, http_errors
from server.base_path import InsertBasePath, RemoveBasePath
from tests.coroutines import run_in_thread

BASE = "/class/atlas"
SEEN: list[str] = []


class Recording:
    def __init__(self, app) -> None:
        self._app = app

    async def __call__(self, scope, receive, send) -> None:
        if scope["type"] == "http":
            SEEN.append(scope["path"])
        await self._app(scope, receive, send)


async def echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(request.url.path)


@pytest.fixture
def client(monkeypatch):
    for module in (addresses, http_errors):
        monkeypatch.setattr(module, "base_path", lambda: BASE)
    streamlit = [Route(f"{BASE}{path}", echo) for path in ("/", "/attention", "/static/x.js", "/_stcore/health")]
    own = [Route(path, echo) for path in ("/healthz", "/viewer/{file}")]
    app = Starlette(
        routes=[*streamlit, *own],
        middleware=[
            Middleware(RemoveBasePath, root_paths=["/healthz"], base=BASE),
            Middleware(Recording),
            Middleware(
                addresses.KnownAddresses,
                pages=["attention"],
                extra_paths=["/healthz", "/static/x.js"],
                moved={"relevance": "attribution"},
            ),
            Middleware(InsertBasePath, own_paths=["/healthz", "/viewer/"]),
        ],
    )
    SEEN.clear()
    return TestClient(app, follow_redirects=False)


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("/", "/"),
        ("/attention", "/attention"),
        ("/static/x.js", "/static/x.js"),
        ("/_stcore/health", "/_stcore/health"),
    ],
)
def test_the_app_sees_paths_from_the_root_and_streamlit_whole_ones(client, path: str, inside: str):
    answer = client.get(BASE + path)
    assert (answer.status_code, answer.text, SEEN) == (200, BASE + path, [inside])


@pytest.mark.parametrize("path", ["/healthz", f"{BASE}/healthz", f"{BASE}/viewer/a.js"])
def test_own_routes_answer_below_the_path_and_health_at_the_root_too(client, path: str):
    assert client.get(path).status_code == 200


@pytest.mark.parametrize(
    "path", ["/", "/attention", "/tools", f"{BASE}x", f"{BASE}/nothing", "/viewer/a.js", "/static/x.js"]
)
def test_other_paths_are_no_pages_and_the_page_of_the_error_leads_to_the_start(client, path: str):
    answer = client.get(path, headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert f'href="{BASE}/"' in answer.text


def test_the_bare_path_and_former_pages_lead_below_the_path_with_their_query(client):
    assert client.get(f"{BASE}?text=a%20b").headers["location"] == f"{BASE}/?text=a%20b"
    assert client.get(BASE).headers["location"] == f"{BASE}/"
    moved = client.get(f"{BASE}/relevance?text=a")
    assert (moved.status_code, moved.headers["location"]) == (308, f"{BASE}/attribution?text=a")


@pytest.mark.parametrize(("setting", "path"), [("", ""), ("/", ""), ("a/b", "/a/b"), ("/a/b/", "/a/b"), (None, "")])
def test_the_setting_is_read_with_and_without_slashes(monkeypatch, setting, path: str):
    monkeypatch.setattr(base_path.st, "get_option", lambda name: {"server.baseUrlPath": setting}[name])
    assert base_path.base_path() == path


def test_at_the_root_nothing_is_changed():
    scope, seen = {"type": "http", "method": "GET", "path": "/attention"}, []

    async def app(scope, receive, send) -> None:
        seen.append(scope)

    run_in_thread(RemoveBasePath(InsertBasePath(app), base="")(scope, None, None))
    assert seen == [scope]
