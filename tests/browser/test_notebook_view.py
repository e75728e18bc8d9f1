"""`show` renders a frame of the right height in the notebook's theme, which sends no request."""

from __future__ import annotations

import csv
import html
import io
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Frame, FrameLocator, Page, expect

from tests.browser.conftest import PATIENCE
from views.text.numbers import three_digits

DARK, LIGHT = "rgb(18, 21, 26)", "rgb(255, 255, 255)"
TOKENS = ["[CLS]", "un", "##like", "##ly", "cats", "[SEP]"]
RAGGED = [np.random.default_rng(heads).dirichlet(np.ones(6), (1, heads, 6)).astype("f4") for heads in (4, 2, 2)]


@pytest.fixture
def notebook(browser: Browser, tmp_path: Path) -> Iterator:
    """Open a view as a cell's output; the test fails on any request or console error."""
    context = browser.new_context(viewport={"width": 1100, "height": 900}, offline=True, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    requested, errors = [], []
    page.on("request", lambda request: requested.append(request.url))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))

    def open_view(view, theme: str = "true") -> tuple[Page, FrameLocator]:
        output = tmp_path / "output.html"
        output.write_text(f'<body data-jp-theme-light="{theme}">{view._repr_html_()}</body>', encoding="utf-8")
        page.goto(output.as_uri())
        frame = page.frame_locator("iframe")
        frame.locator(".view").first.wait_for()
        return page, frame

    yield open_view
    context.close()
    assert [url for url in requested if not url.startswith(("data:", "blob:", "file:", "about:"))] == []
    assert errors == []


def assert_fits(page: Page, frame: FrameLocator) -> None:
    """Assert that the frame is as high as its page and no wider than the notebook."""
    for width in (1100, 390):
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function(
            """() => {
                const frame = document.querySelector("iframe")
                const { scrollHeight, scrollWidth } = frame.contentDocument.documentElement
                return Math.abs(frame.clientHeight - scrollHeight) <= 2 && scrollWidth <= frame.clientWidth
            }"""
        )
    page.set_viewport_size({"width": 1100, "height": 900})


