"""A component as one file: its payload can be read back, and no text in it is interpreted as markup."""

import base64
import re
from html.parser import HTMLParser

import numpy as np
import pytest

from tests.payloads import dtypes, read_payload
from tests.views.components.test_attention_grid import sheet
from views import kind_labels
from views.components import attention_grid, attention_lines, component, html_export
from views.viewer.attention_maps import KindMaps, MapAxis

HOSTILE = "</script><script>document.title='hacked'</script><img src=x onerror=alert(1)> & $x$ \u202e"


def save_page(snapshot: html_export.ComponentSnapshot) -> bytes:
    return html_export.to_html(HOSTILE, [HOSTILE], [(HOSTILE, HOSTILE)], snapshot)


def payload_of(page: bytes) -> bytes:
    """The payload in the file."""
    (packed,) = re.findall(rb'<script type="text/plain" class="payload">([^<]*)</script>', page)
    return base64.b64decode(packed)


class Tags(HTMLParser):
    """Every tag of a page with its attributes, and the text between them."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []
        self.texts: list[str] = []
        self.feed(page.decode())

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("side", [14, 60])  # on the page the longer one is sent in half precision
def test_all_weights_of_the_maps_are_read_back(side):
    exported = sheet(side)
    header, weights = read_payload(payload_of(save_page(attention_grid.snapshot(exported))))
    assert dtypes(header) == {"": "float32"}
    np.testing.assert_array_equal(weights[""], exported.weights[:-1, :-1])
    assert header["kinds"][""]["queries"] == component.labels(exported.queries)
    assert attention_grid.snapshot(exported).numbers == html_export.EXACT()


def test_all_weights_of_the_lines_are_read_back():
    attention = np.random.default_rng(0).dirichlet(np.ones(70), (4, 8, 70)).astype(np.float32)
    tokens = tuple(f"piece {place}" for place in range(70))
    axis = MapAxis(tokens)
    maps = KindMaps(kind_labels.KINDS["encoder"], attention, axis, axis, tuple(range(4)))
    lines = attention_lines.AttentionLines(maps, attention_lines.LinesView((0,), (1,)))
    content = payload_of(save_page(attention_lines.snapshot(lines)))
    header, weights = read_payload(content)
    assert dtypes(header) == {"": "float32"}
    np.testing.assert_array_equal(weights[""], attention)


def test_a_very_long_input_is_rounded_as_on_the_page():
    exported = sheet(260)
    assert exported.weights.nbytes > html_export.EXACT_BYTES
    assert attention_grid.snapshot(exported).numbers.startswith("rounded")
    assert attention_grid.snapshot(exported).payload == attention_grid.payload(exported, "light")


def test_user_text_is_escaped():
    page = save_page(attention_grid.snapshot(sheet(3)))
    parsed = Tags(page)
    counted = [tag for tag, _ in parsed.tags]
    assert counted.count("script") == 2 and "img" not in counted
    escaped = HOSTILE.replace("\u202e", "U+202E")
    assert parsed.texts.count(escaped) == 5  # window, heading, paragraph, name and value of a fact


def test_the_file_may_load_nothing():
    parsed = Tags(save_page(attention_grid.snapshot(sheet(3))))
    (policy,) = [a["content"] for tag, a in parsed.tags if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.startswith("default-src 'none';") and "http" not in policy
    addresses = [value for _, a in parsed.tags for name, value in a.items() if name in ("src", "href")]
    assert addresses == ["data:,"]
