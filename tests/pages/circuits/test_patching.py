"""The section *Patching* shows what the model computes with pieces of another sentence, and one of them in full."""

import numpy as np
import pytest

from model.causal.patched_translation import patch_parts_in_steps, translate_patched_in_steps
from model.causal.sentence_pairs import pair_sentences, prepare_pair
from model.runtime.progress import run_to_end
from pages.shared.causes.text_pairs import other_sentence
from tests.pages.conftest import SENTENCE, html_of
from tests.pages.drawn import matrices
from tests.pages.reading import marked
from tests.payloads import read_payload
from tests.tiers import nightly
from views.controls.sentence_input import DEFAULT
from views.text.numbers import three_digits

HOUSE = "I want to buy a house."


def computed(model, other=HOUSE, metric="difference", direction="denoising", place=None, alignment=None):
    """Pair, experiment, and the alignment, as the page chooses them."""
    causal = model.resumable
    pair = pair_sentences(causal, model.tokenizer, model.read_ids(SENTENCE), model.read_ids(other))
    place = pair.proposed if place is None else place
    experiment = prepare_pair(causal, model.tokenizer, pair, place, metric)
    return pair, experiment, pair.alignment(alignment or pair.best_alignment, direction)


def captions(app) -> str:
    return "\n".join(each.value for each in app.caption)


@pytest.mark.parametrize(
    "query",
    [
        {},
        nightly({"direction": "noising", "metric": "probability", "site": "feed_forward_output", "headsite": "keys"}),
        nightly({"metric": "loss", "word": "3", "site": "attention_output", "headsite": "attention_weights"}),
    ],
    ids=str,
)
def test_maps_are_the_models(open_app, translator, query):
    app = open_app("circuits", other=HOUSE, cellscale="metric", **query)
    metric, direction = query.get("metric", "difference"), query.get("direction", "denoising")
    place = int(query["word"]) - 1 if "word" in query else None
    pair, experiment, _ = computed(translator, metric=metric, direction=direction, place=place)
    drawn = matrices(app)  # of the last scale, the metric's
    for site in (query.get("site", "residual"), query.get("headsite", "head_output")):
        grids = run_to_end(patch_parts_in_steps(translator.resumable, experiment, site, direction=direction))
        for part, result in grids.items():
            (values,) = [values for header, values in drawn.values() if header["map"] == f"{site}-{part}"]
            np.testing.assert_allclose(values, result.effects, atol=1e-5)
    assert marked(app, "aa-text")[:2] == list(pair.texts)
    assert "rounding stays below" in captions(app) and not app.warning and not app.info


def test_a_link_opens_a_cell_and_its_translation(open_app, translator):
    pair, experiment, _ = computed(translator)
    for site, part, cell in (("residual", "encoder", (2, 5)), ("head_output", "cross", (3, 6))):
        id = f"{site}-{part}.{cell[0] + 1}.{cell[1] + 1}"
        app = open_app("circuits", other=HOUSE, cell=id)
        steps = translate_patched_in_steps(
            translator.resumable, experiment, site, part, cell, place=pair.proposed, direction="denoising"
        )
        patched = run_to_end(steps)
        assert marked(app, "aa-text")[2] == translator.tokenizer.decode(patched.ids)
        (line,) = [each.value for each in app.markdown if "With the chosen cell patched" in each.value]
        assert three_digits(patched.value) in line and app.query_params["cell"] == id
        (stage,) = [each for each in app.get("bidi_component") if each.proto.component_name == "alignment_stage"]
        header, arrays = read_payload(stage.proto.bytes)
        assert header["english"] == [each.strip() for each in translator.tokenizer.display(pair.corrupt_ids)]
        assert header["french"] == [each.strip() for each in translator.tokenizer.display(patched.ids)]
        np.testing.assert_allclose(arrays["cross"], patched.cross[-1].mean(axis=0), atol=1e-4)


def test_an_invalid_cell_opens_the_strongest(open_app):
    app = open_app("circuits", other=HOUSE, cell="residual-encoder.99.1")
    assert "cell" not in app.query_params or app.query_params["cell"] != "residual-encoder.99.1"
    assert marked(app, "aa-text")[2] == marked(app, "aa-text")[0]  # all of the difference is restored


