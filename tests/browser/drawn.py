"""What is drawn on the pages at this moment, for tests and benchmarks. Each text is JavaScript, read in the page."""

from __future__ import annotations

from playwright.sync_api import Page

PATIENCE = 60_000  # milliseconds

# The heatmap on the page, with its numbers decoded; null until it is drawn.
PLOT = """(() => {
    const plot = document.querySelector('[data-testid="stMain"] .js-plotly-plot')
    return plot?.querySelector('.hm') ? plot._fullData?.[0] : null
})()"""

# The heatmap's pixels as they are in the document, and all words in bold, of which some are its heading.
PICTURE = """document.querySelector('[data-testid="stMain"] .hm image')?.href.baseVal"""
BOLD = """[...document.querySelectorAll('[data-testid="stMain"] strong')].map((words) => words.textContent)"""

# The overview and the heatmap name the tokens they were drawn from; "" while one of them is missing.
STATE = f"""(() => {{
    const holders = [...document.querySelectorAll('.st-key-grid, .st-key-grid *')]
    const overview = holders.map((holder) => holder.shadowRoot?.querySelector('.grid-root')).find(Boolean)
    const map = {PLOT}
    if (!overview?.dataset.drawn || !map) return ""
    return overview.dataset.drawn + "\\n" + [...map.y, "/", ...map.x].join(" ")
}})()"""

# Title and everything below it: the first page with the translation and the model's drawing, and the attention page.
TITLE = """document.querySelector('[data-testid="stMain"] h1')?.textContent"""
TRANSLATE = f"""({TITLE} === "Translate" && document.querySelector(".aa-cards")
    && [...document.querySelectorAll(".st-key-architecture, .st-key-architecture *")]
        .some((holder) => holder.shadowRoot?.querySelector("svg"))
    && !document.querySelector('[data-testid="stMain"] [data-stale=true]'))"""
ATTENTION = f"""({TITLE} === "Attention" && {STATE} !== ""
    && !document.querySelector('[data-testid="stMain"] [data-stale=true]'))"""


def drawn_state(page: Page) -> str:
    """A text that changes with the sentence that overview and detail show; empty while one of them is missing."""
    return page.evaluate(STATE)


def wait_until_drawn(page: Page, previous: str = "") -> None:
    """Wait until overview and detail are both drawn, and both from another sentence than `previous` was."""
    page.wait_for_function(f"previous => {another('previous')}", arg=previous, timeout=PATIENCE, polling="raf")


def another(previous: str) -> str:
    """True where overview and detail both show another sentence than the state that the variable `previous` holds."""
    return f"""(() => {{
        const [overview, detail] = {STATE}.split("\\n")
        const [overviewBefore, detailBefore] = {previous}.split("\\n")
        return Boolean(detail) && overview !== overviewBefore && detail !== detailBefore
    }})()"""
