"""Open a view of the app and run all checks that every view must pass.

The app is in the pseudo-language: it marks texts of the catalogue, and texts are longer than in English.

A check is a function of the Playwright page and the view; to add one, write it and put it into `CHECKS`. Invisible
errors, such as a refusal by the Content-Security-Policy, are recorded by `tests.browser.policy.Watch`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import open_page, ready
from tests.browser.overflow import (
    PHONE,
    WIDE,
    ZOOMED,
    assert_no_box_hides_rows,
    assert_nothing_overflows,
    assert_special_tokens_are_whole,
    wait_until_it_fits,
)
from tests.browser.stillness import largest_shift, layout_shift
from tests.browser.uncatalogued import uncatalogued
from tests.every_view import PAGES, PARTS, VIEWS, View
from views import palette
from views.controls import samples, sentence_input
from views.text.catalogue import in_brackets

Check = Callable[[Page, View], None]
FULL = os.environ.get("ATLAS_WALK") == "full"  # `make walk`
MAIN = '[data-testid="stMain"]'


@dataclass(frozen=True)
class Visit:
    """A way to open a view: the screen's size, the theme, and by its link or by choosing its part."""

    view: View
    size: dict[str, int]
    scheme: str
    by_link: bool

    @property
    def id(self) -> str:
        """A name for reports."""
        width = "wide" if self.size == WIDE else "phone"
        return f"{self.view.id}-{width}-{self.scheme}-{'link' if self.by_link else 'choice'}"


WAYS = [(size, scheme) for scheme in ("light", "dark") for size in (WIDE, PHONE)]


def first_visits(views: tuple[View, ...]) -> list[Visit]:
    """Return one visit by link to the view that each page opens first; sizes and themes alternate."""
    firsts = [view for view in views if view.opens_first and not view.more]
    return [Visit(view, *WAYS[number % 4], True) for number, view in enumerate(firsts)]


def all_visits(views: tuple[View, ...]) -> list[Visit]:
    """Return every view on both screens in both themes, twice by its link and twice by choosing it."""
    return [Visit(view, *way, place % 3 == 0) for place, way in enumerate(WAYS) for view in views]


def open_visit(page: Page, url: str, visit: Visit) -> None:
    """Open the view in the app at `url` and wait until it is drawn; `make walk` measures how it moved.

    The page's context has run `stillness.SHIFTS`.
    """
    view = visit.view
    page.set_viewport_size(visit.size)
    page.emulate_media(color_scheme=visit.scheme)
    if visit.by_link or not view.part:
        open_page(page, f"{url}/{view.address()}")
    else:
        if (
            urlsplit(page.url).path != f"/{view.path}"
            or chosen_option(page, view.key) in (None, view.place)
            or view.more
        ):
            start = next(other for other in VIEWS if other.page == view.page and other.part != view.part)
            open_page(page, f"{url}/{start.address(**view.more)}")
        page.locator(f".st-key-{view.key}").get_by_role("radio").nth(view.place).click()
        wait_for_address(page, view)
    ready(page)
    page.wait_for_function(DRAWN)
    if FULL and visit.by_link:
        assert layout_shift(page) <= largest_shift(view.page, view.opens_first and not view.more)


def chosen_option(page: Page, key: str) -> int | None:
    """Return the index of the selected option in a row of buttons; None without one."""
    places = page.locator(f'{MAIN} :is(.st-key-{key} [role="radio"], input[name="{key}"])').evaluate_all(
        """(options) => {
            const isChosen = (option) => option.checked ?? option.ariaChecked === "true"
            return [...options.keys()].filter((place) => isChosen(options[place]))
        }"""
    )
    return places[0] if len(places) == 1 else None


