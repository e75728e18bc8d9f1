"""The step view's script on known numbers, in an empty page: drawing, announcements and messages."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model.decoding.sampling_stages import sampling_stages
from tests.browser.keys import tab_to
from tests.browser.mounting import mount_component
from views import palette
from views.components.component import selection_mark
from views.components.step_view import (
    Axis,
    BarColumn,
    BarsPanel,
    Curve,
    CurvesPanel,
    FormulaPanel,
    HeatmapPanel,
    Numbers,
    StepView,
    number_axis,
    payload,
)
from views.text.numbers import three_digits

TOKENS = ("the", "<b>", "sat", "down")
UNITS = 6
HIDDEN = np.random.default_rng(0).normal(size=(4, UNITS)).astype(np.float32)
SCORES = np.random.default_rng(1).random((4, 3)).astype(np.float32)


def make_view(hidden: np.ndarray = HIDDEN) -> StepView:
    return StepView(
        (
            Axis("token", "Token", TOKENS, data_kind="token"),
            Axis("unit", "Unit", size=UNITS),
            Axis("key", "Key", ("a", "b", "c"), slider=False, data_kind="token"),
        ),
        {"h": Numbers(hidden, ("token", "unit")), "score": Numbers(SCORES, ("token", "key"))},
        (
            FormulaPanel("token {token#} is {token}, unit {unit}: {h}"),
            HeatmapPanel("states", "h", rows="token", columns="unit", top=3.0),
            HeatmapPanel("scores", "score", rows="token", columns="key", signed=False),
            CurvesPanel("one unit", along="token", curves=(Curve("h", "h"),)),
            BarsPanel("scores of the token", along="key", columns=(BarColumn("score", "score"),)),
        ),
    )


@pytest.fixture
def mount(page: Page):
    """Show a view in an empty page; the script's messages are collected in `window.answers`."""

    def mount_view(view: StepView, places: dict[str, int], background: str = "#FFFFFF") -> Page:
        mount_component(page, "step_view", "step-view", payload(view, "light"), background, selection_mark(places))
        return page

    return mount_view


def format_value(value: float) -> str:
    return three_digits(float(value))


def slider(page: Page, axis: str):
    return page.locator(f'input[data-axis="{axis}"]')


def test_the_initial_step_is_that_of_the_payload(mount):
    page = mount(make_view(), {"token": 1, "unit": 4})
    expect(page.locator(".formula")).to_have_text(f"token 2 is <b>, unit 5: {format_value(HIDDEN[1, 4])}")
    assert slider(page, "token").input_value() == "2"
    assert slider(page, "unit").get_attribute("aria-valuetext") == "Unit 5 of 6"
    expect(page.locator(".queries .at").first).to_have_text("<b>")


def test_a_heatmap_has_the_colours_of_its_numbers(mount):
    page = mount(make_view(), {"token": 0, "unit": 0})
    script = "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    drawn = np.array(page.locator(".heatmap canvas").first.evaluate(script)).reshape(4, UNITS, 4)[..., :3]
    stops = np.array([palette.to_rgb(colour) for colour in palette.signed_scale("encoder", "light")], dtype=float)
    places = (np.clip(HIDDEN, -3, 3) + 3) / 6 * (len(stops) - 1)
    expected = np.stack([np.interp(places, range(len(stops)), stops[:, channel]) for channel in range(3)], axis=-1)
    assert np.abs(drawn - expected).max() <= 6  # 256 shades


def test_all_panels_follow_a_key_on_a_slider_immediately(mount):
    page = mount(make_view(), {"token": 0, "unit": 2})
    tab_to(slider(page, "token"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".formula")).to_have_text(f"token 3 is sat, unit 3: {format_value(HIDDEN[2, 2])}")
    assert page.locator(".bars .number").all_inner_texts() == [format_value(score) for score in SCORES[2]]
    assert page.locator(".curves .line-name b").first.inner_text() == format_value(HIDDEN[2, 2])
    page.wait_for_function("window.answers.length > 0")
    assert page.evaluate("window.answers") == [["places", {"token": 2, "unit": 2}]]  # once, a moment later
    expect(page.locator(".step-view > .heard")).to_contain_text("token 3 is sat")


@pytest.fixture
def clock(page: Page) -> Iterator:
    """The page's clock, which only the test advances, so that results do not depend on the machine's speed."""
    page.clock.install()
    page.clock.pause_at(time.time() + 60)
    yield page.clock
    page.clock.resume()


def test_nothing_is_sent_while_a_slider_is_dragged(mount, clock):
    page = mount(make_view(), {"token": 0, "unit": 2})
    clock.run_for(1_000)
    tab_to(slider(page, "token"))
    page.keyboard.press("ArrowRight")
    box = slider(page, "unit").bounding_box()
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] / 2, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.9, middle, steps=4)
    clock.run_for(5_000)
    expect(page.locator(".formula")).to_have_text(f"token 2 is <b>, unit 6: {format_value(HIDDEN[1, 5])}")
    assert page.evaluate("window.answers") == []
    page.mouse.up()
    clock.run_for(5_000)
    assert page.evaluate("window.answers") == [["places", {"token": 1, "unit": 5}]]


