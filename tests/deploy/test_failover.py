"""Failover under load: a replica is killed, and all are restarted one after the other."""

from __future__ import annotations

import http.client
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import open_page, ready
from tests.browser.menu import link_to
from tests.browser.test_journey import type_sentence
from tests.browser.uploads import upload, wait_for_picture
from tests.deploy.replicas import HEALTH, Replica, Site
from tests.deploy.visitor import PATIENCE as LONG
from tests.deploy.visitor import HttpVisitor
from tests.views.controls.odd_pictures import encoded, photo

pytestmark = pytest.mark.deploy

CROWD = 12  # four on each replica


@contextmanager
def crowd(site: Site) -> Iterator[list[HttpVisitor]]:
    """Visitors who type sentence after sentence, after each has received an answer."""
    visitors = [HttpVisitor(site.url) for _ in range(CROWD)]
    over = threading.Event()
    threads = [threading.Thread(target=visitor.keep_asking, args=(over,)) for visitor in visitors]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: all(visitor.answers or visitor.failure for visitor in visitors))
        yield visitors
    finally:
        over.set()
        for thread in threads:
            thread.join()


@contextmanager
def hammer(site: Site, path: str, results: list, keep_alive: bool = False) -> Iterator[None]:
    """Request `path` repeatedly; each status or error is added to `results`."""
    over = threading.Event()
    address = urllib.parse.urlsplit(site.url)

    def ask() -> None:
        connection = None
        while not over.is_set():
            try:
                connection = connection or http.client.HTTPConnection(address.hostname, address.port, timeout=60)
                connection.request("GET", path)
                answer = connection.getresponse()
                answer.read()
                results.append(answer.status)
                if not keep_alive or answer.will_close:
                    connection.close()
                    connection = None
            except (OSError, http.client.HTTPException) as error:
                results.append(repr(error))
                connection = None
            over.wait(0.01)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def wait_until(condition) -> None:
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_killed_replica_disconnects_only_its_own_visitors_and_they_go_on(site: Site):
    victim = site.replicas[1]
    statuses: list = []
    # the crowd first, since each request without a cookie advances the round robin of new visitors
    with crowd(site) as visitors, hammer(site, "/", statuses), hammer(site, HEALTH, statuses):
        homes = [visitor.replica for visitor in visitors]
        assert Counter(homes) == {replica.port: CROWD // 3 for replica in site.replicas}
        before = [len(visitor.answers) for visitor in visitors]
        victim.kill()
        wait_until(lambda: all(len(v.answers) > count + 1 for v, count in zip(visitors, before, strict=True)))
        after = [visitor.replica for visitor in visitors]
    assert [visitor.failure for visitor in visitors] == [""] * CROWD
    for home, later, visitor in zip(homes, after, visitors, strict=True):
        if home == victim.port:
            assert visitor.lost == 1
            assert later != victim.port
            assert visitor.answers[-1] == later
        else:
            assert visitor.lost == 0
            assert set(visitor.answers) == {home}
    assert {later for home, later in zip(homes, after, strict=True) if home == victim.port} == {
        replica.port for replica in site.replicas if replica is not victim
    }  # the others share its visitors
    assert set(statuses) == {200}
    site.revive(victim)
    assert {HttpVisitor(site.url).arrive() for _ in site.replicas} == {replica.port for replica in site.replicas}
    # A visitor who reconnects: the socket comes first and stays open; all requests must go to the same replica.
    loyal = HttpVisitor(site.url, victim.port)
    loyal.connect()
    assert [loyal.get("/").status for _ in range(4)] == [200] * 4
    assert loyal.replica == victim.port
    loyal.close()


def test_a_browser_reconnects_to_another_replica(site: Site, page: Page):
    """Typed text and an upload work after the replica was killed, and after it was restarted."""
    victim = site.replicas[0]
    visit(page, site, victim)
    open_page(page, f"{site.url}/vision")
    content = encoded(photo(90, 60, seed=3))
    upload(page, "mine.png", content, "image/png")
    wait_for_picture(page, "own")
    page.get_by_role("link", name="Explore", exact=True).click()
    type_sentence(page, "I want to buy a car.")
    assert home(page) == victim.port
    victim.kill()
    page.locator('[data-testid="stApp"][data-test-connection-state="CONNECTED"]').wait_for()
    wait_until(lambda: home(page) != victim.port)
    ready(page)
    type_sentence(page, "The house is red.")
    site.revive(victim)
    # The killed replica is back, but the session is on another: uploads and pictures must not go to the old one.
    page.get_by_role("link", name="Vision", exact=True).click()
    upload(page, "mine.png", content, "image/png")
    wait_for_picture(page, "own")
    assert home(page) != victim.port


def visit(page: Page, site: Site, replica: Replica) -> None:
    """Make the browser one of this replica's visitors."""
    page.context.add_cookies([{"name": "atlas_replica", "value": str(replica.port), "url": site.url}])


def home(page: Page) -> int:
    """Port of the replica in the browser's cookie."""
    return int(next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "atlas_replica"))


