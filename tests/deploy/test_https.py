"""The proxy with a certificate redirects browsers to HTTPS and sets secure cookies."""

from __future__ import annotations

import http.client
import ssl
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import PATIENCE, open_page
from tests.browser.policy import Watch
from tests.browser.test_journey import type_sentence
from tests.deploy.proxy import Proxy
from tests.deploy.replicas import Site
from tests.deploy.visitor import request
from tests.processes import free_port

pytestmark = pytest.mark.deploy


@pytest.fixture(scope="module")
def secure(site: Site, tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("https")
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost"]
        + ["-keyout", str(key), "-out", str(certificate)],
        check=True,
        capture_output=True,
    )
    port = str(free_port())
    with Proxy(
        folder / "proxy",
        REPLICAS=site.names,
        TLS_CERTIFICATE=str(certificate),
        TLS_KEY=str(key),
        TLS_LISTEN=f"127.0.0.1:{port}",
        PUBLIC_PORT=port,
    ) as proxy:
        yield proxy, int(port)


def ask(port: int, path: str, **headers: str) -> http.client.HTTPResponse:
    unverified = ssl.create_default_context()
    unverified.check_hostname, unverified.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=60, context=unverified)
    connection.request("GET", path, headers={"Host": f"localhost:{port}"} | headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def test_plain_http_redirects_to_https_with_the_same_address(secure):
    proxy, port = secure
    answer = request(proxy.url, "/attention?text=A+cat.")
    assert answer.status == 308
    assert answer.headers["location"] == f"https://localhost:{port}/attention?text=A+cat."
    assert answer.headers["content-security-policy"]


def test_https_answers_have_secure_cookies_and_strict_transport_security(secure):
    _, port = secure
    for path in ("/", "/_stcore/health"):
        answer = ask(port, path)
        assert answer.status == 200
        assert answer.getheader("strict-transport-security") == "max-age=31536000"
        cookies = answer.headers.get_all("set-cookie")
        assert any(cookie.startswith("atlas_replica=") for cookie in cookies)
        assert all("secure" in cookie.lower() for cookie in cookies), cookies


def test_the_socket_opens_from_an_https_page_and_no_other(secure):
    _, port = secure
    upgrade = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert ask(port, "/_stcore/stream", Origin=f"https://localhost:{port}", **upgrade).status == 101
    assert ask(port, "/_stcore/stream", Origin="https://elsewhere.example", **upgrade).status == 403


def test_a_browser_works_over_https(secure, browser: Browser, watch: Watch):
    _, port = secure
    context = browser.new_context(ignore_https_errors=True)
    watch.attach(context, f"localhost:{port}")
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    open_page(page, f"https://localhost:{port}/")
    type_sentence(page, "I want to buy a car.")
    protocols = page.evaluate("performance.getEntriesByType('resource').map((entry) => entry.nextHopProtocol)")
    assert "h2" in protocols
    context.close()
    assert watch.is_clean(), watch
