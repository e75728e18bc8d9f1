"""Read what the pages have drawn, for tests and benchmarks. Each constant is JavaScript that runs in the page."""

from __future__ import annotations

from playwright.sync_api import Page

PATIENCE = 180_000  # milliseconds

# The overview of the attention viewer with the selected map large next to it; null until both are drawn.
GRID = """(() => {
    const holders = [...document.querySelectorAll('.st-key-grid, .st-key-grid *')]
    const root = holders.map((holder) => holder.shadowRoot?.querySelector('.grid-root')).find(Boolean)
    return root?.dataset.drawn && root.querySelector('.detail')?.dataset.drawn ? root : null
})()"""

# The large map's heading, its numbers as its table has them once it is open, and its pixels.
HEADING = f"""{GRID}?.querySelector('.detail h2').textContent"""
NUMBERS = f"""(() => {{
    const detail = {GRID}?.querySelector('.detail')
    if (!detail) return null
    detail.querySelector('details').open = true
    const rows = [...detail.querySelectorAll('tbody tr')]
    return rows.map((row) => [...row.querySelectorAll('td')].map((cell) => (cell.title ? Number(cell.title) : null)))
}})()"""
PICTURE = f"""{GRID}?.querySelector('.detail .map canvas').toDataURL()"""
SCALE = f"""(() => {{
    const bar = {GRID}?.querySelector('.bar')
    return bar && [...bar.getContext('2d').getImageData(0, 0, bar.width, 1).data].filter((_, at) => at % 4 < 3)
}})()"""

# Overview and large map name the tokens they were drawn from; "" while one of them is missing.
STATE = f"""(() => {{
    const overview = {GRID}
    return overview ? overview.dataset.drawn + "\\n" + overview.querySelector('.detail').dataset.drawn : ""
}})()"""

# Title and everything below it: the first page with the translation and the model's drawing, and the attention page.
TITLE = """document.querySelector('[data-testid="stMain"] h1')?.textContent"""
TRANSLATE = f"""({TITLE} === "Attention Atlas" && document.querySelector(".aa-cards")
    && [...document.querySelectorAll(".st-key-architecture, .st-key-architecture *")]
        .some((holder) => holder.shadowRoot?.querySelector("svg"))
    && !document.querySelector('[data-testid="stMain"] [data-stale=true]'))"""
ATTENTION = f"""({TITLE} === "Attention" && {STATE} !== ""
    && !document.querySelector('[data-testid="stMain"] [data-stale=true]'))"""


def drawn_state(page: Page) -> str:
    """Return a text that changes with the sentence of overview and detail; empty while one of them is missing."""
    return page.evaluate(STATE)


def wait_until_drawn(page: Page, previous: str = "") -> None:
    """Wait until overview and detail are both drawn, and both from another sentence than `previous` was."""
    page.wait_for_function(
        f"previous => {shows_another_sentence('previous')}", arg=previous, timeout=PATIENCE, polling="raf"
    )


def shows_another_sentence(previous: str) -> str:
    """Return JavaScript: whether overview and detail both show another sentence than the state in `previous`."""
    return f"""(() => {{
        const [overview, detail] = {STATE}.split("\\n")
        const [overviewBefore, detailBefore] = {previous}.split("\\n")
        return Boolean(detail) && overview !== overviewBefore && detail !== detailBefore
    }})()"""
