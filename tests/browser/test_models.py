"""Use *Any model*: choose a model, open its maps, write another text, choose a picture."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_server import AppServer
from tests.browser.choices import option
from tests.browser.conftest import open_page, ready
from tests.browser.drawn import GRID, HEADING, drawn_state, wait_until_drawn
from tests.browser.overflow import PHONE, WIDE, assert_nothing_overflows
from tests.browser.uncatalogued import uncatalogued
from tests.model.hub import tiny
from views.text.catalogue import PSEUDO, PSEUDO_SWITCH

NAMES = ("gpt2", "vit")


@pytest.fixture(scope="module")
def app(browser, tmp_path_factory) -> Iterator[AppServer]:
    """An app that may open tiny models with random weights."""
    logging.getLogger("transformers").setLevel(logging.ERROR)
    folder = tmp_path_factory.mktemp("models")
    listed = ", ".join(str(tiny.save(name, folder / name)) for name in NAMES)
    with AppServer(ATLAS_MODELS=listed, **{PSEUDO_SWITCH: "1"}) as app:
        yield app
        log = app.log()
    assert "Traceback" not in log, log


def choose_model(page: Page, name: str) -> None:
    page.get_by_role("combobox", name=re.compile("Model")).click()
    page.get_by_role("option", name=name, exact=True).click()


@pytest.mark.nightly
def test_a_decoder_from_the_list_to_a_single_head(page: Page, app: AppServer):
    open_page(page, f"{app.url}/models")
    expect(page.get_by_test_id("stDataFrame")).to_be_visible()  # what may be opened
    choose_model(page, "gpt2")
    expect(page.get_by_text("Proven when it was opened")).to_be_visible()
    wait_until_drawn(page)
    assert "The" in drawn_state(page)
    page.get_by_role("combobox", name="Head").select_option(value="3")
    page.wait_for_function(f"() => {HEADING} === 'Masked decoder self-attention, layer 1, head 3'")
    before = drawn_state(page)
    box = page.get_by_label("Text", exact=True)
    box.fill("A quick fox wants a car.")
    box.press("Enter")
    wait_until_drawn(page, before)
    assert page.evaluate(f"{GRID}.dataset.drawn").startswith("masked decoder self-attention: [CLS] A")
    ready(page)
    page.get_by_role("radio", name="One weight").click()
    expect(page.get_by_text("Which numbers make the product")).to_be_visible()
    ready(page)
    option(page, "Heads").click()
    expect(page.get_by_text("score here")).to_be_visible()
    ready(page)
    option(page, "What if").click()
    expect(page.get_by_text("Loss, after")).to_be_visible()
    ready(page)
    changed = page.get_by_test_id("stMetricValue").nth(1)
    before = changed.inner_text()
    page.locator(".st-key-heads1").get_by_role("button", name="2", exact=True).click()
    expect(changed).not_to_have_text(before)


@pytest.mark.nightly
@pytest.mark.parametrize("view", ["look=maps", "look=one-weight", "part=heads", "part=what-if&heads1=2"])
def test_nothing_overflows(page: Page, app: AppServer, view: str):
    open_page(page, f"{app.url}/models?model=gpt2&text=A+quick+fox+wants+a+car.&{view}")
    assert_nothing_overflows(page, WIDE, PHONE)


@pytest.mark.nightly
def test_a_picture_model(page: Page, app: AppServer):
    open_page(page, f"{app.url}/models?model=vit")
    wait_until_drawn(page)
    assert "CLS" in drawn_state(page)
    expect(page.get_by_alt_text("the picture, scaled")).to_be_visible()
    assert_nothing_overflows(page, WIDE)
    option(page, "Any patch").click()
    expect(page.get_by_text("What it attends to as PNG")).to_be_visible()
    page.get_by_label("Patch row").select_option("4")
    ready(page)
    page.wait_for_function("() => location.search.includes('row=4')")
    option(page, "Through the layers").click()
    expect(page.locator(".quiet").filter(has_text="Strongest: row")).to_have_count(4)
    ready(page)
    assert_nothing_overflows(page, PHONE)


@pytest.mark.nightly
def test_every_text_of_the_page_is_in_the_catalogue(page: Page, app: AppServer):
    open_page(page, f"{app.url}/models?model=gpt2&part=what-if&layer=2&head=3&lang={PSEUDO}")
    expect(page.get_by_test_id("stMetricValue")).to_have_count(3)
    ready(page)
    assert uncatalogued(page) == []


@pytest.fixture(scope="module")
def any_app(browser, tmp_path_factory) -> Iterator[tuple[AppServer, str]]:
    """An app that may open any model, and the folder of one."""
    folder = tmp_path_factory.mktemp("own") / "secret-folder"
    tiny.save("gpt2", folder)
    with AppServer(ATLAS_MODELS="any") as app:
        yield app, str(folder)


@pytest.mark.nightly
def test_a_reload_keeps_the_own_folder_in_its_tab_alone(page: Page, any_app: tuple[AppServer, str]):
    app, folder = any_app
    open_page(page, f"{app.url}/models")
    box = page.get_by_label("A folder on this machine")
    box.fill(folder)
    box.press("Enter")
    expect(page.get_by_text("Proven when it was opened")).to_be_visible()
    wait_until_drawn(page)
    option(page, "What if").click()
    expect(page.get_by_text("Loss, after")).to_be_visible()
    page.wait_for_function("() => location.search.includes('part=what-if')")
    page.reload()
    expect(page.get_by_text("Loss, after")).to_be_visible()
    assert "secret" not in page.url and "model=own" in page.url
    token = page.evaluate("() => sessionStorage.getItem('models-folder')")
    assert token and "secret" not in token and token not in page.url
    other = page.context.new_page()
    open_page(other, page.url)
    expect(other.get_by_text("a link cannot open a folder")).to_be_visible()
    assert other.get_by_text("Proven when it was opened").count() == 0
    other.close()