# Playwright's selectors of what only this part of a page shows, most of it the line of the part's check.
ONLY_HERE = {
    "history": {
        "one-word": "text=library\u2019s fused layer",
        "without-projections": "text=given one-hot values",
        "recurrence": "text=the drawing has",
        "gates": "text=every gate and state computed again",
        "forgetting": "text=The states of your sentence in a batch with the replaced ones",
    },
    "tokens": {
        "step-by-step": "text=first layer read is",
        "neighbours": "text=all cosines again",
        "dimensions": "text=comparing the words one by one",
        "spelling": "text=joined again",
        "contexts": "text=embeddings of the word differ by",
        "word-order": "text=with all positions set to 0",
        "sizes": "text=its weight file has",
    },
    "positions": {
        "table": "text=the table drawn here",
        "wavelengths": "text=own second row",
        "why-sinusoids": "text=positions that both lengths have",
        "similarity": "text=for no distance do the products",
        "rotation": "text=A matrix fitted to the table",
        "orthogonality": "text=200,000 samples",
        "basis": "text=used; they leave",
        "vectors": "text=LAPACK\u2019s determinant",
        "other-models": "text=do two pairs differ",
        "trained-model": "text=taken off and put back",
        "compared": "text=of all networks recomputed",
    },
    "masks": {
        "your-sentence": 'canvas[aria-label*="3 Weights"]',
        "causality": 'canvas[aria-label*="Without a mask"]',
        "padding": 'canvas[aria-label*="Weights without it"]',
    },
    "inside": {
        "seven-steps": 'table[aria-label*="All seven steps"]',
        "one-query": 'table[aria-label*="One query against all keys"]',
        "heads": 'table[aria-label*="Shapes of multi-head attention"]',
        "memory": 'canvas[aria-label*="contiguous"]',
        "scaling": 'table[aria-label*="Variance, entropy and gradient by d_k"]',
        "feed-forward": 'table[aria-label*="Units by token"]',
        "add-norm": 'table[aria-label*="Means and variances"]',
    },
    "decoding": dict.fromkeys(PARTS["decoding"][1], ".aa-table") | {"step-by-step": ".step-view td"},
    "loss": dict.fromkeys(PARTS["loss"][1], ".aa-table, .step-view td, .js-plotly-plot .trace"),
    "vision": {
        "patches": "text=The order of the sequence",
        "cls": "text=CLS as the query, ",
        "any-patch": "text=What it attends to\u27e7 as PNG",
        "layers": "text=Where the methods come from",
        "positions": "text=Attention distance",
        "convolution": "text=once more through the Vision Transformer",
    },
}

# Every chart and every picture is there.
DRAWN = """() => {
    const main = document.querySelector('[data-testid="stMain"]')
    const charts = [...main.querySelectorAll('[data-testid="stPlotlyChart"]')]
    return charts.every((chart) => chart.querySelector(".main-svg"))
        && [...main.querySelectorAll("img")].every((image) => image.complete && image.naturalWidth)
        && !main.querySelector('[data-testid="stSkeleton"]')
}"""

# The table below an open fold: Streamlit's, or one that a component draws.
TABLE = """fold => (fold.querySelector('[data-testid="stDataFrame"]') ?? fold.querySelector("td"))?.checkVisibility()"""


# What a page chooses itself where its link does not, and names in its address.
CHOSEN_BY_PAGE = {"attention": "kind|layer|head|lines", "compare": r"of|do|heads\d", "vision": r"vdo|vheads\d"}


def expected_address(view: View) -> list[tuple[str, str]]:
    """Return the settings in the address of an open view, without those in `CHOSEN_BY_PAGE`.

    The sentence and the picture are always among them.
    """
    picture = {"picture": samples.NAMES[0]} if view.page == "vision" else {}
    return sorted((picture | {"text": sentence_input.DEFAULT} | view.settings).items())


def is_chosen_by_page(view: View, name: str) -> bool:
    """Return True if the page has chosen a setting of its address itself."""
    return name not in view.settings and bool(re.fullmatch(CHOSEN_BY_PAGE.get(view.page, ""), name))


def wait_for_address(page: Page, view: View) -> None:
    """Wait for the address of a view; it is written last."""
    page.wait_for_function(
        """([expected, names, chosen]) => {
            const byPage = (name) => !names.includes(name) && new RegExp(`^(${chosen})$`).test(name)
            const settings = [...new URLSearchParams(location.search)].filter(([name]) => !byPage(name))
            return JSON.stringify(settings.sort()) === JSON.stringify(expected)
        }""",
        arg=[
            [list(pair) for pair in expected_address(view)],
            list(view.settings),
            CHOSEN_BY_PAGE.get(view.page, ""),
        ],
    )


