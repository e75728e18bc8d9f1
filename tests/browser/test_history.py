"""The page *Before the Transformer* in a browser: views that follow its sliders, and the sliders in the address."""

from __future__ import annotations

from urllib.parse import parse_qs, quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Server, open_page, ready
from tests.browser.dragging import count_messages
from tests.browser.keys import tab_to
from tests.browser.overflow import PHONE
from tests.tiers import nightly

TIRED = quote("The animal didn't cross the street because it was too tired.")


def slider(page: Page, axis: str):
    return page.locator(f'input[data-axis="{axis}"]')


def address(page: Page, name: str) -> list[str]:
    return parse_qs(urlsplit(page.url).query).get(name, [])


def wait_for_address(page: Page, name: str, value: str) -> None:
    page.wait_for_function(
        "([name, value]) => new URLSearchParams(location.search).get(name) === value", arg=[name, value]
    )


def test_steps_and_units_follow_their_sliders_without_the_server(page: Page, server: Server):
    """One message is sent a moment after the last move, for the address."""
    open_page(page, f"{server.url}/history?unit=40&text={TIRED}")
    formula = page.locator(".step-view .formula").first
    expect(formula).to_contain_text("Step 17 reads The. In unit 40")
    count_messages(page)
    tab_to(slider(page, "step"))
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    expect(formula).to_contain_text("Step 15 reads did. In unit 40")
    wait_for_address(page, "step", "15")
    assert page.evaluate("window.sent") == 1
    assert address(page, "unit") == ["40"]


@pytest.mark.nightly
def test_a_link_opens_the_same_step_and_another_direction_starts_at_the_last(page: Page, server: Server):
    open_page(page, f"{server.url}/history?direction=both&token=3&unit=7&text={TIRED}")
    expect(page.locator(".step-view .formula").first).to_contain_text("At token 3, did")
    page.locator(".st-key-direction").get_by_role("radio").nth(1).click()
    ready(page)
    expect(page.locator(".step-view .formula").first).to_contain_text("reads </s>. In unit 7")


@pytest.mark.nightly
def test_a_chosen_token_shows_its_gradient_and_its_replacement(page: Page, server: Server):
    open_page(page, f"{server.url}/history?part=forgetting&token=3&text={TIRED}")
    formula = page.locator(".step-view .formula").first
    expect(formula).to_contain_text("tired: the size of d(last state)/d(input) is")
    before = formula.inner_text()
    plot = page.locator(".step-view .curves svg[role=img]").first
    box = plot.bounding_box()
    plot.click(position={"x": box["width"] - 5, "y": 30})
    expect(formula).to_contain_text("The: the size")
    assert formula.inner_text() != before
    wait_for_address(page, "token", "17")
    expect(page.get_by_text("Measured over 500 held-out sentences")).to_be_visible()


@pytest.mark.nightly
def test_gates_follow_a_unit_and_a_held_gate_changes_the_translation(page: Page, server: Server):
    open_page(page, f"{server.url}/history?part=gates")
    expect(page.locator(".step-view .heatmap canvas.picked")).to_have_count(4)
    unit = slider(page, "unit")
    tab_to(unit)
    page.keyboard.press("End")
    first_unit = page.locator(".step-view .slider").nth(1).locator("b").inner_text()
    wait_for_address(page, "unit", first_unit)
    translations = page.locator("[lang=fr]")
    choices = page.locator(".st-key-held").get_by_role("radio")
    expect(choices.nth(0)).to_be_checked()  # no gate is held
    choices.nth(1).click()
    expect(translations).to_have_count(2)
    expect(translations.last).not_to_have_text(translations.first.inner_text())
    assert unit.get_attribute("aria-valuetext").endswith(first_unit)


@pytest.mark.nightly
def test_the_chart_script_is_preloaded_before_the_section_with_a_chart(page: Page, server: Server):
    """It is fetched in idle time: the section itself requests no script of charts."""
    with page.expect_response(lambda answer: "/static/js/PlotlyChart." in answer.url) as answer:
        open_page(page, f"{server.url}/history")
        expect(page.locator(".step-view .formula").first).to_contain_text("In unit")
    answer.value.finished()
    requested = []
    page.on("request", lambda request: requested.append(request.url) if "PlotlyChart" in request.url else None)
    page.get_by_role("radio", name="Why drop recurrence", exact=True).click()
    expect(page.locator(".js-plotly-plot .scatterlayer .trace")).to_have_count(5)
    assert requested == []


@pytest.mark.nightly
@pytest.mark.parametrize("part", ["one-word", *map(nightly, ("forgetting", "gates", "attention-over-states"))])
def test_a_thumb_reaches_every_step(page: Page, server: Server, part: str):
    page.set_viewport_size(PHONE)
    open_page(page, f"{server.url}/history?part={part}&step=1")
    control = page.locator(".step-view .slider").first
    before = control.locator(".at").inner_text()
    control.get_by_role("button").last.click()
    expect(control.locator(".at")).not_to_have_text(before)
    assert control.get_by_role("button").last.bounding_box()["height"] >= 28
    assert page.locator(".step-view .scroll").evaluate_all(
        "all => all.every((box) => box.scrollWidth <= box.clientWidth)"
    )
