"""What is drawn on the Attention page at this moment, for tests and benchmarks."""

from __future__ import annotations

from playwright.sync_api import Page

PATIENCE = 60_000  # milliseconds

# The heatmap on the page, with its numbers decoded; null until it is drawn.
PLOT = """(() => {
    const plot = document.querySelector('[data-testid="stMain"] .js-plotly-plot')
    return plot?.querySelector('.hm') ? plot._fullData?.[0] : null
})()"""

# The overview and the heatmap name the pieces they were drawn from; "" while one of them is missing.
STATE = f"""(() => {{
    const holders = [...document.querySelectorAll('.st-key-grid, .st-key-grid *')]
    const overview = holders.map((holder) => holder.shadowRoot?.querySelector('.grid-root')).find(Boolean)
    const map = {PLOT}
    if (!overview?.dataset.drawn || !map) return ""
    return overview.dataset.drawn + "\\n" + [...map.y, "/", ...map.x].join(" ")
}})()"""


def drawn_state(page: Page) -> str:
    """A text that changes with the sentence that overview and detail show; empty while one of them is missing."""
    return page.evaluate(STATE)


def wait_until_drawn(page: Page, previous: str = "") -> None:
    """Wait until overview and detail are both drawn, and both from another sentence than `previous` was."""
    script = f"""previous => {{
        const [overview, detail] = {STATE}.split("\\n")
        const [overviewBefore, detailBefore] = previous.split("\\n")
        return Boolean(detail) && overview !== overviewBefore && detail !== detailBefore
    }}"""
    page.wait_for_function(script, arg=previous, timeout=PATIENCE, polling="raf")
