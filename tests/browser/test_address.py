"""Back, Forward, reload and a copied link restore the view; each user action adds one history entry."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote_plus

import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.browser.address_bar import expect_query, expect_setting, path
from tests.browser.choices import choose, option
from tests.browser.conftest import Server, open_page, ready
from tests.browser.menu import link_to
from tests.browser.overflow import WIDE
from tests.browser.uploads import upload, wait_for_picture
from tests.tiers import nightly
from tests.views.controls.odd_pictures import encoded
from views import navigation
from views.controls import samples, sentence_input
from views.controls.picture_input import NO_LINK

PAGES = [(place.id, place.title()) for place in navigation.PAGES]
GREEN = encoded(Image.new("RGB", (40, 20), (0, 200, 0)))
PLACE = "navigation.currentEntry.index"  # `history.length` ends at 50
HEAD = {"kind": "cross", "layer": "3", "head": "2"}
SENTENCES = ["She & he = 100% #1+1 \ud55c\uad6d\uc5b4 \U0001f600"]


def sentence_box(page: Page):
    return page.get_by_label("English sentence")


def go_to_page(page: Page, title: str) -> None:
    """Open a page from the menu."""
    link_to(page, title).click()
    wait_for_page(page, title)


def wait_for_page(page: Page, title: str) -> None:
    expect(page.locator('[data-testid="stMain"] h1')).to_have_text(title)
    ready(page)
    page.wait_for_function("() => new URLSearchParams(location.search).has('text')")


def enter_sentence(page: Page, sentence: str) -> None:
    sentence_box(page).fill(sentence)
    sentence_box(page).press("Enter")
    expect_setting(page, text=sentence)
    ready(page)


def count_new_entries(page: Page, action: Callable[[], None]) -> int:
    """Count the history entries that a user action adds."""
    before = page.evaluate(PLACE)
    action()
    ready(page)
    return page.evaluate(PLACE) - before


@pytest.mark.nightly
@pytest.mark.parametrize(
    "names",
    [
        ("translate", "attribution", "vision"),
        nightly(("translate", "attribution", "history", "positions", "loss", "vision")),
    ],
    ids=len,
)
def test_back_to_any_page_shows_its_sentence(page: Page, server: Server, names: tuple[str, ...]):
    titles = [title for name, title in PAGES if name in names]
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    places = [page.evaluate(PLACE)]
    for title in titles[1:]:
        link = link_to(page, title)  # of another group of pages: this opens the page that the group begins with
        before = page.evaluate(PLACE)
        link.click()
        wait_for_page(page, title)
        places.append(page.evaluate(PLACE))
        assert places[-1] == before + 1, title
    for number in range(len(titles) - 2, -1, -1):
        page.evaluate("steps => history.go(steps)", places[number] - places[number + 1])
        wait_for_page(page, titles[number])
        if titles[number] != "Positions":  # whose first part reads no sentence
            expect(sentence_box(page)).to_have_value("I am a student.")
        expect(page.get_by_text("nothing to translate")).to_have_count(0)
    page.evaluate("steps => history.go(steps)", places[1] - places[0])
    wait_for_page(page, titles[1])
    expect(sentence_box(page)).to_have_value("I am a student.")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_a_sentence_from_a_link_is_kept_across_pages_and_a_reload(page: Page, server: Server, sentence: str):
    open_page(page, f"{server.url}/?text={quote_plus(sentence)}&method=Beam&beam=2&penalty=1.4")
    go_to_page(page, "Attention")
    expected = {"text": sentence, "method": "beam", "beam": "2", "penalty": "1.4"}
    expect_setting(page, **expected)
    page.reload()
    wait_for_page(page, "Attention")
    expect(sentence_box(page)).to_have_value(sentence)
    expect(page.get_by_label("Beam width")).to_have_value("2")
    expect(page.get_by_label("Length penalty")).to_have_value("1.40")
    expect_setting(page, **expected)


def test_each_user_action_adds_at_most_one_history_entry(page: Page, server: Server):
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    actions = {
        "kind": lambda: page.get_by_role("radio", name="Cross").click(),
        "map": lambda: page.locator('.tile[aria-label^="layer 2, head 5."]').click(),
        "scale": lambda: choose(page, "Per head"),
    }
    addresses = {"kind": {"kind": "cross"}, "map": {"layer": "2", "head": "5"}, "scale": {"scale": "own"}}
    for name, action in actions.items():
        act = lambda name=name, action=action: (action(), expect_setting(page, **addresses[name]))  # noqa: E731
        assert count_new_entries(page, act) == 0, name
    assert count_new_entries(page, lambda: enter_sentence(page, "Where?")) == 1
    assert count_new_entries(page, lambda: go_to_page(page, "Heads")) == 1
    assert count_new_entries(page, lambda: go_to_page(page, "Vision")) == 1
    other = samples.SAMPLES[2]
    chosen = lambda: (page.get_by_role("radio", name=other()).click(), expect_setting(page, picture=other.id))  # noqa: E731
    assert count_new_entries(page, chosen) == 1
    page.go_back()
    expect_setting(page, picture=samples.NAMES[0])
    page.go_back()
    wait_for_page(page, "Heads")
    page.go_back()
    wait_for_page(page, "Attention")
    expect(sentence_box(page)).to_have_value("Where?")
    page.go_back()
    expect_setting(page, text="I am a student.")
    expect(sentence_box(page)).to_have_value("I am a student.")
    expect_query(page, text="I am a student.", kind="cross", layer="2", head="5", scale="own")
    expect(page.get_by_role("radio", name="Cross")).to_be_checked()


@pytest.mark.nightly
def test_settings_of_a_page_are_restored_with_the_page(page: Page, server: Server):
    open_page(page, f"{server.url}/attention?text=Where%3F&kind=cross&layer=3&head=2&look=Lines&units=Whole+words")
    go_to_page(page, "Tokens")
    expect_query(page, text="Where?", **HEAD, units="words")
    go_to_page(page, "Attention")
    expect_query(page, text="Where?", **HEAD, units="words", look="lines")
    expect(page.get_by_role("radio", name="Lines")).to_be_checked()


def test_menu_links_carry_the_view(page: Page, server: Server):
    open_page(page, f"{server.url}/masks?text=A+%26+B&kind=Cross&layer=2&masks=causality")
    link = link_to(page, "Inside a layer")
    expect(link).to_have_attribute("href", re.compile(r"/inside\?text=A\+%26\+B&kind=cross&layer=2$"))
    with page.context.expect_page() as opened:
        link.click(button="middle")  # Streamlit takes a click with the control key for a plain one
    other = opened.value
    wait_for_page(other, "Inside a layer")
    expect(sentence_box(other)).to_have_value("A & B")
    expect(other.get_by_role("radio", name="Cross")).to_be_checked()
    other.close()


@pytest.mark.nightly
def test_two_visitors_do_not_see_each_other_s_settings(page: Page, phone: Page, server: Server):
    open_page(page, f"{server.url}/?text=Alpha.&method=Beam")
    open_page(phone, f"{server.url}/")
    expect_setting(phone, text=sentence_input.DEFAULT)
    enter_sentence(page, "Beta.")
    enter_sentence(phone, "Gamma.")
    page.reload()
    ready(page)
    expect(sentence_box(page)).to_have_value("Beta.")
    expect_query(phone, text="Gamma.")


@pytest.mark.nightly
def test_fast_user_actions_are_all_applied(page: Page, server: Server):
    """Each user action arrives during the run of the one before it."""
    open_page(page, f"{server.url}/attention?text=I+am+a+student.")
    sentence_box(page).fill("We would rather stay at home tonight.")
    sentence_box(page).press("Enter")
    for name in ("Cross", "Per head", "Beam", "Decoder", "Whole words"):
        choose(page, name)
    page.get_by_role("radio", name="Cross", exact=True).click()
    expected = {
        "text": "We would rather stay at home tonight.",
        "method": "beam",
        "kind": "cross",
        "scale": "own",
        "units": "words",
    }
    expect_setting(page, **expected)
    ready(page)
    expect_setting(page, **expected)
    expect(sentence_box(page)).to_have_value(expected["text"])
    for name in ("Cross", "Per head", "Beam", "Whole words"):
        expect(option(page, name)).to_be_checked()


@pytest.mark.nightly
def test_an_example_sentence_is_not_lost_to_a_click_during_its_run(page: Page, server: Server):
    """The box still shows the old sentence when the next message is sent."""
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    page.get_by_text("Where did you learn to cook?", exact=True).click()
    page.get_by_role("radio", name="Beam", exact=True).click()
    expect_setting(page, text="Where did you learn to cook?", method="beam")
    ready(page)
    expect(sentence_box(page)).to_have_value("Where did you learn to cook?")
    expect_setting(page, text="Where did you learn to cook?", method="beam")


def test_a_typed_sentence_is_sent_when_a_menu_link_is_clicked(page: Page, server: Server):
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    sentence_box(page).fill("Where did you learn to cook?")
    link_to(page, "Attention").hover()
    page.mouse.down()  # the box loses the focus, and a run begins ...
    page.wait_for_function(  # it may be over before anybody has looked
        """(text) => document.querySelector('[data-test-script-state="running"]')
            || new URLSearchParams(location.search).get("text") === text""",
        arg="Where did you learn to cook?",
    )
    page.mouse.up()  # ... which ends here
    wait_for_page(page, "Attention")
    expect(sentence_box(page)).to_have_value("Where did you learn to cook?")
    page.go_back()
    wait_for_page(page, "Attention Atlas")


def test_back_during_a_run(page: Page, server: Server):
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    enter_sentence(page, "Where?")
    page.get_by_role("radio", name="Beam", exact=True).click()
    page.go_back()
    expect(sentence_box(page)).to_have_value("I am a student.")
    ready(page)
    expect_setting(page, text="I am a student.")
    page.go_forward()
    expect(sentence_box(page)).to_have_value("Where?")


@pytest.mark.nightly
def test_back_before_the_response_to_the_last_click_arrives(browser: Browser, server: Server):
    """The address of that response arrives after Back was pressed and must have no effect."""
    page = browser.new_page(viewport=WIDE)
    sockets: list[WebSocketRoute] = []
    queued: list[bytes] | None = None

    def pass_on(socket: WebSocketRoute) -> None:
        app = socket.connect_to_server()
        app.on_message(lambda message: socket.send(message) if queued is None else queued.append(message))
        sockets.append(socket)

    page.route_web_socket(re.compile("/_stcore/stream"), pass_on)
    open_page(page, f"{server.url}/?text=I+am+a+student.")
    enter_sentence(page, "Where?")
    queued = []
    page.get_by_role("radio", name="Beam", exact=True).click()
    while not any(b"text=Where%3F&method=beam" in message for message in queued):
        page.wait_for_timeout(10)
    page.go_back()
    while queued:  # messages that arrive meanwhile are appended
        sockets[-1].send(queued.pop(0))
    queued = None
    expect(sentence_box(page)).to_have_value("I am a student.")
    entries = page.evaluate("navigation.entries().map((entry) => new URL(entry.url).search)")
    assert entries[-2:] == ["?text=I+am+a+student.", "?text=Where%3F"]
    expect_query(page, text="I am a student.")
    page.close()


@pytest.mark.nightly
def test_two_steps_back_in_quick_succession(page: Page, server: Server):
    """The page in between is requested and left again before its response arrives."""
    open_page(page, f"{server.url}/?text=Where%3F")
    for title in ("Attention", "Vision", "Any model"):
        go_to_page(page, title)
    place = page.evaluate("navigation.currentEntry.index")
    for title, steps in (("Attention", -1), ("Any model", 1)):
        for _ in range(2):
            left = path(page)
            page.evaluate("steps => history.go(steps)", steps)
            page.wait_for_function("left => location.pathname !== left", arg=left)
        wait_for_page(page, title)
        place += 2 * steps
        assert page.evaluate("navigation.currentEntry.index") == place
        assert path(page) == {"Attention": "/attention", "Any model": "/models"}[title]
        expect_setting(page, text="Where?")


@pytest.mark.nightly
def test_an_uploaded_picture_is_not_in_a_link(page: Page, server: Server):
    open_page(page, f"{server.url}/vision")
    upload(page, "green.png", GREEN)
    wait_for_picture(page, "own")
    expect_setting(page, picture="own")
    page.go_back()
    expect_setting(page, picture=samples.NAMES[0])
    wait_for_picture(page, samples.NAMES[0])
    # a server drops a picture that no page shows any more, also one that the browser is about to ask for
    page.wait_for_function("() => [...document.images].every((image) => image.complete && image.naturalWidth)")
    page.go_forward()
    expect_setting(page, picture="own")
    wait_for_picture(page, "own")
    page.reload()
    expect(page.get_by_role("alert")).to_have_text(NO_LINK())
    expect_setting(page, picture=samples.NAMES[0])


def test_a_new_session_restores_the_view_from_the_address(page: Page, server: Server):
    open_page(page, f"{server.url}/attention?text=Where%3F")
    page.get_by_role("radio", name="Decoder", exact=True).click()
    expect_setting(page, kind="decoder")
    address = page.url
    page.goto("about:blank")  # the visit ends
    page.go_back()
    wait_for_page(page, "Attention")
    expect(sentence_box(page)).to_have_value("Where?")
    expect(page.get_by_role("radio", name="Decoder", exact=True)).to_be_checked()
    page.wait_for_url(address)
