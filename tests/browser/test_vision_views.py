"""Use Through the layers and Positions: choose a class, point at a cell, shuffle, on any screen."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from model.attribution.vision_analysis import position_similarity
from tests.browser.app_server import AppServer
from tests.browser.conftest import PATIENCE, open_page, ready
from tests.browser.keys import tab_to
from tests.browser.overflow import PHONE, WIDE, assert_nothing_overflows
from tests.model.images import CLASSES
from tests.pages.vision.views import service, trace
from views.text.numbers import percent

# What the curves on the page are called, areas included; "" until both figures are drawn.
LEGENDS = """() => {
    const figures = [...document.querySelectorAll('.js-plotly-plot')].filter((figure) => figure._fullData?.length)
    return figures.length !== 2 ? "" : figures.map((f) => f._fullData.map((line) => line.name).join()).join("/")
}"""


@pytest.fixture(scope="module")
def app(browser) -> Iterator[AppServer]:
    with AppServer("tests/browser/layers_app.py") as app:
        yield app
        log = app.log()
    assert "Traceback" not in log, log


def legends(page: Page, previous: str = "") -> str:
    """Wait until both figures differ from `previous`; return names and areas of all curves."""
    script = f"""previous => {{
        const [deletion, insertion] = ({LEGENDS})().split("/"), [before, also] = previous.split("/")
        return Boolean(insertion) && deletion !== before && insertion !== also
    }}"""
    page.wait_for_function(script, arg=previous, timeout=PATIENCE)
    ready(page)
    return page.evaluate(LEGENDS)


@pytest.mark.nightly
def test_another_class_has_other_curves_and_a_link_brings_them_back(page: Page, app: AppServer):
    open_page(page, app.url)
    first = legends(page)
    other = (trace().answer + 1) % len(CLASSES)
    page.get_by_role("combobox", name=re.compile("Explain")).click()
    page.get_by_role("option", name=CLASSES[other], exact=True).click()
    second = legends(page, first)
    expect(
        page.get_by_text(f"Explained: {CLASSES[other]}, {percent(float(trace().probabilities[other]))}.")
    ).to_be_visible()
    ready(page)  # the address is written last
    assert f"explain={other + 1}" in page.url
    open_page(page, page.url)
    assert legends(page) == second
    expect(page.locator(".quiet").filter(has_text="Strongest: row")).to_have_count(4)


@pytest.mark.nightly
def test_pointing_at_a_cell_names_both_patches_and_the_value(page: Page, app: AppServer):
    open_page(page, f"{app.url}?view=positions")
    chart = page.locator(".js-plotly-plot").first
    chart.locator(".heatmaplayer .hm").wait_for(state="attached")
    area = chart.locator(".nsewdrag").first.bounding_box()
    # The map of the patch in row 2, column 1 and in it the cell in row 1, column 3: cell (4, 2) of 11 x 11.
    page.mouse.move(area["x"] + area["width"] * 2.5 / 11, area["y"] + area["height"] * 4.5 / 11)
    label = chart.locator(".hoverlayer")
    expect(label).to_contain_text("patch in row 2, column 1")
    expect(label).to_contain_text("and in row 1, column 3")
    value = float(position_similarity(service().model.network)[3, 2])
    number = float(re.search(r"column 3\s*(-?[\d.]+)$", label.text_content().replace("\u2212", "-")).group(1))
    assert number == pytest.approx(value, rel=1e-5)


@pytest.mark.nightly
def test_shuffling_again_from_the_keyboard_moves_the_bars(page: Page, app: AppServer):
    open_page(page, f"{app.url}?view=positions")
    bars = page.locator(".aa-moves")
    before = bars.inner_text()
    tab_to(page.get_by_role("button", name="Shuffle again"))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("shuffle=2"))
    expect(bars).not_to_have_text(before, use_inner_text=True)
    page.get_by_text("Both", exact=True).click()
    expect(page.get_by_alt_text("The picture, shuffled, without position vectors.")).to_be_visible()


@pytest.mark.nightly
@pytest.mark.parametrize("view", ["layers", "positions"])
def test_nothing_overflows(page: Page, app: AppServer, view: str):
    open_page(page, f"{app.url}?view={view}")
    expect(page.locator(".js-plotly-plot .main-svg").nth(3)).to_be_attached()
    ready(page)
    for size in (WIDE, PHONE):
        assert_nothing_overflows(page, size)
        # Columns that are next to each other on a wide screen are stacked on a narrow one.
        charts = [chart.bounding_box() for chart in page.locator(".js-plotly-plot").all()]
        assert (charts[0]["x"] == charts[1]["x"]) == (size == PHONE)
