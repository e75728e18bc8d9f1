"""The lines' script on known numbers, in an empty page: drawing, tooltips, locking and messages."""

from __future__ import annotations

import base64
import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.mounting import mount_component
from tests.pages.reading import number
from views import kind_labels, map_weights, palette
from views.components.attention_lines import (
    AttentionLines,
    LinesOfKinds,
    LinesView,
    LockedToken,
    payload,
    payload_of_kinds,
)
from views.components.component import selection_mark
from views.controls.widgets import Choice
from views.text.numbers import three_digits
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis

pytestmark = pytest.mark.nightly

HOSTILE = ("<s>", "<img src=x onerror=document.title='hacked'>", "$x$", "\u2009street", "\u2009")


def make_weights(layers: int, heads: int, queries: int, keys: int, causal: bool = False) -> np.ndarray:
    """`(layers, heads, query, key)` float32 of softmaxed noise."""
    noise = np.random.default_rng(0).normal(0, 2, (layers, heads, queries, keys)).astype(np.float32)
    noise[:, :, map_weights.causal_mask(queries, keys, causal)] = -np.inf
    return np.exp(noise) / np.exp(noise).sum(-1, keepdims=True)


def make_lines(weights: np.ndarray, kind: str = "cross", **view) -> AttentionLines:
    """Lines over `weights`; at first all heads of the first layer, all of their weights."""
    _, heads, queries, keys = weights.shape
    tokens = HOSTILE * max(queries, keys)
    chosen = LinesView(**{"layers": (0,), "heads": tuple(range(heads)), "mass": 1.0} | view)
    axes = MapAxis(tokens[:queries]), MapAxis(tokens[:keys])
    return AttentionLines(KindMaps(kind_labels.KINDS[kind], weights, *axes, tuple(range(len(weights)))), chosen)


@pytest.fixture
def mount(page: Page):
    """Show lines in an empty page; the script's messages are collected in `window.answers`."""

    def mount_lines(lines: AttentionLines, background: str = "#FFFFFF") -> Page:
        mount_component(
            page, "attention_lines", "lines-root", payload(lines, "light"), background, selection_mark(lines.view)
        )
        return page

    return mount_lines


def token(page: Page, side: str, place: int):
    return page.locator(f".side.{side} .token").nth(place)


def numbers(page: Page, side: str) -> list[str]:
    return page.locator(f".side.{side} .weight").all_inner_texts()


def canvas_pixels(page: Page, canvas: str = "overview") -> np.ndarray:
    """`(height, width, channel)` of the colours of a canvas."""
    content = page.locator(f"canvas.{canvas}").evaluate("canvas => canvas.toDataURL()").partition(",")[2]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(content))).convert("RGB")).astype(int)


def count_ink(page: Page, canvas: str = "overview") -> int:
    return int((canvas_pixels(page, canvas) != 255).any(-1).sum())


def sent_selection(page: Page, **fields) -> dict:
    """Wait for and return the sent selection that contains `fields`; it is sent a moment after the last change."""
    page.wait_for_function(
        """expected => {
            const [name, view] = answers.at(-1) ?? []
            const same = ([field, value]) => JSON.stringify(view[field]) === JSON.stringify(value)
            return name === "view" && Object.entries(expected).every(same)
        }""",
        arg=fields,
    )
    return page.evaluate("answers.splice(0).at(-1)[1]")


def test_the_tooltip_shows_the_value_of_the_array_from_both_sides(mount):
    weights = make_weights(2, 3, 4, 5)
    page = mount(make_lines(weights, layers=(0, 1), heads=(0, 2)))
    mean = weights[:, [0, 2]].mean((0, 1), dtype=np.float64)
    for query in range(4):
        token(page, "query", query).hover()
        assert numbers(page, "key") == [three_digits(value) for value in mean[query]]
        assert numbers(page, "query") == [""] * 4
    for key in range(5):
        token(page, "key", key).hover()
        assert numbers(page, "query") == [three_digits(value) for value in mean[:, key]]
    assert "is attended to by" in page.locator(".status").inner_text()
    assert "mean of 4 heads" in page.locator(".status").inner_text()
    page.mouse.move(0, 700)
    assert numbers(page, "query") == [""] * 4
    page = mount(make_lines(weights, layers=(1,), heads=(1,)))
    token(page, "query", 3).hover()
    assert numbers(page, "key") == [three_digits(float(value)) for value in weights[1, 1, 3]]
    assert page.locator("main img").count() == 0 and page.title() != "hacked"
    assert page.locator(".side.key .label").all_inner_texts()[3:] == ["street", "\u2423"]


