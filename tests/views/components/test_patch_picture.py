"""The patch picture's payload. Its script is tested in a browser."""

from dataclasses import replace

import numpy as np

from tests.payloads import dtypes, read_payload
from views import palette
from views.components.patch_picture import PatchPicture, PicturePanel, exact_weights, payload
from views.controls import sentence_input
from views.controls.widgets import Choice

PIXELS = np.random.default_rng(0).integers(0, 256, (6, 9, 3)).astype(np.uint8)


def read(content: bytes) -> tuple[dict, np.ndarray, np.ndarray]:
    """Header, weights of all heads, and the picture."""
    header, arrays = read_payload(content)
    return header, arrays["weights"], arrays["pixels"]


def make_picture(patch: tuple[int, int] = (1, 2), head: tuple[int, int] = (0, 0), **changes) -> PatchPicture:
    """A picture; `patch` and the `head` of its weights are selected, counted from 0."""
    fields = dict(pixels=PIXELS, grid=(2, 3), panels=[PicturePanel("a", "from")], title="t") | changes
    chosen = {name: str(place + 1) for name, place in zip(("row", "column"), patch, strict=True)}
    offered = [*sentence_input.patch_choices(fields["grid"])]
    if fields.get("weights") is not None:
        counts = fields["weights"].shape[:2]
        fields["names"] = tuple([str(number + 1) for number in range(count)] for count in counts)
        offered += [Choice(name, names, name) for name, names in zip(("layer", "head"), fields["names"], strict=True)]
        chosen |= {name: str(place + 1) for name, place in zip(("layer", "head"), head, strict=True)}
    for name in ("opacity", "kept", "scale"):
        if name in fields:
            chosen[name] = str(fields.pop(name))
            offered.append(Choice(name, [chosen[name]], name))
    return PatchPicture(choices=offered, chosen=chosen, **fields)


def test_weights_and_picture_are_sent_exactly():
    attention = np.random.default_rng(1).dirichlet(np.ones(7), (2, 3, 7)).astype(np.float32)
    drawn = make_picture(weights=attention, tops=attention[..., 0, 0])
    header, weights, picture = read(payload(drawn, "dark"))
    np.testing.assert_array_equal(weights, attention)
    np.testing.assert_array_equal(picture, PIXELS)
    assert header["grid"] == [2, 3] and exact_weights(drawn) is None
    assert header["chosen"] is None  # it is in the mark
    assert header["panels"] == [{"title": "a", "shows": "from"}]
    assert header["theme"] == "dark"
    np.testing.assert_allclose(header["tops"], attention[..., 0, 0])
    assert header["scales"]["light"] == list(palette.scale("vision", "light"))


def test_a_picture_alone():
    header, weights, picture = read(payload(make_picture(panels=[PicturePanel("", "nothing")]), "dark"))
    assert weights.size == 0 and header["tops"] == []
    np.testing.assert_array_equal(picture, PIXELS)


def test_a_choice_can_be_a_slider_next_to_the_picture():
    attention = np.full((2, 3, 1, 7), 1 / 7, np.float32)
    header = read(payload(make_picture(weights=attention, beside=True, sliders=("layer",)), "light"))[0]
    ranges = {control["name"] for control in header["controls"] if control.get("range")}
    assert header["beside"] is True and ranges == {"layer"}


def test_many_heads_are_sent_rounded_and_the_selected_one_exactly():
    attention = np.random.default_rng(2).dirichlet(np.ones(145), (7, 7, 145)).astype(np.float32)
    drawn = make_picture(pixels=np.zeros((96, 96, 3), np.uint8), grid=(12, 12), weights=attention, head=(3, 2))
    header, weights, _ = read(content := payload(drawn, "dark"))
    assert dtypes(header)["weights"] == "float16" and len(content) < 2_200_000
    np.testing.assert_array_equal(weights, attention.astype(np.float16))
    name, numbers = exact_weights(drawn)
    assert name == f"{header['id']},3,2"
    np.testing.assert_array_equal(numbers, attention[3, 2])
    other = replace(drawn, chosen={**drawn.chosen, "layer": "1"})
    assert payload(other, "dark") == content  # the payload is not sent again
    assert exact_weights(other)[0] == f"{header['id']},0,2"