def check_address(page: Page, view: View) -> None:
    """Assert that the address has the selection and nothing else, and that its page is open with that part."""
    wait_for_address(page, view)
    address = urlsplit(page.url)
    settings = [pair for pair in parse_qsl(address.query) if not is_chosen_by_page(view, pair[0])]
    assert (address.path, sorted(settings)) == (f"/{view.path}", expected_address(view))
    expect(page.locator(f"{MAIN} h1")).to_have_text(in_brackets(PAGES[view.page]))
    if view.key:
        assert chosen_option(page, view.key) == view.place
    for key in view.more:
        assert chosen_option(page, key) != 0  # None where it is no row of buttons; the address has it


def check_list_of_parts(page: Page, view: View) -> None:
    if view.key:
        offered = page.locator(f"{MAIN} .st-key-{view.key}").get_by_role("radio").count()
        assert offered == len(PARTS[view.page][1])


def check_own_content(page: Page, view: View) -> None:
    selector = ONLY_HERE.get(view.page, {}).get(view.part)
    if selector and not view.more:  # other settings may show another check
        own = expect(page.locator(MAIN).locator(selector).first)
        own.to_be_attached() if selector.startswith("text=") else own.to_be_visible()  # a check's line is in a fold


def check_no_errors(page: Page, view: View) -> None:
    """Assert that there is no error, no failed component and no formula that was not rendered."""
    assert page.get_by_test_id("stException").count() == 0
    assert page.get_by_test_id("stAlertContentError").count() == 0
    assert page.get_by_text("BidiComponent Error").count() == 0
    assert page.locator(".katex-error").count() == 0
    assert "$" not in page.locator(MAIN).inner_text()


def check_theme(page: Page, view: View) -> None:
    scheme = page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'")
    red, green, blue = (int(palette.BACKGROUND[scheme][place : place + 2], 16) for place in (1, 3, 5))
    expect(page.get_by_test_id("stApp")).to_have_css("background-color", f"rgb({red}, {green}, {blue})")


def check_tables(page: Page, view: View) -> None:
    """Open the first table of numbers and wait until it is drawn."""
    tables = page.get_by_text("Numbers as a table")
    if tables.count():
        fold = page.locator("details").filter(has=tables.first).first
        if not fold.evaluate("details => details.open"):  # one that was open on the part before may have stayed so
            tables.first.click()
        page.wait_for_function(TABLE, arg=fold.element_handle())
        ready(page)  # opening it runs the page, which fades what may change
        wait_until_it_fits(page)


def check_both_screens(page: Page, view: View) -> None:
    """Assert that nothing overflows, hides rows or is outside the catalogue, on the other screen and on this one.

    Nor at 200 %, on the first view of each page; `make walk` checks all.
    """
    size = page.viewport_size
    if FULL or view.opens_first:
        assert_nothing_overflows(page, ZOOMED)
        assert_no_box_hides_rows(page)
    for screen in (PHONE if size == WIDE else WIDE, size):
        assert_nothing_overflows(page, screen)
        assert_special_tokens_are_whole(page)
        if screen == PHONE:
            assert_no_box_hides_rows(page)
        texts = uncatalogued(page)
        assert texts == [], texts


def check_accessibility(page: Page, view: View) -> None:
    """Run axe with the numbers open, on the first view of each page; `make walk` checks all."""
    if FULL or view.opens_first:
        problems = violations(page)
        assert problems == [], "\n".join(problems)


CHECKS: tuple[Check, ...] = (
    check_address,
    check_list_of_parts,
    check_own_content,
    check_no_errors,
    check_theme,
    check_both_screens,
    check_tables,
    check_accessibility,
)


def check(page: Page, view: View) -> None:
    """Run all checks on a view."""
    for run_check in CHECKS:
        run_check(page, view)
