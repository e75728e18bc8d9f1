"""Maps too large to send: the overview in blocks, the chosen map exact, below 5 MB in all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import transformers

from model.open_model import open_model
from tests.model.hub import tiny
from tests.new_process import clear_all
from tests.pages.drawn import matrices
from views import map_weights
from views.map_weights import reduce_to_blocks

LAYERS, HEADS, TOKENS = 32, 32, 128
MOST_BYTES = 5_000_000


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A decoder of 32 layers of 32 heads, each two numbers wide."""
    folder = tmp_path_factory.mktemp("many") / "wide"
    sizes = {"vocab_size": tiny.VOCABULARY, "n_embd": 64, "n_positions": 256, "bos_token_id": 2, "eos_token_id": 3}
    network = transformers.GPT2LMHeadModel(transformers.GPT2Config(**sizes, n_layer=LAYERS, n_head=HEADS, n_inner=8))
    network.save_pretrained(folder)
    tiny.tokenizer().save_pretrained(folder)
    return folder


@pytest.fixture
def opened_wide(wide: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ATLAS_MODELS", str(wide))
    clear_all()
    yield wide
    clear_all()


def text_of(tokens: int) -> str:
    """Return a text of so many tokens, including the two special ones."""
    return "?" * (tokens - 2)


def test_blocks_contain_their_largest_weight():
    attention = np.random.default_rng(0).random((3, 2, 9, 7)).astype(np.float16)
    reduced, block = reduce_to_blocks(np.repeat(np.repeat(attention, 32, axis=2), 32, axis=3))
    assert block == 5
    whole = map_weights.with_means(np.repeat(np.repeat(attention, 32, axis=2), 32, axis=3))
    for place in np.ndindex(4, 3):
        np.testing.assert_allclose(reduced[place], map_weights.largest_of_blocks(whole[place], block), atol=1e-3)


@pytest.mark.nightly
def test_a_thousand_heads_of_128_tokens(open_app, opened_wide):
    text = text_of(TOKENS)
    app = open_app("models", model="wide", text=text, layer="17", head="5")
    assert not app.exception
    sent = {element.proto.component_name: element.proto.bytes for element in app.get("bidi_component")}
    assert sum(map(len, sent.values())) < MOST_BYTES
    trace = open_model(opened_wide, device="cpu").trace(text)
    assert trace.attention("decoder").shape == (LAYERS, HEADS, TOKENS, TOKENS)
    (name, (_, drawn)) = next(iter(matrices(app).items()))
    assert name == "Masked decoder self-attention, layer 17, head 5"
    allowed = np.tri(TOKENS, dtype=bool)
    np.testing.assert_allclose(drawn[allowed], trace.attention("decoder")[16, 4][allowed], atol=1e-6)
    lines = open_app("models", model="wide", text=text, look="lines", layer="17")
    assert not lines.exception
    sent = {element.proto.component_name: element.proto.bytes for element in lines.get("bidi_component")}
    assert len(sent["attention_lines"]) < MOST_BYTES


@pytest.mark.parametrize(
    "part", [{"look": "one-weight", "layer": "17"}, {"part": "what-if", "layer": "17", "head": "5"}]
)
def test_the_other_views_of_a_thousand_heads(open_app, opened_wide, part):
    app = open_app("models", model="wide", text="A quick fox.", **part)
    assert not app.exception
    assert not app.warning
    expected = "from the recorded query and keys" if "look" in part else "Its pattern before"
    assert any(expected in element.value for element in (*app.markdown, *app.caption))
    sent = [element.proto.bytes for element in app.get("bidi_component")]
    assert sum(map(len, sent)) < MOST_BYTES