def test_the_default_pair_asks_for_the_word_that_changes(open_app):
    app = open_app("circuits", text=DEFAULT)
    assert app.text_input(key="other").value == "The black dog is sleeping on the chair."
    assert "chat" in app.selectbox(key="word").format_func(app.selectbox(key="word").value)
    first, second, patched = marked(app, "aa-text")
    assert "chat" in first and "chien" in second and patched == first
    assert html_of(app).count('class="aa-other"') == 1


@pytest.mark.parametrize("other", [SENTENCE, "I  want to buy a car. "])
def test_equal_sentences_get_a_sentence(open_app, other):
    app = open_app("circuits", other=other)
    assert ["Both sentences are the same" in each.value for each in app.info] == [True]
    assert not matrices(app) and not app.warning


@pytest.mark.parametrize("other", [" ", "a " * 200])
def test_an_unusable_second_sentence_gets_its_reason(open_app, other):
    app = open_app("circuits", other=other)
    assert [each.value.split(".")[0] for each in app.warning] == ["**Sentence B"]
    assert not matrices(app)


def test_unknown_characters_are_bytes_that_are_compared(open_app):
    app = open_app("circuits", other="I want to buy a \U0001f600 \ud55c.")
    assert not app.exception and "; " in captions(app) and "pairs are aligned" in captions(app)
    assert app.button_group(key="align").options and matrices(app)


def test_one_way_to_align_sentences_of_different_lengths_needs_no_control(open_app):
    app = open_app("circuits", other="I want to buy a big car.")
    text = captions(app)
    assert "The sentences have 8 and 9 [tokens]" in text and "; 8 pairs are aligned." in text
    assert not [group for group in app.button_group if group.key == "align"]


def test_maps_of_attention_need_equal_lengths(open_app):
    app = open_app("circuits", other="I want to buy a big car.", headsite="attention_weights")
    assert "Attention maps can only be exchanged between inputs of equal length" in app.warning[0].value


def test_equal_translations_get_a_sentence_and_a_probability(open_app, translator):
    other = "I want to buy an automobile."
    assert translator.translate(other) == translator.translate(SENTENCE)
    app = open_app("circuits", other=other)
    assert ["have the same translation" in each.value for each in app.info] == [True]
    assert "difference" not in app.button_group(key="metric").options
    (line,) = [each.value for each in app.markdown if "With the chosen cell patched" in each.value]
    assert line.startswith("**Probability of") and matrices(app)


def test_a_sentence_without_a_known_word_is_its_own_default():
    assert other_sentence("Yesterday it rained.") == "Yesterday it rained."
    assert other_sentence("She gave him the book.") == "She gave him the letter."
    assert other_sentence("He said scatty things.") == "He said scatty things."  # whole words alone


def test_files_have_every_cell(open_app, translator):
    app = open_app("circuits", other=HOUSE)
    assert [button.label for button in app.get("download_button")] == [
        "All cells as CSV",
        "All cells as NPZ",
        "With recipe and link as ZIP",
    ]


def test_heads_at_each_position_have_a_map_for_each_layer(open_app, translator):
    pair, experiment, _ = computed(translator)
    cell = "head_output-cross-3.4.5"  # layer 3, head 4, position 5
    app = open_app("circuits", other=HOUSE, headcells="each", headkind="cross", cell=cell, cellscale="metric")
    options = {"parts": ("cross",), "by_position": True}
    result = run_to_end(patch_parts_in_steps(translator.resumable, experiment, "head_output", **options))["cross"]
    drawn = [values for header, values in matrices(app).values() if header["map"].startswith("head_output")]
    np.testing.assert_allclose(np.stack(drawn), result.effects, atol=1e-5)
    options = {"place": pair.proposed, "by_position": True}
    steps = translate_patched_in_steps(translator.resumable, experiment, "head_output", "cross", (2, 3, 4), **options)
    patched = run_to_end(steps)
    assert marked(app, "aa-text")[2] == translator.tokenizer.decode(patched.ids)
    (line,) = [each.value for each in app.markdown if "With the chosen cell patched" in each.value]
    assert "layer 3, head 4, position 5" in line and three_digits(patched.value) in line
