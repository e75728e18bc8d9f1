"""Use the app as a user does, in a real browser, with the shipped weights."""

from __future__ import annotations

import io
import re
from urllib.parse import parse_qs, quote

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.address_bar import expect_query
from tests.browser.choices import choose
from tests.browser.conftest import PATIENCE, Server, open_page, ready
from tests.browser.drawn import GRID, NUMBERS, SCALE
from tests.browser.keys import tab_to
from tests.browser.menu import link_to
from tests.browser.overflow import PHONE, assert_nothing_overflows
from views import navigation, palette
from views.text.numbers import three_digits

SENTENCE = "I want to buy a car."


def type_sentence(page: Page, sentence: str) -> None:
    """Type into the box, press Enter, wait until the encoder's tokens spell the sentence."""
    box = page.get_by_label("English sentence")
    box.fill(sentence)
    box.press("Enter")
    wait_for_tokens(page, sentence)


def wait_for_tokens(page: Page, sentence: str) -> None:
    """Wait until the encoder's tokens spell `sentence`; a character in bytes counts at its first byte."""
    page.wait_for_function(
        """spelt => {
            const character = (label) => {
                const [all, code, place] = label.match(/^U\\+([0-9A-F]+)(?: (\\d)\\/\\d)?$/) ?? []
                return !all ? label : (place ?? "1") === "1" ? String.fromCodePoint(parseInt(code, 16)) : ""
            }
            const chips = [...document.querySelectorAll(".aa-encoder > span")].map((chip) => chip.textContent)
            return chips.map(character).join("").replace(/[\\s\u2423]/g, "") === spelt
        }""",
        arg=sentence.replace(" ", "") + "</s>",
        timeout=PATIENCE,
    )
    ready(page)


def wait_for_chart(page: Page, weights: np.ndarray | None = None) -> None:
    """Wait until a map is drawn large; until its table has `weights`, 0 where masked, unless None."""
    page.wait_for_function(
        f"""expected => {{
            const cells = {NUMBERS}
            if (!cells?.length || !expected) return Boolean(cells)
            const same = (a, b) => Math.abs(a - b) < 1e-7 || (a === null && b === 0)
            return cells.length === expected.length
                && expected.every((row, i) => row.length === cells[i].length
                    && row.every((value, j) => same(cells[i][j], value)))
        }}""",
        arg=None if weights is None else weights.tolist(),
        timeout=PATIENCE,
    )


def wait_for_colour(page: Page, shade: int, colour: str) -> None:
    """Wait until the colour scale has `colour` at `shade` of 255, as near as shades between its stops come."""
    script = (
        f"([at, expected]) => {SCALE}?.slice(3 * at, 3 * at + 3).every((part, i) => Math.abs(part - expected[i]) <= 3)"
    )
    page.wait_for_function(script, arg=[shade, palette.to_rgb(colour)], timeout=PATIENCE)


def download_file(page: Page, label: str) -> bytes:
    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name=label, exact=True).click()
    return download.value.path().read_bytes()


def maps_of(page: Page) -> dict[str, np.ndarray]:
    return dict(np.load(io.BytesIO(download_file(page, "All heads as NPZ"))))


def choose_kind(page: Page, name: str) -> None:
    page.get_by_role("radio", name=name, exact=True).click()
    wait_for_colour(page, 255, palette.scale(name.lower(), "light")[-1])
    expect(page.locator(f".st-key-download-{name.lower()}-npz")).to_be_visible()  # the files follow a moment later
    ready(page)


def test_the_first_visit_by_deep_link_shows_the_whole_frame(server: Server):
    recorded = server.first_visit
    assert [name.strip() for name in recorded["navigation"]] == [
        *(section.label() for section in navigation.SECTIONS),
        *(place.label() for place in navigation.SECTIONS[0].pages),
    ]
    assert "Runs on" in recorded["sidebar"]
    assert "Sizes" in recorded["sidebar"]
    assert recorded["title"] == "Attention"
    assert recorded["dialogs"] == 0
    assert "kind=cross" in recorded["address"]


