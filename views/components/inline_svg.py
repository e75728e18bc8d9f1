"""Show a drawing of this project's own code as inline SVG, so that it has the page's colours and font."""

from . import component

_MOUNT = component.Component("inline_svg", "drawing-root")


def inline_svg(svg: str, key: str) -> None:
    """Show `svg`, which must come from this project's own code, with every text in it escaped.

    A drawing with a width of its own scrolls sideways where the page is narrower; on a large screen it shrinks a little
    before it does. Links in it stay in the same tab.
    """
    _MOUNT(key, {"svg": svg})