def test_maps_of_layers_that_differ_in_their_heads(notebook):
    from attention_atlas import show

    page, frame = notebook(show(RAGGED, TOKENS), theme="false")
    expect(frame.locator("html")).to_have_css("background-color", DARK)
    expect(frame.locator(".detail h2")).to_have_text("Attention, layer 1, head 1")
    assert frame.locator(".tile").count() == 2 * 5
    frame.get_by_role("radio", name="Layers 2 to 3", exact=True).click()
    expect(frame.locator(".tile")).to_have_count(3 * 3)
    frame.locator(".tile").nth(4).click()  # layer 3, head 2
    expect(frame.locator(".detail h2")).to_have_text("Attention, layer 3, head 2")
    frame.get_by_text("Numbers as a table").click()
    cells = frame.locator(".detail tbody tr").nth(3).locator("td")
    cells.first.wait_for()
    assert cells.all_inner_texts() == [three_digits(float(weight)) for weight in RAGGED[2][0, 1, 3]]
    frame.get_by_role("radio", name="Whole words").click()
    expect(frame.locator(".detail .map canvas")).to_have_attribute("aria-label", re.compile("unlikely"))
    # the notebook's theme is followed while it is attached, also where all is hidden meanwhile, as in JupyterLab
    page.evaluate("() => (document.body.style.display = 'none')")
    page.evaluate("() => (document.body.dataset.jpThemeLight = 'true')")
    page.evaluate("() => (document.body.style.display = '')")
    expect(frame.locator("html")).to_have_css("background-color", LIGHT)
    expect(frame.locator(".detail .queries")).to_have_text("[CLS]unlikelycats[SEP]")
    expect(frame.locator(".detail h2")).to_have_text("Attention, layer 3, head 2")
    assert_fits(page, frame)
    with page.expect_download() as download:
        frame.get_by_text("Weights as CSV").click()
    text = Path(download.value.path()).read_text(encoding="utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) == 1 + sum(layer.size for layer in RAGGED)
    assert float(rows[-1][-1]) == pytest.approx(float(RAGGED[2][0, 1, 5, 5]), abs=1e-9)
    with page.expect_download() as download:
        frame.get_by_text("Weights as NPZ").click()
    np.testing.assert_array_equal(np.load(download.value.path())["layers-1"], RAGGED[0])


def test_lines_one_below_the_other(notebook):
    from attention_atlas import show

    page, frame = notebook(show(RAGGED, TOKENS, view="lines"))
    expect(frame.locator("html")).to_have_css("background-color", LIGHT)
    assert frame.locator("section").count() == 2
    second = frame.locator("section").nth(1)
    second.locator(".side.query .token").nth(2).click()
    values = [three_digits(float(weight)) for weight in RAGGED[1][0, :, 2].mean(axis=0)]
    assert second.locator(".side.key .weight").all_inner_texts() == values
    with page.expect_download() as download:
        second.get_by_role("button", name="Picture as SVG").click()
    assert "<svg" in Path(download.value.path()).read_text(encoding="utf-8")
    assert_fits(page, frame)


def within(page: Page, sandbox: str, document: str) -> Frame:
    """Return the view's frame in an output that is in an iframe itself, as in VS Code and Colab."""
    outer = (
        f'<iframe sandbox="{sandbox}" style="width: 1000px; height: 2400px" srcdoc="{html.escape(document)}"></iframe>'
    )
    page.set_content(outer)
    frame = page.locator("iframe").content_frame.locator("iframe").element_handle().content_frame()
    frame.locator(".view").first.wait_for()
    frame.wait_for_function(
        "Math.abs(innerHeight - document.querySelector('main').getBoundingClientRect().height) <= 1"
    )
    return frame


def test_a_sandboxed_iframe(notebook):
    from attention_atlas import show

    page, _ = notebook(show(RAGGED[0], TOKENS))
    page.emulate_media(color_scheme="dark")
    frame = within(page, "allow-scripts", f"<body>{show(RAGGED[0], TOKENS)._repr_html_()}</body>")
    assert frame.evaluate("window.frameElement") is None
    expect(frame.locator("html")).to_have_css("background-color", DARK)
    frame.locator(".tile").nth(2).click()
    expect(frame.locator(".detail h2")).to_have_text("Attention, layer 1, head 3")
    low = frame.evaluate("innerHeight")
    frame.get_by_text("Numbers as a table").click()
    frame.wait_for_function("low => innerHeight > low", arg=low)


# VS Code's webview: its policy; it inserts the markup, then each script again; it saves the links that are clicked.
CODE = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self' 'unsafe-inline';
  script-src 'self' 'unsafe-inline' 'unsafe-eval'; img-src 'self' https: http: data:; font-src 'self' https:;
  connect-src https:; child-src https: data:;">
<body class="vscode-dark"><template>OUTPUT</template><script>
  const cell = document.body.appendChild(document.createElement("div"))
  cell.innerHTML = document.querySelector("template").innerHTML
  for (const { text } of cell.querySelectorAll("script")) {
    cell.appendChild(Object.assign(document.createElement("script"), { text })).remove()
  }
  window.saved = []
  document.body.addEventListener("click", (event) => {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement)
    saved.push([link.download, link.href.split(":")[0]])
    event.preventDefault()
  })
</script>"""


def test_a_webview_of_vs_code(notebook):
    from attention_atlas import show

    page, _ = notebook(show(RAGGED[0], TOKENS))
    output = show(RAGGED[0], TOKENS, view="lines")._repr_html_()
    frame = within(page, "allow-scripts allow-same-origin allow-downloads", CODE.replace("OUTPUT", output))
    expect(frame.locator("html")).to_have_css("background-color", DARK)
    frame.locator(".side.query .token").nth(2).click()
    values = [three_digits(float(weight)) for weight in RAGGED[0][0, :, 2].mean(axis=0)]
    assert frame.locator(".side.key .weight").all_inner_texts() == values
    frame.get_by_text("Weights as CSV").click()
    frame.get_by_role("button", name="Picture as SVG").click()
    outside = frame.parent_frame
    outside.wait_for_function("saved.length === 2")
    assert outside.evaluate("saved") == [["attention.csv", "data"], ["attention-lines.svg", "blob"]]
    outside.evaluate("document.body.dataset.vscodeThemeKind = 'vscode-light'")
    expect(frame.locator("html")).to_have_css("background-color", LIGHT)


# marimo's cell output: a frame of marimo's own, 400 pixels high, which grows by this function of its page (0.25).
MARIMO = """<body class="light light-theme" data-theme="light"><script>
  function __resizeIframe(obj) {
    function setHeight() {
      const element = obj.contentWindow.document.documentElement
      if (element.scrollHeight === element.clientHeight) return
      const newHeight = element.scrollHeight + (element.scrollWidth > element.clientWidth ? 20 : 0)
      if (obj.style.height !== `${newHeight}px`) obj.style.height = `${newHeight}px`
    }
    setHeight()
    new ResizeObserver(setHeight).observe(obj.contentWindow.document.body)
  }