def test_translate_then_open_every_kind(server: Server, page: Page):
    open_page(page, server.url)
    type_sentence(page, SENTENCE)
    assert page.locator(".aa-text").first.inner_text().strip()
    assert page.locator(".aa-decoder > span").count() == page.locator(".aa-cards > div").count()
    assert page.get_by_role("group", name=re.compile("Layers of the encoder")).count() == 1

    page.get_by_role("link", name="Attention", exact=True).click()
    expect(page.get_by_role("heading", name="Attention", exact=True)).to_be_visible()
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)
    wait_for_chart(page)
    for kind in ("Cross", "Decoder", "Encoder"):
        choose_kind(page, kind)
        stored = maps_of(page)
        weights = stored["attention"]
        assert str(stored["kind"]) == kind.lower()
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
        page.locator('.tile[aria-label^="layer 1, head 1."]').click()
        wait_for_chart(page, weights[0, 0])
        page.locator('.tile[aria-label^="layer 2, head 3."]').click()
        wait_for_chart(page, weights[1, 2])
        assert hover_first_key(page, weights, 1, 2) == three_digits(float(weights[1, 2, -1, 0]))
        page.locator('.tile[aria-label^="layer 1, mean over heads."]').click()
        wait_for_chart(page, weights.mean(axis=1)[0])
        page.locator('.tile[aria-label^="layer 1, head 1."]').click()
        wait_for_chart(page, weights[0, 0])


def test_the_translation_grows_while_it_is_produced(server: Server, page: Page):
    page.add_init_script(
        """window.sentences = new Set()
        const note = () => sentences.add(document.querySelector(".aa-text")?.textContent)
        new MutationObserver(note).observe(document, { subtree: true, childList: true, characterData: true })"""
    )
    sentence = "The old man who lives in the next house told us that it was a hot summer."
    for repetitions in (4, 5, 6):  # a browser that has little time may draw the last state alone
        open_page(page, f"{server.url}/?text={quote(' '.join([sentence] * repetitions))}")
        final = page.locator(".aa-text").first.inner_text()
        drawn = [text for text in page.evaluate("[...sentences]") if text]
        assert final in drawn
        if any(final.startswith(text.rstrip()) for text in drawn if len(text) < len(final)):
            return
    pytest.fail("each translation was drawn when it was complete, not before")


@pytest.mark.nightly
def test_a_selected_head_is_drawn_by_the_browser_and_sent_once(server: Server, page: Page):
    """Fails on a page that asks the server first: nothing is sent before the map is drawn, then one message for all."""
    sent, received = [], []
    page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame)))
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    open_page(page, f"{server.url}/attention?text={quote('a ' * 100)}")
    wait_for_chart(page)
    assert sum(received) > 800_000
    sent.clear()
    received.clear()
    counted = page.evaluate(
        f"""() => {{
            const send = WebSocket.prototype.send
            window.messagesSent = 0
            WebSocket.prototype.send = function (message) {{ messagesSent++; send.call(this, message) }}
            const tiles = {GRID}.querySelectorAll('.tile')
            const heading = {GRID}.querySelector('.detail h2')
            return [3, 12, 20].map((place) => {{ tiles[place].click(); return [heading.textContent, messagesSent] }})
        }}"""
    )
    assert counted == [[f"Cross-attention, layer {layer}, head {head}", 0] for layer, head in ((1, 4), (2, 4), (3, 3))]
    expect_query(page, kind="cross", layer="3", head="3", text="a " * 100)
    expect(page.locator(".st-key-download-cross-layer-3-head-3-csv")).to_be_visible()
    ready(page)
    assert len(sent) == 1
    assert sum(received) < 30_000  # the files' buttons, no map
    for box, name in (("Layer", "2"), ("Head", "mean")):
        page.get_by_role("combobox", name=box).select_option(label=name)
    expect(page.locator(".tile[aria-selected=true]")).to_have_attribute("aria-label", re.compile("^layer 2, mean"))


@pytest.mark.nightly
def test_a_head_selected_just_before_a_page_change_stays_selected(server: Server, page: Page):
    open_page(page, f"{server.url}/attention?text={quote(SENTENCE)}")
    wait_for_chart(page)
    page.locator('.tile[aria-label^="layer 3, head 5."]').click()
    link_to(page, "Heads").click()
    expect_query(page, kind="cross", layer="3", head="5", text=SENTENCE)


def hover_first_key(page: Page, weights: np.ndarray, layer: int, head: int) -> str:
    """Return the tooltip's value over the last query's first key."""
    canvas = page.locator(".tile canvas").nth(layer * (weights.shape[1] + 1) + head)
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    queries, keys = weights.shape[2:]
    page.mouse.move(box["x"] + 0.5 * box["width"] / keys, box["y"] + (queries - 0.5) * box["height"] / queries)
    tip = page.locator(".grid-root > .tip .value")
    expect(tip).to_be_visible()
    return tip.inner_text()


