"""Regression tests of bugs that the fuzzer found."""

from __future__ import annotations

import gc
import struct
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.fuzz import addresses, campaign, checks
from tests.tiers import nightly
from views.controls import pictures

SENTENCE = "text=I+want+to+buy+a+car."
WORDS, BYTES = "text=" + "the+cat+" * 32, "text=" + "%ED%95%9C" * 40  # about as many tokens as are accepted
SHORT = 0.5  # seconds of processor time that need no steps
LONG_WORK = [
    nightly("attribution", WORDS, ""),
    nightly("heads", WORDS, ""),
    nightly("compare", BYTES, ""),
    ("inside", BYTES, "&inside=Scaling"),
    ("positions", BYTES, "&facet=trained-model"),
    nightly("decoding", BYTES, "&part=Beam+search"),
]


@pytest.mark.parametrize(
    ("page", "query"),
    [
        ("translate", "method=Sampling&seed=-1e400"),
        ("masks", "query=" + "9" * 5000),
        ("decoding", "step=1e400&step=2&try_k=inf"),
        nightly("attribution", "integrate=" + "9" * 5000),
        ("circuits", "part=noise&noise=" + "9" * 5000),
    ],
)
def test_an_infinite_number_in_the_address_is_ignored(page, query):
    app = addresses.visit(page, f"{SENTENCE}&{query}")
    checks.check_page(app)
    assert not app.warning


def test_infinity_is_still_a_sentence():
    app = addresses.visit("translate", "text=Infinity")
    checks.check_page(app)
    assert app.text_input(key="text").value == "Infinity"


def test_a_big_tiff_whose_first_page_is_beyond_the_file_is_refused():
    content = b"II+\0\x08\0\0\0" + struct.pack("<Q", 2**64 - 1) + bytes(64)
    with pytest.raises(pictures.PictureError):
        pictures.read_picture(content)


@pytest.fixture
def frozen() -> Iterator[None]:
    """Exclude existing objects from garbage collection, as in a server."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.mark.nightly
@pytest.mark.parametrize(("page", "text", "view"), LONG_WORK)
def test_a_long_sentence_is_processed_in_steps(page, text, view, frozen):
    addresses.visit(page, SENTENCE + view)  # the first visit costs more
    with campaign.record_pauses() as times:
        app = addresses.visit(page, text + view)
    checks.check_page(app)
    stretches = [after - before for before, after in pairwise(times)]
    assert max(stretches) < max(SHORT, 0.36 * sum(stretches))