</script><iframe width="100%" height="400px" frameborder="0"></iframe>"""


def within_marimo(page: Page, output: str) -> tuple[Frame, Frame]:
    """Return marimo's frame of an output, which is a file without a type of document, and the view's frame in it."""
    page.set_content(f"<!DOCTYPE html>{MARIMO}")
    page.evaluate(
        """output => {
            const frame = document.querySelector("iframe")
            frame.contentDocument.open()
            frame.contentDocument.write(output)
            frame.contentDocument.close()
            frame.contentWindow.addEventListener("load", () => __resizeIframe(frame))
        }""",
        output,
    )
    outer = page.locator("iframe").element_handle().content_frame()
    frame = outer.wait_for_selector("iframe").content_frame()
    frame.locator(".view").first.wait_for()
    return outer, frame


@pytest.mark.parametrize("view", ["maps", "lines", "text"])
def test_a_frame_of_marimo(notebook, view):
    """It scrolls nowhere, and has the notebook's theme, which may be another than the browser's."""
    from attention_atlas import show

    page, _ = notebook(show(RAGGED[0], TOKENS))
    page.emulate_media(color_scheme="dark")
    output = show(RAGGED[0], TOKENS, view=view)._repr_html_()
    outer, frame = within_marimo(page, output)
    for each in (frame, outer):
        each.wait_for_function("document.documentElement.scrollHeight <= innerHeight && innerHeight > 100")
    expect(frame.locator("html")).to_have_css("background-color", LIGHT)
    page.evaluate("() => (document.body.dataset.theme = 'dark')")
    expect(frame.locator("html")).to_have_css("background-color", DARK)


def test_a_frame_of_a_fixed_height_keeps_it_in_marimo(notebook):
    from attention_atlas import show

    page, _ = notebook(show(RAGGED[0], TOKENS))
    output = show(RAGGED[0], TOKENS, height=300)._repr_html_()
    outer, frame = within_marimo(page, output)
    frame.wait_for_function("document.documentElement.scrollHeight > innerHeight")  # the page scrolls in it
    assert frame.evaluate("innerHeight") == 300 and outer.evaluate("innerHeight") == 400


LARGE = "() => document.querySelector('.view').shadowRoot.querySelector('.detail canvas').toDataURL()"
WHILE_LOADING = {  # a script in the page -> when it switches the theme of the notebook
    "before the module runs": "<script>parent.document.body.dataset.jpThemeLight = false</script>",
    "when the page is parsed": "<script>addEventListener('DOMContentLoaded', () => "
    "(parent.document.body.dataset.jpThemeLight = false))</script>",
    "before the first frame is drawn": "<script>requestAnimationFrame(() => "
    "(parent.document.body.dataset.jpThemeLight = false))</script>",
    "while the notebook hides its outputs": "<script>frameElement.style.display = 'none'; setTimeout(() => {"
    "parent.document.body.dataset.jpThemeLight = false; frameElement.style.display = 'block' }, 500)</script>",
}


@pytest.mark.parametrize("moment", WHILE_LOADING)
def test_the_theme_is_switched_while_the_view_loads(notebook, moment):
    """Page and maps have the colours that they have in a notebook that is dark from the beginning."""
    from attention_atlas import show

    view = show(RAGGED[0], TOKENS)
    _, dark = notebook(view, theme="false")
    expect(dark.locator("html")).to_have_css("background-color", DARK)
    dark.locator(".detail canvas").first.wait_for()
    frame = dark.locator("html").element_handle().owner_frame()
    expected = frame.evaluate(LARGE)
    switched = type(view)(view.title, view.html.replace("<head>", f"<head>{WHILE_LOADING[moment]}", 1), "")
    page, light = notebook(switched, theme="true")
    expect(light.locator("html")).to_have_css("background-color", DARK)
    frame = light.locator("html").element_handle().owner_frame()
    frame.wait_for_function(f"expected => ({LARGE})() === expected", arg=expected)


def test_a_saved_file_follows_the_browser(browser: Browser, tmp_path: Path):
    from attention_atlas import show

    show(RAGGED[0], TOKENS).save(tmp_path / "view.html")
    page = browser.new_page(color_scheme="dark")
    page.goto((tmp_path / "view.html").as_uri())
    expect(page.locator("html")).to_have_css("background-color", DARK)
    page.emulate_media(color_scheme="light")
    expect(page.locator("html")).to_have_css("background-color", LIGHT)
    expect(page.locator(".detail h2")).to_have_text("Attention, layer 1, head 1")
    page.close()