@pytest.mark.nightly
def test_keyboard_scale_and_a_link_that_opens_the_same_view(server: Server, page: Page):
    open_page(page, f"{server.url}/attention?kind=Cross&text={quote(SENTENCE)}")
    weights = maps_of(page)["attention"]
    wait_for_chart(page, weights[0, 0])
    tab_to(page.locator(".tile[aria-selected=true]"))
    for key in ("ArrowDown", "ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    wait_for_chart(page, weights[1, 2])
    choose(page, "Per head")
    expect(page.locator(".overview .legend")).to_contain_text("each map")
    expect_query(page, kind="cross", layer="2", head="3", scale="own", text=SENTENCE)

    address = page.url
    page.goto("about:blank")
    open_page(page, address)
    expect(page.get_by_label("English sentence")).to_have_value(SENTENCE)
    wait_for_chart(page, weights[1, 2])
    assert page.locator(".tile[aria-selected=true]").get_attribute("aria-label").startswith("layer 2, head 3.")


@pytest.mark.nightly
def test_files_contain_the_shown_numbers(server: Server, page: Page):
    open_page(page, f"{server.url}/attention?kind=Decoder&layer=2&head=4&text={quote(SENTENCE)}")
    stored = maps_of(page)
    weights = stored["attention"]
    wait_for_chart(page, weights[1, 3])
    table = download_file(page, "CSV").decode("utf-8-sig").splitlines()
    numbers = np.array([[float(cell) for cell in line.split(",")[-weights.shape[3] :]] for line in table[1:]])
    np.testing.assert_array_equal(numbers.astype(np.float32), weights[1, 3])
    picture = Image.open(io.BytesIO(download_file(page, "PNG")))
    assert picture.format == "PNG"
    assert picture.width > 600
    vector = download_file(page, "SVG").decode()
    assert vector.startswith("<svg")
    assert vector.count("<rect") > weights[1, 3].size
    assert "Weight on masked keys: exactly 0." in page.locator('[data-testid="stMain"]').text_content()


@pytest.mark.nightly
@pytest.mark.parametrize(
    "text",
    [
        "<script>window.hacked=1</script><img src=x onerror=window.hacked=1><b>a</b> "
        "**a** `b` $x$ $$y^2$$ :red[c] :material/home: [d](javascript:alert(1)) # e",
    ],
)
def test_markup_is_shown_as_typed(server: Server, page: Page, text: str):
    open_page(page, server.url)
    type_sentence(page, text)
    assert_literal(page)
    page.get_by_role("link", name="Attention", exact=True).click()
    wait_for_chart(page)
    ready(page)
    assert_literal(page)
    assert page.locator(".detail .queries span").count() > 0
    assert page.locator(".detail :is(.queries, .keys) span > *").count() == 0


def assert_literal(page: Page) -> None:
    main = page.locator('[data-testid="stMain"]')
    assert page.evaluate("window.hacked") is None
    assert main.locator("img[src=x], script, .katex, a[href^=javascript]").count() == 0
    assert page.get_by_test_id("stException").count() == 0


@pytest.mark.nightly
def test_scripts_and_signs_of_all_kinds_are_translated_or_explained(server: Server, page: Page):
    for text in ("\u05e9\u05dc\u05d5\u05dd abc", "\U0001f600 a\u200bb\u0007c \u202eevil", "%ED%A0%80"):
        open_page(page, f"{server.url}/?text={text if text.startswith('%') else quote(text)}")
        assert page.locator(".aa-text").first.is_visible()
        assert_literal(page)


def same_number(value: float) -> re.Pattern:
    """Return a pattern for `value` with any number of trailing zeros."""
    digits = f"{value:g}"
    return re.compile(rf"^{re.escape(digits)}{'0*' if '.' in digits else '(.0+)?'}$")


@pytest.mark.nightly
def test_beam_and_sampling_with_their_settings(server: Server, page: Page):
    for query in ("method=Beam&beam=2&penalty=1.0", "method=Sampling&temperature=0.7&top_k=5&top_p=0.9&seed=3"):
        open_page(page, f"{server.url}/?{query}&text={quote(SENTENCE)}")
        wait_for_tokens(page, SENTENCE)
        assert page.locator(".aa-text").first.inner_text().strip()
        for name, values in parse_qs(query).items():
            if name != "method":
                expect(page.locator(f".st-key-{name} input")).to_have_value(same_number(float(values[0])))


@pytest.mark.nightly
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_overflows_on_a_phone_and_colours_follow_the_theme(server: Server, page: Page, scheme: str):
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme=scheme)
    for path in ("", "attention?kind=Cross"):
        open_page(page, f"{server.url}/{path}")
        if path:
            wait_for_colour(page, 0, palette.BACKGROUND[scheme])
        else:
            expect(page.locator(".aa-cards")).to_be_visible()
        assert_nothing_overflows(page, PHONE)
