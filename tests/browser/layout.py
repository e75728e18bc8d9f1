"""Whether a page keeps within the screen."""

from __future__ import annotations

from playwright.sync_api import Page

# Right edges of everything that does not lie in a box of its own that scrolls or cuts, inside components too.
WIDEST = """() => {
    const cuts = (box) => getComputedStyle(box).overflowX !== "visible" || getComputedStyle(box).clipPath !== "none"
    const main = document.querySelector('[data-testid="stMain"]')
    const edges = [document.documentElement.scrollWidth, main.scrollWidth + main.getBoundingClientRect().left]
    const visit = (box) => {
        edges.push(box.getBoundingClientRect().right)
        if (box !== main && (cuts(box) || box.matches(".js-plotly-plot, .katex-mathml"))) return
        for (const child of [...box.children, ...(box.shadowRoot?.children ?? [])]) visit(child)
    }
    visit(main)
    return Math.max(...edges)
}"""


def widest(page: Page) -> float:
    """Pixels from the left of the window to the rightmost thing on the page."""
    return page.evaluate(WIDEST)
