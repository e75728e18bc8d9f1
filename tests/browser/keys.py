"""Reach what a test of keys is about as a person does: by Tab."""

from __future__ import annotations

from playwright.sync_api import Locator

HAS_FOCUS = "node => node.getRootNode().activeElement === node"


def tab_to(target: Locator, backwards: bool = False, most: int = 60) -> int:
    """Press Tab until `target` has the focus; return how many times.

    Raises:
        AssertionError: it does not get it.
    """
    target.wait_for()
    for count in range(most):
        if target.evaluate(HAS_FOCUS):
            return count
        target.page.keyboard.press("Shift+Tab" if backwards else "Tab")
    assert target.evaluate(HAS_FOCUS), f"No number of Tabs reaches {target}"
    return most