@pytest.mark.parametrize("place", range(3))
def test_uploads_and_media_work_on_each_replica(site: Site, page: Page, place: int):
    replica = site.replicas[place]
    visit(page, site, replica)
    media: list[tuple[str, int]] = []
    page.on("response", lambda answer: media.append((answer.url, answer.status)) if "/media/" in answer.url else None)
    before = len(site.proxy.requests())
    open_page(page, f"{site.url}/vision")
    upload(page, "mine.png", encoded(photo(90, 60, seed=place)), "image/png")
    wait_for_picture(page, "own")
    link_to(page, "Attention").click()
    expect(page.get_by_role("heading", name="Attention", exact=True)).to_be_visible()
    ready(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="All heads as NPZ", exact=True).click()
    assert download.value.path().read_bytes().startswith(b"PK")
    assert media, "no picture or file came by HTTP"
    assert {status for _, status in media} == {200}
    wait_until(lambda: {"upload", "media"} <= {line["kind"] for line in site.proxy.requests()[before:]})
    lines = [line for line in site.proxy.requests()[before:] if line["replica"]]
    assert {line["replica"] for line in lines} == {str(replica.port)}
    assert {line["status"] for line in lines if line["kind"] in ("upload", "media")} <= {200, 204, 206}


def test_a_rolling_restart_drops_no_request(site: Site):
    old = [replica.pid for replica in site.replicas]
    fresh: list = []
    kept: list = []
    with (
        hammer(site, "/", fresh),
        hammer(site, HEALTH, fresh),
        hammer(site, HEALTH, kept, keep_alive=True),
        crowd(site) as visitors,
    ):
        rolled = site.roll(drain_seconds=1)
        assert rolled.returncode == 0, rolled.stderr
        before = [len(visitor.answers) for visitor in visitors]
        wait_until(lambda: all(len(v.answers) > count + 1 for v, count in zip(visitors, before, strict=True)))
    assert set(fresh) == {200}
    assert len(fresh) > 100
    assert set(kept) == {200}
    assert all(replica.pid != pid for replica, pid in zip(site.replicas, old, strict=True))
    assert [visitor.failure for visitor in visitors] == [""] * CROWD
    assert max(visitor.lost for visitor in visitors) <= 3  # once for each restart of the replica they were on


def test_a_draining_replica_keeps_its_visitors_and_gets_no_new_ones(site: Site):
    draining = site.replicas[1]
    others = {replica.port for replica in site.replicas if replica is not draining}
    loyal = next(visitor for _ in site.replicas if (visitor := HttpVisitor(site.url)).arrive() == draining.port)
    file = site.proxy.folder / "draining" / str(draining.port)
    file.touch()
    assert {HttpVisitor(site.url).arrive() for _ in range(6)} == others
    assert loyal.get("/").status == 200
    assert loyal.replica == draining.port
    file.unlink()
    assert draining.port in {HttpVisitor(site.url).arrive() for _ in range(6)}


def test_nothing_is_restarted_while_another_replica_is_down(site: Site):
    down = site.replicas[2]
    old = [replica.pid for replica in site.replicas]
    down.kill()
    refused = site.roll(drain_seconds=0)
    assert refused.returncode == 1
    assert f"{down.name} is not healthy: nothing restarted" in refused.stderr
    assert [replica.pid for replica in site.replicas] == old
    site.revive(down)


def test_without_replicas_the_answer_is_one_sentence(site: Site):
    for replica in site.replicas:
        replica.kill()
    lonely = HttpVisitor(site.url)
    answer = lonely.get("/")
    assert answer.status == 503
    assert answer.body.decode() == "No server is free at the moment. Please reload the page in a few seconds.\n"
    assert answer.headers["content-security-policy"]
    for replica in site.replicas:
        site.revive(replica)
    assert lonely.get("/").status == 200