def test_the_tooltip_shows_the_value_of_the_array_for_long_inputs(mount):
    weights = make_weights(2, 3, 130, 128)
    page = mount(make_lines(weights, mass=0.8, layers=(0, 1)))
    drawn = re.match(r"Drawn: the strongest ([\d,]+) of [\d,]+ lines", page.locator(".legend").inner_text())
    assert 3900 < int(drawn[1].replace(",", "")) <= 4000
    page.get_by_role("button", name="Tall rows").click()
    token(page, "query", 77).hover()
    read = [number(text) for text in numbers(page, "key")]
    np.testing.assert_allclose(read, weights.mean((0, 1))[77], rtol=5.1e-3)
    page.get_by_role("button", name="Tall rows").click()  # the whole is pressed into the screen
    assert page.locator(".side.query").bounding_box()["height"] <= 801
    token(page, "query", 77).hover()
    best = weights.mean((0, 1))[77].argmax()
    assert numbers(page, "key")[best] == three_digits(float(weights.mean((0, 1), dtype=np.float64)[77, best]))
    tops = [box["y"] for box in (label.bounding_box() for label in page.locator(".key :not(.unnamed) > .label").all())]
    assert np.diff(tops).min() >= 12  # names do not overlap


def test_heads_and_layers_are_chosen_by_visible_buttons(mount):
    page = mount(make_lines(make_weights(3, 12, 3, 3)))
    heads, layers = page.get_by_role("group", name="Heads"), page.get_by_role("group", name="Layers")
    assert heads.locator(".toggle[aria-pressed=true]").count() == 12
    chips = [chip.evaluate("canvas => canvas.toDataURL()") for chip in heads.locator(".chip").all()]
    assert len(set(chips)) == 12  # beyond eight, dashes distinguish them
    heads.get_by_role("button", name="none").click()
    assert count_ink(page) == 0 and "choose at least one" in page.locator(".status").inner_text()
    heads.get_by_role("button", name="Head 11").click()
    layers.get_by_role("button", name="Layer 3").click()
    assert page.locator(".legend").inner_text().startswith("Lines drawn: 18.")
    sent_selection(page, layers=[0, 2], heads=[10], mass=1, locked=None)
    layers.get_by_role("button", name="one at a time").click()
    layers.get_by_role("button", name="Layer 2").click()
    sent_selection(page, layers=[1])
    layers.get_by_role("button", name="all").click()
    sent_selection(page, layers=[0, 1, 2])
    assert layers.get_by_role("button", name="one at a time").get_attribute("aria-pressed") == "false"


def test_a_click_locks_and_unlocks_visibly(mount):
    weights = make_weights(2, 3, 4, 5)
    page = mount(make_lines(weights, layers=(0, 1)))
    unlock = page.get_by_role("button", name="Unlock")
    assert not unlock.is_visible()
    token(page, "query", 2).click()
    locked = numbers(page, "key")
    assert locked == [three_digits(value) for value in weights[:, :, 2].mean((0, 1), dtype=np.float64)]
    sent_selection(page, locked={"side": "query", "place": 2})
    token(page, "query", 0).hover()  # what is locked stays
    assert numbers(page, "key") == locked
    assert page.locator(".status").inner_text().startswith("Locked: $x$ (3) attends to: ")
    assert token(page, "query", 2).get_attribute("aria-selected") == "true"
    token(page, "key", 4).hover()  # the other side lists the weights between the two, head by head
    details = page.locator(".tip .detail").all_inner_texts()
    expected = {
        f"layer {m // 3 + 1}, head {m % 3 + 1}: {three_digits(float(weights[m // 3, m % 3, 2, 4]))}" for m in range(6)
    }
    assert set(details) == expected
    page.locator("summary").click()
    page.locator("tbody tr").nth(4).wait_for()
    cells = page.locator("tbody tr").nth(4).locator("td").all_inner_texts()
    assert cells == [locked[4], *(three_digits(float(value)) for value in weights[:, :, 2, 4].flat)]
    token(page, "query", 2).click()
    sent_selection(page, locked=None)
    assert not unlock.is_visible()
    token(page, "key", 1).click()
    unlock.click()
    page.mouse.move(0, 700)
    assert numbers(page, "query") == [""] * 4
    assert page.locator(".side [aria-selected=true]").count() == 0


def test_keyboard_reaches_everything(mount):
    weights = make_weights(1, 1, 3, 4)
    page = mount(make_lines(weights))
    stops = []
    for _ in range(12):
        page.keyboard.press("Tab")
        stops.append(page.evaluate("document.activeElement.className || document.activeElement.textContent"))
    expected = ["toggle", "one at a time", "all", "none"] * 2 + ["INPUT", "Picture as SVG", "PNG"]
    assert [stop or "INPUT" for stop in stops[:11]] == expected
    assert stops[11].startswith("token")
    page.keyboard.press("ArrowDown")
    assert numbers(page, "key") == [three_digits(float(value)) for value in weights[0, 0, 1]]
    assert page.locator(".heard").inner_text().startswith(f"{HOSTILE[1]} (2) attends to: ")
    page.keyboard.press("Enter")
    sent_selection(page, locked={"side": "query", "place": 1})
    page.keyboard.press("ArrowRight")
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.textContent").startswith("street")
    assert f"layer 1, head 1: {three_digits(float(weights[0, 0, 1, 3]))}" in page.locator(".heard").inner_text()
    page.keyboard.press("Escape")
    sent_selection(page, locked=None)
    assert numbers(page, "query") == [three_digits(float(value)) for value in weights[0, 0, :, 3]]


