"""Read the numbers of the Plotly figures that a browser has drawn."""

from __future__ import annotations

from playwright.sync_api import Page

PATIENCE = 180_000  # milliseconds

# name of the curve, or "" for a heatmap -> its y or z values
_DRAWN = """() => Object.fromEntries([...document.querySelectorAll('[data-testid="stMain"] .js-plotly-plot')]
    .flatMap((plot) => (plot._fullData ?? []).map((trace) =>
        [trace.type === "heatmap" ? "heatmap" : trace.name ?? "", Array.from(trace.z ?? trace.y, (v) =>
            typeof v === "number" ? v : Array.from(v))])))"""


def drawn(page: Page) -> dict[str, list]:
    """Return every curve by its name, and the last heatmap as "heatmap"."""
    return page.evaluate(_DRAWN)


def wait_for_numbers(page: Page, name: str, expected: list, tolerance: float = 1e-4) -> None:
    """Wait until the curve or heatmap `name` shows `expected`."""
    page.wait_for_function(
        f"""([name, expected, tolerance]) => {{
            const drawn = ({_DRAWN})()[name]
            const flat = (values) => values.flat()
            return drawn && flat(drawn).length === flat(expected).length
                && flat(drawn).every((value, place) => Math.abs(value - flat(expected)[place]) < tolerance)
        }}""",
        arg=[name, expected, tolerance],
        timeout=PATIENCE,
    )
