"""All kinds of attention in one payload: the script shows the selection as Python computes it, and sends it once."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model.text.words import Word, by_words
from tests.browser.choices import choose
from tests.browser.mounting import mount_component
from views import kind_labels, map_labels, map_weights, palette
from views.components.attention_kinds import GridOfKinds, payload
from views.components.component import selection_mark
from views.controls.sentence_input import head_choices, scale_choice
from views.controls.widgets import Choice
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis

pytestmark = pytest.mark.nightly

SPECIAL = frozenset({"<s>", "</s>"})
SOURCE, TARGET = ("\u2009un", "believ", "able", "\u2009it", "</s>"), ("<s>", "\u2009in", "croyable")
WORDS = {
    SOURCE: (Word("unbelievable", 0, 3), Word("it", 3, 4), Word("</s>", 4, 5, True)),
    TARGET: (Word("<s>", 0, 1, True), Word("incroyable", 1, 3)),
}
SIDES = {"encoder": (SOURCE, SOURCE), "decoder": (TARGET, TARGET), "cross": (TARGET, SOURCE)}
FIRST = {"kind": "encoder", "units": "tokens", "marks": "shown", "layer": "1", "head": "2", "scale": "shared"}


def attention(kind: str) -> np.ndarray:
    """Make 2 layers and 3 heads of noise, with weights of very different sizes."""
    queries, keys = SIDES[kind]
    noise = np.random.default_rng(len(kind)).normal(0, 6, (2, 3, len(queries), len(keys)))
    noise[..., map_weights.causal_mask(len(queries), len(keys), kind == "decoder")] = -np.inf
    return (np.exp(noise) / np.exp(noise).sum(-1, keepdims=True)).astype(np.float32)


def make_maps(kind: str) -> KindMaps:
    axes = (MapAxis(side, tuple(name in SPECIAL for name in side), WORDS[side]) for side in SIDES[kind])
    return KindMaps(kind_labels.KINDS[kind], attention(kind), *axes, (0, 1))


def make_grid(**chosen: str) -> GridOfKinds:
    choices = [
        Choice("Attention", {kind: f"The {kind}" for kind in SIDES}, "kind", varies=True),
        Choice("Rows and columns", {"tokens": "Tokens", "words": "Whole words"}, "units", help="What words are"),
        Choice("Special tokens", {"shown": "Shown", "hidden": "Hidden"}, "marks"),
        *head_choices(map_labels.ids_with_mean(2), map_labels.ids_with_mean(3)),
        scale_choice(),
    ]
    return GridOfKinds(AttentionMaps({kind: make_maps(kind) for kind in SIDES}), choices, FIRST | chosen)


def computed_maps(kind: str, units: str, marks: str) -> np.ndarray:
    """`(layers + 1, heads + 1, query, key)` as the server computes it."""
    weights = attention(kind)
    names = [[name.strip() for name in side] for side in SIDES[kind]]
    if units == "words":
        words = [WORDS[side] for side in SIDES[kind]]
        weights, names = by_words(weights, *words).astype(np.float32), [[word.text for word in side] for side in words]
    if marks == "hidden":
        queries, keys = ([place for place, name in enumerate(side) if name not in SPECIAL] for side in names)
        weights = weights[:, :, queries][:, :, :, keys]
    return map_weights.with_means(weights)


@pytest.fixture
def mount(page: Page):
    """Mount known data; changes of the address are collected in `window.changes`."""

    def mount_sheets(**chosen: str) -> Page:
        sheets = make_grid(**chosen)
        content = payload(sheets, "light")
        mount_component(
            page,
            "attention_grid",
            "grid-root",
            content,
            palette.BACKGROUND["light"],
            selection_mark(dict(sheets.chosen)),
        )
        page.evaluate("""() => {
            window.changes ??= (window.addEventListener("choosing", ({ detail }) => changes.push(detail)), [])
        }""")
        return page

    return mount_sheets


NUMBERS = """() => [...document.querySelectorAll(".tile")].map((tile) => {
    tile.click()
    return [...document.querySelectorAll(".detail td")].map((cell) => (cell.title ? Number(cell.title) : 0))
})"""


def test_every_choice_is_what_python_computes_to_the_last_digit(mount):
    page = mount()
    page.locator(".detail summary").click()
    page.locator(".detail td").first.wait_for()
    options = {"kind": SIDES, "units": ("Tokens", "Whole words"), "marks": ("Shown", "Hidden")}
    for kind, units, marks in itertools.product(*options.values()):
        for name in (f"The {kind}", units, marks):
            choose(page, name)
        weights = computed_maps(kind, "words" if units == "Whole words" else "tokens", marks.lower())
        if kind == "decoder":
            weights[..., map_weights.causal_mask(*weights.shape[2:], True)] = 0
        drawn = np.array(page.evaluate(NUMBERS), np.float32).reshape(weights.shape)
        np.testing.assert_array_equal(drawn, weights)
        expect(page.locator(".detail h2")).to_contain_text(kind_labels.KINDS[kind].headline)
        expect(page.locator(".detail .key-axis")).to_contain_text("word" if units == "Whole words" else "token")


def test_selections_are_drawn_and_announced_immediately_and_sent_once(mount):
    page = mount()
    drawn = page.evaluate(
        """() => {
            const states = []
            const text = (selector) => document.querySelector(selector).textContent
            const look = () => [document.querySelector(".grid").ariaLabel, text(".detail h2"),
                text(".detail .key-axis").includes("word"), text(".overview .legend").includes("each map"),
                answers.length]
            const press = (value) => document.querySelector(`input[value=${value}]`).click()
            const pick = (place, value) => {
                const list = document.querySelectorAll("select")[place]
                list.value = value
                list.dispatchEvent(new Event("change"))
            }
            for (const act of [() => press("cross"), () => press("words"), () => press("own"), () => pick(0, "2"),
                () => pick(1, "mean"), () => document.querySelectorAll(".tile")[2].click(), () => press("tokens")]) {
                act()
                states.push(look())
            }
            return states
        }"""
    )
    assert drawn == [
        ["cross-attention", "Cross-attention, layer 1, head 2", False, False, 0],
        ["cross-attention", "Cross-attention, layer 1, head 2", True, False, 0],
        ["cross-attention", "Cross-attention, layer 1, head 2", True, True, 0],
        ["cross-attention", "Cross-attention, layer 2, head 2", True, True, 0],
        ["cross-attention", "Cross-attention, layer 2, mean over heads", True, True, 0],
        ["cross-attention", "Cross-attention, layer 1, head 3", True, True, 0],
        ["cross-attention", "Cross-attention, layer 1, head 3", False, True, 0],
    ]
    assert page.evaluate("changes") == [
        {"kind": "cross"},
        {"units": "words"},
        {"scale": "own"},
        {"layer": "2"},
        {"head": "mean"},
        {"layer": "1", "head": "3"},
        {"units": None},  # its own default, which is not in the address
    ]
    page.wait_for_function("() => answers.length")
    settings = FIRST | {"kind": "cross", "scale": "own", "head": "3"}
    assert page.evaluate("answers") == [["chosen", settings]]
    expect(page.get_by_role("combobox", name="Head")).to_have_value("3")
    fold = page.locator(".choices .fold")
    expect(fold).to_have_text("Options \u00b7 Special tokens: Shown \u00b7 Colour scale: Per head")


def test_late_payloads_do_not_move_the_selection(mount):
    """The page responds to older choices while newer ones are made, and may send the maps again."""
    page = mount()
    heading = page.locator(".detail h2")
    page.get_by_role("radio", name="The cross").check()
    page.locator(".tile").nth(5).click()
    page.wait_for_function("() => answers.length")
    page.get_by_role("radio", name="The decoder").check()
    page.locator(".tile").nth(4).click()
    late = {"kind": "cross", "layer": "2", "head": "2"}
    mount(**FIRST)
    mount(**late)
    page.evaluate("() => new Promise(requestAnimationFrame)")
    expect(heading).to_have_text("Masked decoder self-attention, layer 2, head 1")
    expect(page.get_by_role("radio", name="The decoder")).to_be_checked()
    page.wait_for_function("() => answers.length")
    assert page.evaluate("answers") == [["chosen", FIRST | late | {"kind": "decoder", "head": "1"}]]


def test_back_restores_the_selection_of_the_address(mount):
    page = mount()
    page.evaluate("""() => {
        history.replaceState(null, "", "?text=A&kind=cross&units=words&layer=2")
        history.pushState(null, "", "?text=B")
    }""")
    page.get_by_role("radio", name="The decoder").check()
    page.evaluate("() => history.back()")
    expect(page.get_by_role("radio", name="The cross")).to_be_checked()
    expect(page.locator(".detail h2")).to_have_text("Cross-attention, layer 2, head 1")
    page.evaluate("() => new Promise((done) => setTimeout(done, 700))")  # longer than the delay of sending
    assert page.evaluate("answers") == []


def test_the_controls_are_reached_by_keys(mount):
    page = mount()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radiogroup", name="Attention").get_by_role("radio", name="The decoder")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Whole words")).to_be_focused()
    expect(page.locator(".detail h2")).to_have_text("Masked decoder self-attention, layer 1, head 2")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("combobox", name="Layer")).to_have_value("2")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    fold = page.get_by_role("button", name="Options")
    expect(fold).to_be_focused()
    expect(page.get_by_role("radio", name="Hidden")).to_have_count(0)
    page.keyboard.press("Enter")
    expect(fold).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_text("Rows and columns: What words are")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("radio", name="Hidden")).to_be_checked()
    assert page.locator(".detail .queries span").all_inner_texts() == ["incroyable"]
