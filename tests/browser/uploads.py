"""Upload pictures as a user does: chosen as a file, pasted, dropped.

After each accepted picture the page has a new, empty upload box. So each of these functions waits until the page has
been rendered: the result of the picture before is visible a moment before the box is renewed, and a file in the old
box would be lost with it.
"""

from __future__ import annotations

import base64
import re
import urllib.request

from playwright.sync_api import Page

from tests.browser.app_server import AppServer
from tests.browser.conftest import ready

STRIP = ".strip-root"
UPLOAD_BOX = '[data-testid="stFileUploaderDropzoneInput"]'


def upload(page: Page, name: str, content: bytes, mime: str = "") -> None:
    """Choose a file of this name and content in the upload box."""
    ready(page)
    box = page.locator(UPLOAD_BOX)
    box.set_input_files({"name": name, "mimeType": mime or "application/octet-stream", "buffer": content})


def paste(page: Page, content: bytes, mime: str = "image/png", zeros: int = 0) -> None:
    """Press the keys that paste, with a picture in the clipboard, followed by so many zero bytes."""
    ready(page)
    page.evaluate(
        """([text, type, zeros]) => {
            const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
            const clipboardData = new DataTransfer()
            clipboardData.items.add(new File([bytes, new Uint8Array(zeros)], "pasted", { type }))
            document.body.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }))
        }""",
        [base64.b64encode(content).decode(), mime, zeros],
    )


def copy_picture(page: Page, png: bytes) -> None:
    """Put a PNG into the browser's clipboard, and let the page read it."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.evaluate(
        """async text => {
            const bytes = Uint8Array.from(atob(text), (char) => char.charCodeAt(0))
            const item = new ClipboardItem({ "image/png": new Blob([bytes], { type: "image/png" }) })
            await navigator.clipboard.write([item])
        }""",
        base64.b64encode(png).decode(),
    )


def wait_for_picture(page: Page, name: str) -> None:
    """Wait until the tile called `name` is selected and the page is rendered; an own picture is `own`."""
    page.locator(f'{STRIP}[data-shown="{name}"]').wait_for()
    ready(page)


def uploaded_bytes(app: AppServer) -> float:
    """Return the number of bytes of uploaded files that the server reports."""
    with urllib.request.urlopen(f"{app.url}/_stcore/metrics", timeout=30) as answer:
        sizes = re.findall(
            r"^cache_memory_bytes\{.*UploadedFileManager.*\} (\S+)$", answer.read().decode(), re.MULTILINE
        )
    return sum(map(float, sizes))
