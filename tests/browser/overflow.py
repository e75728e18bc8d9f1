"""Check that nothing on the page reaches beyond the right edge of the screen."""

from __future__ import annotations

from contextlib import suppress

from playwright.sync_api import Page, TimeoutError

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
LAPTOP = {"width": 1366, "height": 768}
ZOOMED = {"width": 640, "height": 360}  # what a screen of 1280 x 720 has room for at 200 %

# Right edges of everything that is not in a box that scrolls or cuts, inside components too.
_WIDEST = """() => {
    const cuts = (box) => getComputedStyle(box).overflowX !== "visible" || getComputedStyle(box).clipPath !== "none"
    const main = document.querySelector('[data-testid="stMain"]')
    const edges = [document.documentElement.scrollWidth, main.scrollWidth + main.getBoundingClientRect().left]
    const visit = (box) => {
        edges.push(box.getBoundingClientRect().right)
        if (box !== main && (cuts(box) || box.matches(".katex-mathml"))) return
        for (const child of [...box.children, ...(box.shadowRoot?.children ?? [])]) visit(child)
    }
    visit(main)
    return Math.max(...edges)
}"""


# Boxes inside the page that scroll vertically, in components too, except Streamlit's.
_BOXES = """() => {
    const boxes = []
    const visit = (box) => {
        if (box.matches("[data-testid=stDataFrame], textarea")) return
        const scrolls = /auto|scroll/.test(getComputedStyle(box).overflowY)
        if (scrolls && box.scrollHeight > box.clientHeight + 1) boxes.push(box.outerHTML.slice(0, 120))
        for (const child of [...box.children, ...(box.shadowRoot?.children ?? [])]) visit(child)
    }
    for (const child of document.querySelector('[data-testid="stMain"]').children) visit(child)
    return boxes
}"""


# Labels of special tokens that a box around them cuts: they are the ones with letters that reach above and below.
_CUT = r"""() => {
    const labels = []
    const visit = (node) => {
        for (const box of [...node.children]) {
            if (box.shadowRoot) visit(box.shadowRoot)
            visit(box)
            const own = [...box.childNodes].filter((child) => child.nodeType === Node.TEXT_NODE)
            if (!own.some((text) => /<\/?s>/.test(text.data)) || !box.checkVisibility()) continue
            const range = document.createRange()
            range.selectNodeContents(box)
            const text = range.getBoundingClientRect()
            for (let around = box; around; around = around.parentElement ?? around.getRootNode().host) {
                const { overflowX, overflowY } = getComputedStyle(around)
                if (/auto|scroll/.test(overflowX + overflowY)) break
                if (overflowX === "visible" && overflowY === "visible") continue
                const edge = around.getBoundingClientRect()
                const across = Math.max(edge.left - text.left, text.right - edge.right)
                const out = Math.max(across, edge.top - text.top, text.bottom - edge.bottom)
                if (edge.width > 2 && out > 1) labels.push(box.outerHTML.slice(0, 120))
            }
        }
    }
    visit(document.querySelector('[data-testid="stMain"]'))
    return labels
}"""


def assert_special_tokens_are_whole(page: Page) -> None:
    """Assert that no label <s> or </s> is cut off, once components have followed a new width of the screen."""
    with suppress(TimeoutError):
        page.wait_for_function(f"() => !({_CUT})().length", timeout=5000)
    cut = page.evaluate(_CUT)
    assert cut == [], cut


def assert_no_box_hides_rows(page: Page) -> None:
    """Assert that only the page itself scrolls vertically."""
    assert page.evaluate(_BOXES) == []


def right_edge(page: Page) -> float:
    """Return the pixels from the left edge of the window to the rightmost edge of an element."""
    return page.evaluate(_WIDEST)


def wait_until_it_fits(page: Page) -> None:
    """Wait until nothing reaches beyond the screen in five successive frames."""
    page.evaluate("() => { window.timesItFitted = 0 }")
    page.wait_for_function(
        f"""(width) => {{
            timesItFitted = innerWidth === width && ({_WIDEST})() <= width ? timesItFitted + 1 : 0
            return timesItFitted === 5
        }}""",
        arg=page.viewport_size["width"],
        polling="raf",
    )


def assert_nothing_overflows(page: Page, *sizes: dict[str, int]) -> None:
    """Check screens of these sizes, by default a wide one and a phone. The page must be drawn; the last size stays."""
    for size in sizes or (WIDE, PHONE):
        page.set_viewport_size(size)
        wait_until_it_fits(page)  # charts follow the new width one frame later
        assert right_edge(page) <= size["width"]
