"""Speed of the lines and of the grid of maps compared with bertviz, on the same tensors in headless Chromium.

A view's time is that of Python from the tensor to the page, plus that of the browser from the start of navigation until
the frame after it is drawn. A hover's time is that of the page's main thread from the pointer's event until the frame
with its result is painted. Each candidate is loaded again in every round, and the candidates are interleaved.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePath

import numpy as np
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks import bertviz_page
from benchmarks.page import WIDE
from benchmarks.timing import Measurement, summarise
from tests.browser.chromium import launch_chromium
from views import kind_labels
from views.components import attention_grid, attention_lines, component
from views.viewer import built_files
from views.viewer.attention_maps import KindMaps, MapAxis

ROUNDS = {12: 7, 64: 5, 128: 3, 257: 5}
HOVERS = 12
PATIENCE = 180_000  # milliseconds

# Resolves one frame after `done` is true, with the milliseconds since navigation started.
_WAIT = """done => new Promise((resolve) => {
    const look = () => {
        if (new Function(`return ${done}`)()) requestAnimationFrame(() => resolve(performance.now()))
        else requestAnimationFrame(look)
    }
    look()
})"""
# From the next move of the pointer until the browser has painted the frame with the result.
_HOVER = """() => {
    window.hovered = new Promise((resolve) => addEventListener("mousemove", () => {
        const started = performance.now()
        requestAnimationFrame(() => {
            const channel = new MessageChannel()
            channel.port1.onmessage = () => resolve(performance.now() - started)
            channel.port2.postMessage(0)
        })
    }, { capture: true, once: true }))
}"""


@dataclass(frozen=True)
class ViewCandidate:
    """A view to be timed.

    Attributes:
        make: from the tensor to the files of its page, by path; "/" is the page itself.
        done: JavaScript that is true once it is drawn.
        targets: selector of the hover targets.
    """

    make: Callable[[], dict[str, bytes]]
    done: str
    targets: str


def microscope() -> list[Measurement]:
    """Both comparisons at every length, and ours alone at a ViT's."""
    rows: list[Measurement] = []
    with sync_playwright() as playwright, PageServer() as site:
        browser = launch_chromium(playwright)
        for tokens in (12, 64, 128):
            attention, names = tensors(4, 8, tokens)
            ours = partial(_lines, attention, names, kind_labels.KINDS["encoder"])
            theirs = partial(_bertviz, attention, names)
            one_layer = {"lines": ours([0]), "bertviz head view": theirs("head_view")}
            rows += compare(browser, site, f"{tokens} tokens, 8 heads of one layer", one_layer, ROUNDS[tokens])
            every = {
                "grid": _grid(attention, names, kind_labels.KINDS["encoder"]),
                "lines": ours([0, 1, 2, 3]),
                "bertviz model view": theirs("model_view"),
            }
            rows += compare(browser, site, f"{tokens} tokens, 8 heads of 4 layers", every, ROUNDS[tokens])
        attention, names = tensors(6, 3, 257)
        vit = {
            "lines": _lines(attention, names, kind_labels.VISION, list(range(6))),
            "grid": _grid(attention, names, kind_labels.VISION),
        }
        rows += compare(browser, site, "257 tokens, 3 heads of 6 layers", vit, ROUNDS[257])
        browser.close()
    return rows


def tensors(layers: int, heads: int, tokens: int) -> tuple[np.ndarray, list[str]]:
    """`(layers, heads, query, key)` float32 of softmaxed noise, some heads sharp and some flat, and names of tokens."""
    generator = np.random.default_rng(0)
    sharpness = np.linspace(0.5, 4, heads)[None, :, None, None]
    scores = generator.normal(0, 1, (layers, heads, tokens, tokens)) * sharpness
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return (weights / weights.sum(-1, keepdims=True)).astype(np.float32), [f"piece{place}" for place in range(tokens)]