def test_a_click_into_a_heatmap_or_a_curve_moves_the_sliders(mount):
    page = mount(make_view(), {"token": 0, "unit": 0})
    field = page.locator(".heatmap canvas.picked").first
    box = field.bounding_box()
    field.click(position={"x": box["width"] * 3.5 / UNITS, "y": box["height"] * 3.5 / 4})
    expect(page.locator(".formula")).to_have_text(f"token 4 is down, unit 4: {format_value(HIDDEN[3, 3])}")
    plot = page.locator(".curves svg[role=img]").first
    plot.click(position={"x": plot.bounding_box()["width"] * 1.5 / 4, "y": 20})
    expect(page.locator(".formula")).to_have_text(f"token 2 is <b>, unit 4: {format_value(HIDDEN[1, 3])}")


def test_a_pointer_reads_cells(mount):
    page = mount(make_view(), {"token": 0, "unit": 0})
    box = page.locator(".heatmap canvas.picked").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 1.5 / UNITS, box["y"] + box["height"] * 2.5 / 4)
    tip = page.locator(".heatmap .tip:visible")
    expect(tip.locator(".pair")).to_have_text("Token sat, Unit 2")
    expect(tip.locator(".value")).to_have_text(format_value(HIDDEN[2, 1]))


def test_a_scale_of_their_own_follows_the_curves(mount):
    axes = (Axis("token", "Token", TOKENS, data_kind="token"), Axis("unit", "Unit", size=UNITS))
    curves = CurvesPanel("one unit", along="token", curves=(Curve("h", "h"),), own=True)
    page = mount(StepView(axes, {"h": Numbers(HIDDEN, ("token", "unit"))}, (curves,)), {"token": 0, "unit": 0})
    for unit in (1, 4):
        slider(page, "unit").fill(str(unit + 1))
        top, bottom = (float(end(HIDDEN[:, unit])) for end in (np.max, np.min))
        heights = "ticks => ticks.map(tick => [parseFloat(tick.textContent.replace('\u2212', '-')), tick.style.top])"
        ticks = [(value, float(at[:-2])) for value, at in page.locator(".tick:visible").evaluate_all(heights)]
        assert len(ticks) > 1 and all(bottom <= value <= top for value, _ in ticks)
        for value, at in ticks:  # 170 pixels from the highest number to the lowest, below 8 of an edge
            assert at == pytest.approx(8 + 170 * (top - value) / (top - bottom), abs=0.1)


def test_a_sent_value_is_not_applied_again(mount):
    page = mount(make_view(), {"token": 0, "unit": 0})
    slider(page, "token").fill("3")
    page.wait_for_function("window.answers.length > 0")
    slider(page, "token").fill("4")
    mount(make_view(), {"token": 2, "unit": 0})  # the answer to the first move comes after the second
    assert slider(page, "token").input_value() == "4"
    mount(make_view(), {"token": 1, "unit": 5})  # a link
    assert slider(page, "token").input_value() == "2" and slider(page, "unit").input_value() == "6"


def test_new_numbers_leave_the_sliders_where_they_are(mount):
    page = mount(make_view(), {"token": 0, "unit": 0})
    slider(page, "token").fill("3")
    mount(make_view(2 * HIDDEN), {"token": 0, "unit": 0})
    expect(page.locator(".formula")).to_have_text(f"token 3 is sat, unit 1: {format_value(2 * HIDDEN[2, 0])}")


def test_the_theme_is_the_pages(mount):
    page = mount(make_view(), {"token": 0, "unit": 0}, palette.BACKGROUND["dark"])
    assert ["theme", "dark"] in page.evaluate("window.answers")


def test_a_move_is_drawn_within_a_frame(mount):
    """448 units and 40 tokens: the median of forty moves, including all drawing, is below 33 ms."""
    hidden = np.random.default_rng(2).normal(size=(40, 448))
    axes = (Axis("token", "Token", tuple("abcdefghij" * 4), data_kind="token"), Axis("unit", "Unit", size=448))
    panels = (
        FormulaPanel("{h}"),
        HeatmapPanel("states", "h", rows="token", columns="unit"),
        CurvesPanel("one unit", along="token", curves=tuple(Curve(name, "h") for name in "abcdef")),
    )
    page = mount(StepView(axes, {"h": Numbers(hidden, ("token", "unit"))}, panels), {"token": 0, "unit": 0})
    took = page.evaluate(
        """async () => {
            const input = document.querySelector('input[data-axis="unit"]'), took = []
            for (let place = 2; place < 42; place++) {
                const began = performance.now()
                input.value = place
                input.dispatchEvent(new Event("input"))
                document.querySelector("main").getBoundingClientRect()
                took.push(performance.now() - began)
                await new Promise(requestAnimationFrame)
            }
            return took.sort((one, other) => one - other)[20]
        }"""
    )
    assert took < 33, json.dumps(took)


