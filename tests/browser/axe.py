"""Check an open page with axe-core: WCAG 2.2 AA and further rules of accessibility that a program can check."""

from __future__ import annotations

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

TAGS = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice", "experimental")
CONTRAST = "color-contrast"

# What Streamlit draws itself and the app cannot reach: the rule, where, and why it stays.
STREAMLIT: tuple[tuple[str, str, str], ...] = (
    (
        "presentation-role-conflict",
        '[data-testid="stFileUploaderDropzone"]',
        "it names the area where files are dropped, which has no role; its button has the same name",
    ),
    (
        "focus-order-semantics",
        '[data-testid="stMultiSelect"]',
        "the tags of chosen options, which have a name and take the keyboard's focus, but no role",
    ),
    (
        CONTRAST,
        'label[data-testid="stWidgetLabel"]:has(~ * :disabled)',
        "the label of a control that is switched off: WCAG 1.4.3 excepts it, which axe cannot see here",
    ),
)

_RUN = """async ([tags, streamlit]) => {
    const only = { type: "tag", values: tags }
    const options = { runOnly: only, resultTypes: ["violations"], elementRef: true }
    const { violations } = await axe.run(document, options)
    const isStreamlits = (id, element) => streamlit.some(([rule, where]) => rule === id && element.closest(where))
    return violations.flatMap(({ id, impact, nodes }) =>
        nodes.filter(({ element }) => !isStreamlits(id, element)).map(({ target, html, failureSummary }) =>
            `${id} (${impact}): ${html.slice(0, 160)} at ${target.flat().join(" ")}: ${failureSummary}`))
}"""


def violations(page: Page) -> list[str]:
    """List the violations on the page, each with its element, except those in `STREAMLIT`."""
    page.evaluate(f"() => {{ if (!window.axe) {{ {AXE_SCRIPT} }} }}")
    return page.evaluate(_RUN, [TAGS, [entry[:2] for entry in STREAMLIT]])