def compare(
    browser: Browser, site: PageServer, title: str, candidates: dict[str, ViewCandidate], rounds: int
) -> list[Measurement]:
    """Time to draw, payload and hover of interleaved candidates."""
    drawn: dict[str, list[float]] = {name: [] for name in candidates}
    payload: dict[str, list[float]] = {name: [] for name in candidates}
    hover: dict[str, list[float]] = {name: [] for name in candidates}
    for number in range(1 + rounds):
        for name, candidate in candidates.items():
            started = time.perf_counter()
            site.files = candidate.make()
            made = 1000 * (time.perf_counter() - started)
            page = site.open(browser)
            ready = page.evaluate(_WAIT, candidate.done)
            if number:  # the first round warms up
                drawn[name].append(made + ready)
                payload[name].append(sum(map(len, site.files.values())) / 1000)
                hover[name] += hovers(page, candidate.targets, -(-HOVERS // rounds))
            page.context.close()
    return [
        *summarise(f"{title}: Python and browser until drawn", drawn),
        *summarise(f"{title}: payload", payload, "kB"),
        *summarise(f"{title}: hover until painted", hover),
    ]


def hovers(page: Page, targets: str, count: int) -> list[float]:
    """Times of `count` moves of the pointer, each to another target in the window."""
    boxes = page.evaluate(
        """targets => [...document.querySelectorAll(targets)].map((target) => target.getBoundingClientRect())
            .map(({ left, top, width, height }) => [left + Math.min(width, 40) / 2, top + height / 2])
            .filter(([x, y]) => x > 0 && y > 0 && x < innerWidth && y < innerHeight)""",
        targets,
    )
    assert len(boxes) > 1, targets
    times = []
    for number in range(count + 1):
        page.evaluate(_HOVER)
        page.mouse.move(*boxes[(number * 7 + 1) % len(boxes)])
        times.append(page.evaluate("hovered"))
    return times[1:]  # the first one comes from outside and warms up


class PageServer:
    """A local web server with the files of one page at a time."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self._cdn = bertviz_page.scripts()

    def __enter__(self) -> PageServer:
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version, disable_nagle_algorithm = "HTTP/1.1", True  # a connection serves all files of a page

            def do_GET(self) -> None:
                content = site.files.get(self.path) or site._cdn.get(self.path)
                self.send_response(404 if content is None else 200)
                kinds = {"": "text/html; charset=utf-8", ".js": "text/javascript"}
                self.send_header("Content-Type", kinds.get(PurePath(self.path).suffix, "application/octet-stream"))
                self.send_header("Content-Length", str(len(content or b"")))
                self.end_headers()
                self.wfile.write(content or b"")

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("localhost", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def open(self, browser: Browser) -> Page:
        """Open the page as a new visitor. Nothing is intercepted, which would cost milliseconds per request."""
        page = browser.new_context(viewport=WIDE).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"http://localhost:{self._server.server_port}/", wait_until="commit")
        return page


def _lines(attention: np.ndarray, names: list[str], kind: kind_labels.Kind, layers: list[int]) -> ViewCandidate:
    view = attention_lines.LinesView(tuple(layers), tuple(range(attention.shape[1])))

    def make() -> dict[str, bytes]:
        lines = attention_lines.AttentionLines(_maps(attention, names, kind), view)
        return files(
            "attention_lines", "lines-root", attention_lines.payload(lines, "light"), component.selection_mark(view)
        )

    return ViewCandidate(make, 'document.querySelector(".lines-root")?.dataset.drawn', ".side .token")


def _grid(attention: np.ndarray, names: list[str], kind: kind_labels.Kind) -> ViewCandidate:
    def make() -> dict[str, bytes]:
        sheet = attention_grid.sheet_of(_maps(attention, names, kind), with_detail=False)
        return files(
            "attention_grid", "grid-root", attention_grid.payload(sheet, "light"), component.selection_mark((0, 0))
        )

    return ViewCandidate(make, 'document.querySelector(".grid-root")?.dataset.drawn', ".tile")


def _maps(attention: np.ndarray, names: list[str], kind: kind_labels.Kind) -> KindMaps:
    axis = MapAxis(tuple(names))
    return KindMaps(kind, attention, axis, axis, tuple(range(len(attention))))


def _bertviz(attention: np.ndarray, names: list[str], view: str) -> ViewCandidate:
    count = attention.shape[0] * attention.shape[1]
    done = {
        "head_view": 'document.querySelector(".headAttention line")',
        "model_view": f'document.querySelectorAll(".attn_background").length === {count}',
    }[view]
    targets = {"head_view": "#left text, #right text", "model_view": ".attn_background"}[view]
    return ViewCandidate(lambda: {"/": bertviz_page.page(view, attention, names)}, done, targets)


def files(name: str, root: str, payload: bytes, mark: str) -> dict[str, bytes]:
    """A page with only one of our components, with script and payload in one file, as Streamlit sends them."""
    script = built_files.embedded_script(name)
    html = f"""<!doctype html><meta charset="utf-8">
<script>const sent = fetch("/payload.bin").then((answer) => answer.arrayBuffer())</script>
<div class="known-with-mark">{mark}<main><div class="{root}"></div></main></div>
<script type="module">
{script}
const data = new Uint8Array(await sent)
const parentElement = document.querySelector("main")
mountComponent({{ parentElement, data, setTriggerValue() {{}}, setStateValue() {{}} }})
</script>"""
    return {"/": html.encode(), "/payload.bin": payload}
