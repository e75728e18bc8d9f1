"""`show` of a text with pictures: the text with these in it, each picture as one token, and within the picture."""

from __future__ import annotations

import functools

import numpy as np
import pytest

from attention_atlas import ShowError, show
from model import open_model
from tests.attention_atlas.test_show import payload
from tests.model.hub.tiny_pictured import WORDS, build, picture


@functools.cache
def traced(name: str = "llava", count: int = 1):
    network, processor = build(name)
    model = open_model(network, reader=processor, device="cpu")
    return model.trace(WORDS, picture=[picture(seed) for seed in range(count)])


def test_a_text_is_shown_with_its_picture_where_its_tokens_are():
    trace = traced()
    shown = show(trace)
    header, numbers = payload(shown.html)
    (own,) = trace.pictures
    assert (
        header["pictures"]
        == [{"grid": [4, 4], "places": own.places.tolist()}]
        == [{"grid": [4, 4], "places": list(range(1, 17))}]
    )
    assert numbers["picture 0"].shape == own.pixels.shape and numbers["picture 0"].dtype == np.uint8
    np.testing.assert_array_equal(numbers["decoder"], trace.attention("decoder"))
    labels = header["kinds"]["decoder"]["queries"]
    assert labels[:2] == ["[CLS]", "row 1, column 1"] and labels[16:18] == ["row 4, column 4", "The"]
    assert [control["name"] for control in header["controls"]] == ["direction", "layer", "head"]
    assert repr(shown) == "<Shown: picture of decoder 2 x 4 x 24 x 24>"


def test_two_pictures_are_named_by_number():
    header, _ = payload(show(traced(count=2)).html)
    assert [placed["places"][0] for placed in header["pictures"]] == [1, 17]
    assert header["kinds"]["decoder"]["keys"][17] == "picture 2, row 1, column 1"


def test_texts_with_pictures_are_no_pair():
    """Which of two texts attends to which is asked of two texts; those of pictures are one."""
    with pytest.raises(ShowError, match="There is one text only"):
        show(traced(count=2), pair="ab")
    header, _ = payload(show(traced(count=2), view="maps").html)
    assert "pair" not in [control["name"] for control in header["controls"]]
    assert [label for label in header["kinds"]["decoder"]["keys"] if "picture" in label] == ["picture 1", "picture 2"]


@pytest.mark.parametrize(("name", "kind"), [("llava", "decoder"), ("gemma3", "prefix")])
def test_in_other_views_a_picture_is_one_token(name, kind):
    trace = traced(name)
    header, numbers = payload(show(trace, view="maps").html)
    labels, places = header["kinds"][kind]["keys"], trace.pictures[0].places
    first, count = int(places[0]), len(places)
    assert labels[first] == "picture 1" and len(labels) == len(trace.source.labels) - count + 1
    own = trace.attention(kind)
    last = numbers[kind][:, :, -1, first]  # what the last token gives to the whole picture
    np.testing.assert_allclose(last, own[:, :, -1, places].sum(axis=-1), atol=1e-6)
    of_picture = numbers[kind][:, :, first, 0]  # mean over its queries
    np.testing.assert_allclose(of_picture, own[:, :, places, 0].mean(axis=-1), atol=1e-6)
    words = header["kinds"][kind]["grouped"]
    assert words["queries"][words["starts"][0].index(first)] == "picture 1" and "quick" in words["queries"]
    assert [control["name"] for control in header["controls"]][0] == "units"


def test_tiles_are_named_and_merged_where_their_tokens_alternate():
    trace = traced("llava-next")
    header, _ = payload(show(trace).html)
    assert header["kinds"]["decoder"]["keys"][17] == "tile 2, row 1, column 1" and len(header["pictures"]) == 5
    header, _ = payload(show(trace, view="maps").html)
    labels = header["kinds"]["decoder"]["keys"]
    assert [label for label in labels if label.startswith("tile")] == ["tile 1", "tiles 2 to 3", "tiles 4 to 5"]


def test_attention_within_the_picture_is_drawn_over_it():
    header, numbers = payload(show(traced(), kind="vision").html)
    assert header["grid"] == [4, 4] and [panel["shows"] for panel in header["panels"]] == ["cls", "from", "to"]
    assert numbers["weights"].shape == (3, 5, 17, 17)
    with pytest.raises(ShowError, match=r"trace\.pictures\[0\]\.tower"):
        show(traced(count=2), kind="vision")
    assert "panels" in payload(show(traced(count=2).pictures[1].tower).html)[0]
