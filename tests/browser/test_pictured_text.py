"""*Any model* with a model of pictures and text: of several uploaded pictures, each has its own map over it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from model import open_model
from tests.browser.app_server import AppServer
from tests.browser.conftest import open_page, ready
from tests.browser.uploads import UPLOAD_BOX
from tests.model.hub.tiny_pictured import save
from views.text.numbers import three_digits

TEXT = "A <image> and <image> too"
LAYER, HEAD = 1, 2
ALPHAS = """parts => parts.map((part) => {
    const colour = getComputedStyle(part).backgroundColor
    return Number((colour.match(/[/,] *([0-9.]+)\\)$/) ?? [0, 1])[1])
})"""
PIXELS = """canvas => {
    const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
    return [width, [...data.filter((_, place) => place % 4 === 1)]]
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return save("llava", tmp_path_factory.mktemp("pictured"))


@pytest.fixture(scope="module")
def app(browser, folder) -> Iterator[AppServer]:
    with AppServer(ATLAS_MODELS=str(folder)) as app:
        yield app
        log = app.log()
    assert "Traceback" not in log, log


def chequered(seed: int) -> Image.Image:
    """A picture of 4 x 4 grey squares at random."""
    squares = np.random.default_rng(seed).integers(0, 256, (4, 4), dtype=np.uint8)
    return Image.fromarray(squares).convert("RGB").resize((64, 64), Image.Resampling.NEAREST)


def squares_of(pixels: np.ndarray) -> np.ndarray:
    """The mean of each of 4 x 4 squares."""
    side = len(pixels) // 4
    return pixels.reshape(4, side, 4, side).mean(axis=(1, 3)).ravel()


def as_file(name: str, picture: Image.Image) -> dict:
    content = io.BytesIO()
    picture.save(content, "PNG")
    return {"name": name, "mimeType": "image/png", "buffer": content.getvalue()}


@pytest.mark.nightly
def test_several_pictures_have_their_maps_over_them(page: Page, app: AppServer, folder: Path):
    own = [chequered(seed) for seed in range(3)]
    text = f"{TEXT}, <image>"
    trace = open_model(folder, device="cpu").trace(text, picture=own)
    weights = trace.attention("decoder")[LAYER, HEAD]
    open_page(page, f"{app.url}/models?model=llava&text={quote(text)}&layer={LAYER + 1}&head={HEAD + 1}")
    ready(page)
    page.locator(UPLOAD_BOX).set_input_files([as_file(f"{number}.png", each) for number, each in enumerate(own)])
    frames, tokens, readout = (page.locator(f".text-root {name}") for name in (".picture", ".token", ".readout"))
    expect(frames).to_have_count(3)
    ready(page)
    for number, picture in enumerate(own):
        width, drawn = frames.nth(number).locator("canvas").evaluate(PIXELS)
        likeness = [
            np.corrcoef(squares_of(np.reshape(drawn, (-1, width))), squares_of(np.asarray(each)[..., 1]))[0, 1]
            for each in own
        ]
        assert likeness[number] > 0.99 > 0.9 > max(likeness[:number] + likeness[number + 1 :]), picture
    last = len(weights) - 1
    tokens.nth(last).hover()
    expect(readout).to_contain_text("attends to")
    for number, placed in enumerate(trace.pictures):
        parts = frames.nth(number).locator(".part")
        places = [place for place in np.ravel(placed.places) if place >= 0]
        shares = np.array(parts.evaluate_all(ALPHAS))
        np.testing.assert_allclose(
            shares / shares.max(), weights[last, places] / weights[last, places].max(), atol=0.02
        )
    for number, placed in enumerate(trace.pictures):  # of a part, the weights back to what is before it
        frames.nth(number).locator(".part").nth(5).hover()
        query = int(np.ravel(placed.places)[5])
        expect(readout).to_contain_text(f"picture {number + 1}, row 2, column 2 attends to:")
        expect(readout).to_contain_text(three_digits(weights[query].max()))
