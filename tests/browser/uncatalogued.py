"""Find texts of an open page that are not in the catalogue: in the pseudo-language, everything outside the brackets.

Data is marked where it is rendered: an element with `data-said`, the axes of a chart that its layout lists in
`meta.said`, and a `Name`, which is in brackets. Texts of Streamlit and Plotly are listed below, by element.
"""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from views.text.catalogue import CLOSED, OPENED

_FIND = Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
DATA = "[data-said]"
# Each with what of it is Streamlit's own: attributes, its text, or all of it.
STREAMLIT: tuple[tuple[str, str | list[str]], ...] = (
    ('[data-testid="stSkipToContent"]', "text"),  # the link for keyboards to the main part
    ('[data-testid="stSidebar"]', ["aria-label"]),
    ('[data-testid="stSidebarCollapseButton"] button, [data-testid="stExpandSidebarButton"]', ["aria-label"]),
    ('[data-testid="stIconMaterial"]', "text"),  # an icon: the font draws the word as a sign
    ('[data-testid^="stExpanderIcon"]', "text"),  # likewise
    ('[data-testid="stMainMenuButton"]', ["aria-label"]),  # its own menu, of printing and the like
    ('[data-testid="stTooltipIcon"] button', ["aria-label"]),  # "Help for", then the label, which is read with it
    ('[data-testid="stSelectbox"] input', ["placeholder"]),  # never visible: an option is always chosen
    ('[data-testid="stSelectbox"] [role="combobox"] ~ button', ["aria-label"]),  # opens the list
    ('[data-testid="stMultiSelect"] :is(span, button)', ["aria-label"]),  # remove, clear, open
    ('[data-testid="stNumberInput"] button', ["aria-label"]),  # one more and one less
    ('[data-testid="stDialog"] button:not([data-testid="stElementContainer"] button)', "all"),  # close a dialog
    ('[data-testid="stElementToolbar"]', "all"),  # full screen, search, download: above tables and pictures
    ('[data-testid="stFileUploaderDropzone"]', "all"),  # its button, and how large a file may be
    (".modebar", "all"),  # Plotly's tools
    ('[data-testid="stDataFrame"]', "all"),  # a grid drawn on a canvas; `tests/pages` reads its data
)


def uncatalogued(page: Page) -> list[str]:
    """List texts and labels outside the brackets, each with its element, including tooltips."""
    return page.evaluate(_FIND, {"opened": OPENED, "closed": CLOSED, "data": DATA, "streamlit": STREAMLIT})