def test_a_tap_shows_and_locks(browser):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page = context.new_page()
    weights = make_weights(1, 8, 6, 5)
    lines = make_lines(weights)
    mount_component(
        page, "attention_lines", "lines-root", payload(lines, "light"), "#FFFFFF", selection_mark(lines.view)
    )
    page.evaluate("document.querySelector('main').style.width = '358px'")
    token(page, "key", 3).tap()
    assert numbers(page, "query") == [three_digits(value) for value in weights[0, :, :, 3].mean(0, dtype=np.float64)]
    sent_selection(page, locked={"side": "key", "place": 3})
    assert page.locator(".lines-root").evaluate("root => root.scrollWidth <= root.clientWidth")
    context.close()


def test_the_selection_mark_selects_without_a_new_payload(mount):
    lines = make_lines(make_weights(2, 3, 4, 5))
    page = mount(lines)
    mount(replace(lines, view=LinesView((1,), (2,), 0.5, LockedToken("key", 4))))
    page.locator(".side.key .token[aria-selected=true]").wait_for()
    assert page.locator(".toggle[aria-pressed=true]").all_inner_texts() == ["3", "2"]
    # what was sent comes back as a mark and does not undo a later selection
    page.get_by_role("button", name="Head 1").click()
    view = sent_selection(page, heads=[0, 2])
    page.get_by_role("button", name="Head 2").click()
    late = selection_mark(LinesView(tuple(view["layers"]), tuple(view["heads"]), 0.5, LockedToken("key", 4)))
    page.evaluate("late => { document.querySelector('p').innerHTML = late }", late)
    sent_selection(page, heads=[0, 1, 2])
    # another sentence has no such locked token
    mount(replace(make_lines(make_weights(2, 3, 4, 3)), view=LinesView((1,), (0, 1, 2), 0.5, LockedToken("key", 2))))
    page.locator(".side.key .token[aria-selected=true]").wait_for()
    assert page.locator(".side.key .token").count() == 3


def test_a_late_selection_of_a_kind_does_not_undo_a_later_choice(page: Page):
    lines = {kind: make_lines(make_weights(1, 3, 4, 4), layers=(0,)) for kind in ("encoder", "cross")}
    view = lines["cross"].view
    choices = [Choice("Attention", {kind: f"The {kind}" for kind in lines}, "kind", varies=True)]
    maps = AttentionMaps({kind: each.maps for kind, each in lines.items()})
    by_kind = LinesOfKinds(maps, choices, {"kind": "encoder"}, view)
    marks = [selection_mark({"kind": kind, "view": view}) for kind in lines]
    mount_component(page, "attention_lines", "lines-root", payload_of_kinds(by_kind, "light"), "#FFFFFF", marks[0])
    page.get_by_role("radio", name="The cross").check()
    page.wait_for_function("() => answers.length")
    page.get_by_role("button", name="Head 2").click()
    page.evaluate("mark => { document.querySelector('p').innerHTML = mark }", marks[1])
    page.evaluate("() => new Promise(requestAnimationFrame)")
    assert page.get_by_role("group", name="Heads").locator("[aria-pressed=true]").all_inner_texts() == ["1", "3"]
    expect(page.get_by_role("radio", name="The cross")).to_be_checked()


def test_themes_have_their_own_colours_and_are_reported(mount):
    page = mount(make_lines(make_weights(1, 2, 3, 3)), palette.BACKGROUND["dark"])
    assert page.evaluate("answers")[0] == ["theme", "dark"]
    image = canvas_pixels(page)
    assert (image == palette.to_rgb(palette.BACKGROUND["dark"])).all(-1).any()
    nearest = np.abs(image - np.array(palette.to_rgb(palette.HEADS["dark"][1]))).sum(-1).min()
    assert nearest < 120


def test_exported_pictures_contain_what_is_shown(mount, tmp_path):
    weights = make_weights(1, 2, 3, 4)
    page = mount(make_lines(weights))
    token(page, "query", 1).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Picture as SVG").click()
    download.value.save_as(tmp_path / "lines.svg")
    root = ElementTree.parse(tmp_path / "lines.svg").getroot()
    space = {"s": "http://www.w3.org/2000/svg"}
    texts = [text.text for text in root.findall("s:text", space)]
    assert {HOSTILE[1], "head 2", "French query token"} <= set(texts)
    mean = weights[0, :, 1].mean(0, dtype=np.float64)
    assert set(map(three_digits, mean)) <= set(texts)
    widths = [float(line.get("stroke-width")) for line in root.findall("s:line", space)]
    assert len(widths) == 2 * 4 + 2  # the locked token's lines and the legend's
    assert max(widths[:-2]) == pytest.approx(0.8 + 5.2 * weights[0, :, 1].max(), abs=0.01)
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == "cross-attention-lines.png"
    download.value.save_as(tmp_path / "lines.png")
    picture = np.asarray(Image.open(tmp_path / "lines.png").convert("RGB")).astype(int)
    blue = np.abs(picture - palette.to_rgb(palette.HEADS["light"][0])).sum(-1)
    assert (blue < 60).sum() > 100
