"""The diagram states the sizes it is given."""

import xml.etree.ElementTree as ElementTree

from views import palette
from views.figures.architecture import Sizes, architecture

SIZES = Sizes(vocabulary_size=8000, d_model=256, n_heads=8, d_k=32, d_ff=1024, n_encoder_layers=4, n_decoder_layers=6)


def test_sizes_and_colours():
    svg = architecture(SIZES)
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Encoder, 4 layers" in texts
    assert "Decoder, 6 layers" in texts
    assert texts.count("8 heads, d_k = 32") == 3
    assert texts.count("256 \u2192 1\u2009024 \u2192 256, ReLU") == 2
    assert "8\u2009000 pieces \u00d7 d_model = 256" in texts
    for kind in ("encoder", "decoder", "cross"):
        assert palette.HUES[kind] in svg
    assert "4 layers" in root.get("aria-label")


def test_one_layer_is_singular():
    assert "Encoder, 1 layer<" in architecture(Sizes(8000, 256, 8, 32, 1024, 1, 1))