def make_sampling_view(temperature: float, top_k: int, top_p: float) -> StepView:
    """The choice of a token from known logits, two of them equal, as the page shows it with these settings."""
    logits = np.round(np.random.default_rng(3).normal(0, 3, 200), 1).astype(np.float32)
    logits[np.argsort(-logits)[4]] = np.sort(logits)[-4]
    stages = sampling_stages(logits, temperature, top_k, top_p)
    ids, row = stages.order[:8], ("row",)
    values = [[0.3, 1.0, 2.5], [0, 1, 4, 150], [0.05, 0.6, 1.0]]
    chosen = {"try_temperature": temperature, "try_k": top_k, "try_p": top_p}
    sliders = [number_axis(id, id, each, each[0]) for id, each in zip(chosen, values, strict=True)]
    numbers = {
        "sorted": Numbers(logits[stages.order], ("all",)),
        "rank": Numbers(np.arange(1, 9), row, whole=True),
        "scaled": Numbers(stages.scaled[ids], row),
        "filtered": Numbers(np.where(stages.kept, stages.scaled, np.nan)[ids], row),
        "probability": Numbers(stages.probabilities[ids], row),
        "kept": Numbers(stages.kept.sum(), whole=True),
        "mass": Numbers(np.array(stages.kept_mass)),
    }
    columns = tuple(
        BarColumn(key, key, top=1.0, nothing="out") for key in ("rank", "scaled", "filtered", "probability")
    )
    places = {axis.id: list(axis.values).index(chosen[axis.id]) for axis in sliders}
    axes = (*sliders, Axis("row", "Row", size=8, slider=False), Axis("all", "", size=200, slider=False))
    return StepView(
        axes, numbers, (BarsPanel("choice", "row", columns), FormulaPanel("{kept}: {mass}")), "sampling", places
    )


def test_the_rule_of_sampling_gives_the_servers_numbers(mount):
    """Settings with all values, computed by the browser while a slider is dragged, then with the server's numbers."""
    start = make_sampling_view(1.0, 0, 1.0)
    page = mount(start, start.at)
    pairs = [(row, column) for row in range(3) for column in range(3)]
    for row, column in pairs:
        chosen = (0.3, 1.0, 2.5)[row], (0, 1, 4, 150)[(row + column) % 4], (0.05, 0.6, 1.0)[column]
        view = make_sampling_view(*chosen)
        for axis, place in view.at.items():
            slider(page, axis).fill(str(place + 1))
        own = page.locator("tbody tr, .formula").all_inner_texts()
        mount(view, view.at)
        assert page.locator("tbody tr, .formula").all_inner_texts() == own
        assert float(page.locator(".step-view").get_attribute("data-difference")) < 1e-5


def test_the_rule_of_smoothing_gives_the_servers_numbers(mount):
    p, (plain, even) = np.array([0.6, 0.3, 0.001]), (0.5, 9.01)

    def smoothed(percent: int) -> StepView:
        share = percent / 100
        q = share / 50 + np.array([1 - share, 0, 0])
        whole = np.concatenate([q[:1], np.full(49, share / 50)])
        entropy = -(whole[whole > 0] * np.log(whole[whole > 0])).sum()
        numbers = {
            "p": Numbers(p, ("row",)),
            "q": Numbers(q, ("row",)),
            "gradient": Numbers(p - q, ("row",)),
            "plain": Numbers(np.array(plain)),
            "even": Numbers(np.array(even)),
            "smoothed": Numbers(np.array((1 - share) * plain + share * even)),
            "smallest": Numbers(np.array(entropy)),
            "vocabulary": Numbers(np.array(50), whole=True),
        }
        axes = (number_axis("smoothing", "Smoothing", range(91), 10), Axis("row", "Row", size=3, slider=False))
        columns = tuple(BarColumn(key, key, top=1.0, signed=True) for key in ("q", "gradient"))
        panels = BarsPanel("target", "row", columns, taken=0), FormulaPanel("{smoothed} {smallest} of {vocabulary}")
        return StepView(axes, numbers, panels, "smoothing", {"smoothing": percent})

    page = mount(smoothed(10), {"smoothing": 10})
    assert page.locator(".taken").inner_text() == "1"
    for percent in (0, 1, 37, 90):
        slider(page, "smoothing").fill(str(percent + 1))
        own = page.locator("tbody tr, .formula").all_inner_texts()
        mount(smoothed(percent), {"smoothing": percent})
        assert page.locator("tbody tr, .formula").all_inner_texts() == own
        assert float(page.locator(".step-view").get_attribute("data-difference")) < 1e-5
