"""The section *Recurrent networks* shows what each of them computes with a step of another sentence."""

from __future__ import annotations

import numpy as np
import pytest

from model.causal.recurrent_patching import translate_with_state_in_steps
from model.causal.sentence_pairs import pair_sentences, prepare_pair
from model.runtime.progress import run_to_end
from tests.pages.conftest import SENTENCE
from tests.pages.drawn import matrices
from tests.pages.reading import marked
from tests.pages.shared.programs import load_recurrent
from tests.payloads import read_payload
from tests.tiers import nightly
from views.text.numbers import three_digits

HOUSE = "I want to buy a house."
ROWS = {
    "hidden_state": "Hidden state h",
    "cell_state": "Cell state c",
    "state": "Both, h and c",
    "context_vector": "Context vector",
}


def open_states(open_app, **query):
    return open_app("circuits", part="states", other=HOUSE, cellscale="metric", **query)


@pytest.mark.parametrize(
    ("network", "direction", "site", "part", "position"),
    [
        ("lstm-additive", "denoising", "context_vector", "decoder", 4),
        nightly("lstm-dot", "noising", "state", "encoder_forwards", 6),
        nightly("lstm-vector", "denoising", "cell_state", "encoder_backwards", 1),
        nightly("rnn-vector", "noising", "hidden_state", "decoder", 2),
    ],
)
def test_maps_and_the_translation_are_the_networks(open_app, network, direction, site, part, position):
    model = load_recurrent(network)
    rows = [name for name, parts in model.resumable.sites.items() if part in parts]
    cell = f"{part}.{rows.index(site) + 1}.{position}"
    app = open_states(open_app, network=network, direction=direction, cell=cell)
    drawn = {header["map"]: (header["rows"], values) for header, values in matrices(app).values() if "map" in header}
    for each, (names, values) in drawn.items():
        sites = [name for name, parts in model.resumable.sites.items() if each in parts]
        assert names == [ROWS[name] for name in sites]
        for name, row in zip(sites, values, strict=True):
            result = model.patch(SENTENCE, HOUSE, site=name, part=each, direction=direction)
            np.testing.assert_allclose(row, result.effects, atol=1e-5)
    assert set(drawn) == {each for parts in model.resumable.sites.values() for each in parts}
    pair = pair_sentences(model.resumable, model.tokenizer, model.read_ids(SENTENCE), model.read_ids(HOUSE))
    experiment = prepare_pair(model.resumable, model.tokenizer, pair, pair.proposed, "difference")
    options = {"place": pair.proposed, "direction": direction}
    patched = run_to_end(
        translate_with_state_in_steps(model.resumable, experiment, site, part, position - 1, **options)
    )
    assert marked(app, "aa-text") == [*pair.texts, model.tokenizer.decode(patched.ids)]
    (line,) = [each.value for each in app.markdown if "With the chosen cell patched" in each.value]
    assert three_digits(patched.value) in line and f"position {position})" in line
    stages = [each for each in app.get("bidi_component") if each.proto.component_name == "alignment_stage"]
    assert len(stages) == network.startswith(("lstm-additive", "lstm-dot"))
    for stage in stages:
        np.testing.assert_allclose(read_payload(stage.proto.bytes)[1]["cross"], patched.cross[0, 0], atol=1e-4)
    assert "rounding stays below" in "\n".join(each.value for each in app.caption) and not app.warning


def test_equal_sentences_get_a_sentence(open_app):
    app = open_app("circuits", part="states", other=SENTENCE)
    assert ["Both sentences are the same" in each.value for each in app.info] == [True]
    assert not matrices(app) and not app.warning
