"""The payload of a Vision Transformer on the stage. Its script is tested in web/tests and in a browser."""

import numpy as np

from tests.views.components.test_patch_picture import make_picture, read
from views.components import patch_picture
from views.components.patch_picture import PicturePanel
from views.components.picture_stage import PictureStage, payload

WEIGHTS = np.random.default_rng(0).dirichlet(np.ones(7), (3, 2, 1)).astype(np.float32)
PICTURE = make_picture(panels=[PicturePanel("", "cls")], weights=WEIGHTS, beside=True)


def test_it_is_a_picture_with_the_classes_that_are_read_in_every_layer():
    classes = np.array([[0.25, 0.75], [0.12345, 0.87655]])
    header, weights, pixels = read(payload(PictureStage(PICTURE, ("a", "b"), classes), "dark"))
    plain, *arrays = read(patch_picture.payload(PICTURE, "dark"))
    np.testing.assert_array_equal(weights, arrays[0])
    np.testing.assert_array_equal(pixels, arrays[1])
    assert header["classes"] == ["a", "b"] and header["read"] == classes.tolist()
    added = {"classes", "read", "words"}
    assert {name: part for name, part in header.items() if name not in added} == {
        name: part for name, part in plain.items() if name != "words"
    }
    assert plain["words"].items() <= header["words"].items()


def test_where_only_attention_is_known_no_class_is_sent():
    header = read(payload(PictureStage(PICTURE, ("a", "b")), "light"))[0]
    assert header["classes"] == header["read"] == []
