"""Mount a component's script with known data in an empty page, without the app."""

from __future__ import annotations

import base64

from playwright.sync_api import Page

from views.viewer import built_files


def mount_component(page: Page, name: str, root: str, payload: bytes, background: str, mark: str = "") -> None:
    """Show `payload`; a second call updates the mounted component.

    The script's messages are collected in `window.answers`, which each call empties.

    Args:
        root: class of the element that the script fills.
        background: colour of the page's theme.
        mark: HTML in the container around the component.
    """
    if not page.evaluate("() => 'component' in window"):
        page.set_content(
            "<style>main {width: 480px}</style><div class='known-with-mark'><p></p>"
            f"<main><div class='{root}'></div></main></div>"
        )
        page.add_script_tag(content=f"{built_files.embedded_script(name)}\nwindow.component = mountComponent")
    page.evaluate(
        """([data, background, mark]) => {
            document.querySelector("p").innerHTML = mark
            const parent = document.querySelector("main")
            parent.style.setProperty("--st-background-color", background)
            window.answers = []
            window.component({
                parentElement: parent,
                data: Uint8Array.from(atob(data), (char) => char.charCodeAt(0)),
                setTriggerValue: (name, value) => window.answers.push([name, value]),
                setStateValue: (name, value) => window.answers.push([name, value]),
            })
        }""",
        [base64.b64encode(payload).decode(), background, mark],
    )
