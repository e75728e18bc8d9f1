"""The diagram contains the sizes of the model and links to pages."""

import xml.etree.ElementTree as ElementTree
from urllib.parse import parse_qs, urlsplit

from views import palette
from views.svg.architecture import TransformerSizes, architecture

SIZES = TransformerSizes(
    vocabulary_size=8000, d_model=256, n_heads=8, d_k=32, d_ff=1024, n_encoder_layers=4, n_decoder_layers=6
)


def test_sizes_and_colours():
    svg = architecture(SIZES)
    root = ElementTree.fromstring(svg)
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "Encoder, 4 layers" in texts
    assert "Decoder, 6 layers" in texts
    assert texts.count("8 heads, d_k = 32") == 3
    assert texts.count("256 \u2192 1,024 \u2192 256, ReLU") == 2
    assert "8,000 \u00d7 256" in texts
    for kind in ("encoder", "decoder", "cross"):
        assert palette.HUES[kind] in svg
    assert "encoder: 4" in root.get("aria-label")


def test_one_layer_is_singular():
    assert "Encoder, 1 layer<" in architecture(TransformerSizes(8000, 256, 8, 32, 1024, 1, 1))


LINK = "{http://www.w3.org/2000/svg}a"
EVERY_PAGE = ("tokens", "positions", "masks", "inside", "decoding", "loss", "attention", "vision")
HOSTILE = 'I "want" <b> & \u00e9t\u00e9 + 100 %'


def links(*pages: str, **keep: str) -> dict[str, str]:
    """Label, without the text of the block, -> URL of every link in the diagram."""
    root = ElementTree.fromstring(architecture(SIZES, {page: page.capitalize() for page in pages}, keep))
    return {link.get("aria-label").split(" (")[0]: link.get("href") for link in root.iter(LINK)}


def test_without_pages_nothing_is_a_link():
    assert links() == {}


def test_only_blocks_whose_page_exists_are_links():
    assert {urlsplit(address).path for address in links("attention", "loss").values()} == {"attention", "loss"}


def test_each_block_opens_its_page():
    addresses = links(*EVERY_PAGE)
    opened = {urlsplit(address).path for address in addresses.values()}
    assert opened == set(EVERY_PAGE) - {"vision"}  # this model has no pictures
    for label, page, query in (
        ("Encoder self-attention", "attention", {"kind": ["encoder"]}),
        ("Masked decoder self-attention", "attention", {"kind": ["decoder"]}),
        ("Cross-attention", "attention", {"kind": ["cross"]}),
        ("Linear", "decoding", {"part": ["linear-softmax"]}),
        ("Causal mask", "masks", {}),
        ("Decoder, feed-forward", "inside", {"inside": ["feed-forward"], "stack": ["decoder"]}),
        ("Encoder, self-attention, add and normalise", "inside", {"inside": ["add-norm"]}),
        ("Encoder, positions", "positions", {}),
        ("Encoder, embedding", "tokens", {}),
        ("Loss", "loss", {}),
    ):
        address = urlsplit(addresses[f"{label}: open the page {page.capitalize()}"])
        assert (address.scheme, address.netloc, address.path) == ("", "", page)  # relative, so the origin stays
        assert parse_qs(address.query) == query


def test_a_link_s_name_contains_the_text_of_its_block():
    root = ElementTree.fromstring(architecture(SIZES, dict.fromkeys(EVERY_PAGE, "Page")))
    (loss,) = [link for link in root.iter(LINK) if link.get("href") == "loss"]
    label = " ".join(text.text for text in loss.iter(f"{LINK[: LINK.index('}') + 1]}text"))
    assert label and loss.get("aria-label") == f"Loss: open the page Page ({label})"


def test_links_contain_any_sentence_escaped():
    for address in links(*EVERY_PAGE, text=HOSTILE, method="beam").values():
        query = parse_qs(urlsplit(address).query)
        assert query["text"] == [HOSTILE]
        assert query["method"] == ["beam"]


def test_links_stay_in_the_tab_and_are_announced():
    root = ElementTree.fromstring(architecture(SIZES, dict.fromkeys(EVERY_PAGE, "Page")))
    assert root.get("role") == "group"  # an image would hide them
    assert {link.get("target") for link in root.iter(LINK)} == {"_self"}
    parents = {link: parent for parent in root.iter() for link in parent if link.tag == LINK}
    for link, parent in parents.items():
        assert link.get("aria-label").startswith(parent.find("{http://www.w3.org/2000/svg}title").text)
        assert " ".join("".join(link.itertext()).split()) in " ".join(link.get("aria-label").split())
        assert link.find("{http://www.w3.org/2000/svg}title") is None  # it would count as text that the link shows
        assert any(element.get("class") == "mark" for element in link)
