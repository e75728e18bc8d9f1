"""The recipe of deploy/ for an app below a path of a host: pages, scripts, socket, upload, files, a rolling restart."""

from __future__ import annotations

import http.client
import io
import json
import zipfile
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PATIENCE, open_page, ready
from tests.browser.policy import Watch
from tests.browser.test_vision import upload_picture
from tests.deploy.replicas import Site
from tests.deploy.visitor import request

pytestmark = pytest.mark.deploy

BASE = "/class/atlas"


@pytest.fixture(scope="module")
def below(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Two replicas and a proxy that serve below a path."""
    folder = tmp_path_factory.mktemp("below")
    with Site(folder, 2, STREAMLIT_SERVER_BASE_URL_PATH=BASE, BASE_PATH=BASE) as site:
        yield site


@pytest.fixture
def visitor(browser: Browser, below: Site) -> Iterator[Page]:
    """A new visitor; the test fails if a request left the path, failed, or was refused by the policy."""
    context, watch, requested = browser.new_context(accept_downloads=True), Watch(), []
    watch.attach(context, urlsplit(below.url).netloc)
    context.on("request", lambda sent: requested.append(sent.url))
    page = context.new_page()
    page.on("websocket", lambda socket: requested.append(socket.url))
    page.set_default_timeout(PATIENCE)
    yield page
    context.close()
    assert watch.is_clean(), watch
    paths = {urlsplit(url).path for url in requested if url.startswith(("http", "ws"))}
    assert f"{BASE}/_stcore/stream" in paths
    assert [path for path in sorted(paths - {BASE}) if not path.startswith(f"{BASE}/")] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        (f"{BASE}/", 200),
        (f"{BASE}/attention", 200),
        (f"{BASE}/healthz", 200),
        (f"{BASE}/_stcore/health", 200),
        (f"{BASE}/nothing", 404),
        (f"{BASE}/metrics", 404),
        (f"{BASE}/_stcore/metrics", 404),
        (f"{BASE}/static/../_stcore/metrics", 404),
        ("/", 404),
        ("/attention", 404),
        ("/healthz", 404),
        ("/metrics", 404),
        ("/_stcore/metrics", 404),
        ("/static/js/none.js", 404),
        (f"{BASE}x/", 404),
        ("/class/", 404),
    ],
)
def test_only_the_path_is_served(below: Site, path: str, status: int):
    answer = request(below.url, path)
    assert (answer.status, b"active_sessions" in answer.body) == (status, False)
    assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_the_bare_path_leads_to_the_start_page_on_the_port_of_the_browser(below: Site):
    for host in (urlsplit(below.url).netloc, "localhost"):  # the second one as behind a published port 80
        answer = request(below.url, f"{BASE}?text=a%20b", Host=host)
        assert (answer.status, answer.headers["location"]) == (308, f"{BASE}/?text=a%20b")


def test_a_sentence_is_typed_and_its_views_saved_with_a_link_that_opens_them(below: Site, visitor: Page):
    open_page(visitor, f"{below.url}{BASE}?text=I+want+to+buy+a+house.")
    expect(visitor.locator(".aa-text").first).to_have_text("Je veux acheter une maison.")
    visitor.get_by_role("link", name="Attention", exact=True).first.click()
    visitor.wait_for_url(f"**{BASE}/attention?text=I+want+to+buy+a+house.**")
    ready(visitor)
    expect(visitor.locator(".grid-root canvas").first).to_be_visible()  # a component with its script
    visitor.get_by_text("Save this view").click()
    with visitor.expect_download() as download:
        visitor.get_by_role("button", name="Everything as ZIP").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        link = json.loads(archive.read("settings.json"))["link"]
    assert link.startswith(f"{BASE}/attention?")
    open_page(visitor, f"{below.url}{link}")
    expect(visitor.locator("[data-testid=stMain] h1")).to_have_text("Attention")
    expect(visitor.get_by_label("English sentence")).to_have_value("I want to buy a house.")


def test_a_picture_is_uploaded_and_answered(below: Site, visitor: Page):
    open_page(visitor, f"{below.url}{BASE}/vision")
    before = visitor.locator(".aa-answer").inner_text()
    upload_picture(visitor)
    expect(visitor.locator(".aa-answer")).not_to_have_text(before, use_inner_text=True)
    sent = [line["kind"] for line in below.proxy.requests()]
    assert {"page", "socket", "static", "upload", "media"} <= set(sent)  # the log tells them apart below a path too


def test_scripts_are_cached_and_compressed(below: Site):
    body = request(below.url, f"{BASE}/").body.decode()
    name = body.partition('src="./static/js/')[2].partition('"')[0]
    packed = request(below.url, f"{BASE}/static/js/{name}", Accept_Encoding="gzip")
    assert (packed.status, packed.headers["content-encoding"]) == (200, "gzip")


def test_a_rolling_restart_sees_that_replicas_are_empty(below: Site):
    old = [replica.pid for replica in below.replicas]
    rolled = below.roll(drain_seconds=60, BASE_PATH=BASE)
    assert rolled.returncode == 0, rolled.stderr
    assert "visitors are left" not in rolled.stdout
    assert all(replica.pid != pid for replica, pid in zip(below.replicas, old, strict=True))


def test_another_host_and_another_origin_are_refused_below_the_path(below: Site):
    assert request(below.url, f"{BASE}/", Host="elsewhere.example").status == 421
    assert request(below.url, f"{BASE}/", Origin="http://elsewhere.example").status == 403
    assert http.client.responses[request(below.url, f"{BASE}/", method="POST").status] == "Method Not Allowed"
