"""The page *Compare* renders what the model does under the intervention in the address."""

import math

import numpy as np
import pytest

from model import HeadInterventions
from model.attribution.intervention_result import token_losses
from model.attribution.trace_comparison import attention_shift, find_shared_places, pair_sequences
from model.pulling.deltas import solve_delta
from model.tracing.head_interventions import NoMask, OneHot, Pull, Scale, Temperature
from pages.shared.comparison import compare_with_intervention
from pages.shared.models import load_service
from tests.pages.charts import check_caption, text_without_links
from tests.pages.conftest import SENTENCE, html_of
from tests.pages.drawn import matrices, metrics
from tests.pages.reading import marked, programs, table
from tests.pages.recipes import record_files
from views.controls.sentence_input import WIDE
from views.export import drawing
from views.export.difference import difference_picture
from views.text.numbers import signed, three_digits

ALL = tuple((2, head) for head in range(8))  # ablated by default
HEADS = {"heads3": "", "heads4": ["2", "5"]}  # a link that chooses two heads of layer 4 instead
TWO = ((3, 1), (3, 4))


def figures(app) -> list[float]:
    """Return the differences that the check reports."""
    return [float(word.rstrip(".")) for word in check_caption(app, "Recomputed in double").split() if word[0].isdigit()]


def test_before_after_and_difference_equal_the_models(open_app, translator, trace):
    app = open_app("compare", of="decoder", kind="decoder", layer="4", head="2")
    intervened = translator.intervene(trace, HeadInterventions((Scale("decoder", ALL),)))
    before, after = (token_losses(side) for side in (trace, intervened.after))
    numbers = metrics(app)
    assert numbers["Loss, before"] == three_digits(before.mean())
    assert numbers["Change"] == three_digits(float(after.mean()) - float(before.mean()))
    totals = {name: three_digits(side.sum()) for name, side in (("before", before), ("after", after))}
    tokens = len(trace.next_ids)
    expected = "In nats per token; " + "; ".join(
        f"total, {name}: {total} nats in {tokens} tokens" for name, total in totals.items()
    )
    assert expected in [caption.value for caption in app.caption]
    drawn = matrices(app)
    allowed = np.tri(len(trace.target_ids), dtype=bool)
    first, second = trace.decoder_attention[3, 1], intervened.after.decoder_attention[3, 1]
    for name, expected in {"Before": first, "After": second, "After minus Before": second - first}.items():
        np.testing.assert_allclose(drawn[name][1][allowed], expected[allowed], atol=1e-5)
        assert np.isneginf(drawn[name][1][~allowed]).all()
    header = drawn["After minus Before"][0]
    assert header["low"] == -header["high"]  # no change is in the middle of the scale
    assert header["high"] == pytest.approx(np.abs(second - first).max(), abs=1e-5)
    np.testing.assert_allclose(
        drawn["Cross"][1], attention_shift(trace.cross_attention, intervened.after.cross_attention), atol=1e-5
    )
    assert not drawn["Encoder"][1].any() and not drawn["Decoder"][1][:3].any()  # nothing before the change moves
    assert marked(app, "aa-text") == [translator.translate(SENTENCE), intervened.translation]
    rows = table(app, "\u2212ln\u00a0p of each token")
    assert len(rows) == 1 + len(before)
    assert [row[1:3] for row in rows[1:]] == [list(map(three_digits, both)) for both in zip(before, after, strict=True)]
    assert len(figures(app)) == 2 and max(figures(app)) < 1e-4


def test_it_opens_with_a_change_of_the_meaning_word_by_word(open_app, translator, trace):
    app = open_app("compare")
    last = tuple((3, head) for head in range(8))
    after = translator.intervene(trace, HeadInterventions((Scale("cross", last),))).translation.split()
    before = translator.translate(SENTENCE).split()
    columns = pair_sequences(before, after)
    same = sum(one is not None and two is not None and before[one] == after[two] for one, two in columns)
    assert 0 < same < len(before) and f"{len(columns) - same} of {len(columns)} words differ" in html_of(app)
    texts = [text.value.replace("\\", "") for text in app.markdown]
    assert "Changed: cross-attention, layer 4 head 1, 2, 3, 4, 5, 6, 7, 8: ablated" in texts
    assert (app.query_params["of"], app.query_params["heads4"]) == ("cross", [str(head) for head in range(1, 9)])
    (fold,) = [fold for fold in app.expander if fold.label == "Change the intervention"]
    assert not fold.proto.expanded
    app.button(key="headsnone").click().run()
    assert metrics(app)["Change"] == "0" and app.query_params["heads3"] == ""
    app.button_group(key="heads4").set_value(["1"]).run()  # the rest of what the page has chosen stays
    one = translator.intervene(trace, HeadInterventions((Scale("cross", ((3, 0),)),)))
    assert metrics(app)["Loss, after"] == three_digits(float(token_losses(one.after).mean()))
    assert (app.query_params["of"], app.query_params["heads4"]) == ("cross", "1")


def test_equal_translations_differ_in_no_word(open_app):
    app = open_app("compare", **{"of": "decoder", "heads3": ""})
    assert "No word differs" in html_of(app) and "aa-other" not in html_of(app)


CASES = [
    ({"of": "cross", "do": "scale", "factor": "2.5"}, Scale("cross", TWO, 2.5)),
    ({"of": "encoder", "do": "sharpen", "heat": "5"}, Temperature("encoder", TWO, 5.0)),
    ({"of": "decoder", "do": "mask"}, NoMask("decoder", TWO)),
    ({"of": "cross", "do": "one-hot", "crosssees": "4"}, OneHot("cross", TWO, 3)),
]


@pytest.mark.parametrize(("query", "change"), CASES)
def test_a_link_applies_its_intervention(open_app, translator, trace, query, change):
    app = open_app("compare", **HEADS, **query)
    intervened = translator.intervene(trace, HeadInterventions((change,)))
    assert metrics(app)["Loss, after"] == three_digits(float(token_losses(intervened.after).mean()))
    assert len(figures(app)) == (1 if isinstance(change, NoMask | OneHot) else 2)
    assert max(figures(app)) < 1e-4
    assert not app.warning


def test_stored_interventions_apply_together_and_can_be_removed(open_app, translator, trace):
    app = open_app("compare", **HEADS)
    app.button(key="headskeep").click().run()
    assert app.query_params["headskept"] == "scale:decoder:4.2.5:0"
    app.button_group(key="of").set_value("cross").run()
    both = HeadInterventions((Scale("decoder", TWO), Scale("cross", TWO)))
    assert metrics(app)["Loss, after"] == three_digits(
        float(token_losses(translator.intervene(trace, both).after).mean())
    )
    app.button(key="headsnone").click().run()
    one = translator.intervene(trace, HeadInterventions(both.changes[:1]))
    assert metrics(app)["Loss, after"] == three_digits(float(token_losses(one.after).mean()))
    app.button(key="headsdrop0").click().run()
    assert "headskept" not in app.query_params
    assert metrics(app)["Change"] == "0" and "to the same keys as before" in check_caption(app, "Every head attends")
    assert marked(app, "aa-text")[0] == marked(app, "aa-text")[1]


def test_pulls_in_a_link_are_applied_and_described(open_app, translator, trace):
    weaker, hidden = Pull("cross", ALL, 0, 3, -0.5), Pull("decoder", ((0, 1),), 0, 1, -math.inf)
    pulls = HeadInterventions((Pull("cross", ALL, 1, 2, 4.5), weaker, hidden))
    app = open_app("compare", heads3="", headskept=pulls.to_text())
    intervened = translator.intervene(trace, pulls)
    assert metrics(app)["Loss, after"] == three_digits(float(token_losses(intervened.after).mean()))
    assert max(figures(app)) < 1e-4 and not app.warning
    texts = " ".join(text.value for text in app.text)
    assert "+4.5 on the score of key 2 at query 3" in texts and "query 2 does not attend to key 1" in texts
    assert "\u22120.5 on the score of key 1 at query 4" in texts


RED = "She is wearing a small red dress."
LAYER = {"heads3": "", "heads4": [str(head) for head in range(1, 9)]}
PULLED = {"of": "cross", "do": "pull", "crossplace": "5", "crosspulled": "5", "pulledweight": "0.75"}


def test_a_pull_is_chosen_by_its_weight_and_has_its_control(open_app, translator):
    app = open_app("compare", text=RED, **PULLED, **LAYER)
    before = translator.trace(RED)
    heads = tuple((3, head) for head in range(8))
    delta = solve_delta(before.cross_attention[3, :, 4, 4], 0.75)
    intervened = translator.intervene(before, HeadInterventions((Pull("cross", heads, 4, 4, delta),)))
    assert marked(app, "aa-text") == [translator.translate(RED), intervened.translation]
    assert intervened.translation != translator.translate(RED) and max(figures(app)) < 1e-4
    texts = " ".join(element.value for element in [*app.markdown, *app.caption]).replace("\\", "")
    assert f"{signed(delta)} on the score of \u201csmall\u201d at \u201crobe\u201d, layer 4" in texts
    assert "You forced this weight. \u201cpetite\u201d in place of \u201crobe\u201d." in texts
    assert "None of the other 8 keys gives \u201cpetite\u201d." in texts
    program = next(fold for fold in app.expander if fold.label.startswith("The same in"))
    (plan,) = [line for line in programs(program)[0].splitlines() if line.startswith("plan = ")]
    assert f":5.5.{delta!r}" in plan
    app.button(key="headskeep").click().run()  # it is kept with the number, not with the weight
    assert app.query_params["headskept"].endswith(f":5.5.{delta!r}")


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"of": "decoder", "decoderplace": "2", "decoderpulled": "4"}, "The mask hides key 4 from decoder query 2"),
        ({"of": "decoder", "decoderplace": "1", "decoderpulled": "1"}, "is 1 whatever its score"),
    ],
)
def test_a_pull_that_no_number_gives_gets_one_sentence(open_app, query, sentence):
    app = open_app("compare", do="pull", **query, **HEADS)
    stated = [element.value.replace("\\", "") for element in [*app.warning, *app.caption]]
    assert len([text for text in stated if sentence in text]) == 1 and not app.exception


@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_the_first_pull_of_every_kind_can_be_applied(open_app, kind):
    app = open_app("compare", do="pull", of=kind, **HEADS)
    assert not any(
        "whatever its score" in text or "The mask hides" in text for text in map(text_without_links, app.caption)
    )
    assert app.metric[2].value != "0"


def test_a_pull_states_the_token_at_which_it_was_set_and_its_tables_that_it_is_forced(
    open_app, translator, monkeypatch
):
    """The second pull changes the word at the place of the first."""
    heads = tuple((3, head) for head in range(8))
    tired = "The animal didn't cross the street because it was too tired."
    pulls = HeadInterventions((Pull("decoder", ((0, 0),), 0, 14, 0.5), Pull("cross", heads, 1, 14, 8.0)))
    written = record_files(monkeypatch)
    app = open_app("compare", text=tired, heads3="", headskept=pulls.to_text())
    captions = " ".join(element.value for element in app.caption).replace("\\", "")
    assert "(set at \u201celle\u201d)" in captions and captions.count("set at") == 1
    assert "at \u201cil\u201d, layer 1 head 1 (set at" in captions
    tables = {name: make().decode().splitlines() for name, make in written.items() if name.endswith(".csv")}
    for lines in (tables["compare-losses.csv"], tables["compare-cross-layer-4-head-mean.csv"]):
        assert lines[0].endswith(",note") and "You forced" in lines[1] and lines[2].endswith(",")


def test_files_of_a_pull_state_that_it_is_forced(translator):
    trace = translator.trace(RED)
    heads = tuple((3, head) for head in range(8))
    service = load_service()
    delta = solve_delta(trace.cross_attention[3, :, 4, 4], 0.75)
    plan = HeadInterventions((Pull("cross", heads, 4, 4, delta),))
    comparison = compare_with_intervention(service, RED, trace, plan)
    pair = comparison.maps(service.kinds["cross"]).at((3, None))
    assert "You forced this weight." in pair.captions[-1] and "None of the other 8 keys" in pair.captions[-1]
    picture = drawing.to_svg(difference_picture(pair))
    assert "You forced this weight." in picture and "on the score of" in picture
    assert pair.arrays()["captions"].tolist() == list(pair.captions) == list(comparison.captions)
    plain = compare_with_intervention(service, RED, trace, HeadInterventions((Scale("cross", heads),)))
    assert plain.pulls is None and "captions" not in plain.maps(service.kinds["cross"]).at((3, None)).arrays()


def test_another_sentence_with_its_own_translation_or_that_of_a(open_app, translator, trace):
    text = "I want to sell a car now."
    app = open_app("compare", b="other", other=text, kind="encoder", layer="1", head="mean")
    other = translator.trace(text)
    shared = find_shared_places(trace.source_ids, other.source_ids)
    drawn = matrices(app)
    assert drawn["A"][1].shape != drawn["B"][1].shape
    difference = drawn["B minus A"][1]
    assert difference.shape == (len(shared), len(shared)) and 3 < len(shared) < len(trace.source_ids)
    maps = [side.encoder_attention[0].mean(axis=0) for side in (trace, other)]
    expected = maps[1][np.ix_(shared.second, shared.second)] - maps[0][np.ix_(shared.first, shared.first)]
    np.testing.assert_allclose(difference, expected, atol=1e-5)
    lengths = f"{len(shared)} of {len(trace.source_ids)} and {len(other.source_ids)} rows"
    assert lengths in check_caption(app, "tokens that both have")
    assert metrics(app)["Loss, B"] == three_digits(float(token_losses(other).mean()))
    app.button_group(key="reads").set_value("a").run()
    same = translator.trace(text, target_ids=trace.next_ids)
    assert metrics(app)["Loss, B"] == three_digits(float(token_losses(same).mean()))
    assert marked(app, "aa-text")[1] == translator.translate(text)
    app.text_input(key="other").set_value("\U0001f600 \ud55c\uad6d\uc5b4").run()  # shares the last token only
    assert not app.exception
    app.text_input(key="other").set_value(" ").run()
    assert [w.value.split(".")[0] for w in app.warning] == ["**Sentence B"]


def test_an_impossible_intervention_gets_one_sentence(open_app):
    app = open_app("compare", of="decoder", do="one-hot", decoderasks="2", decodersees="4")
    assert [w.value for w in app.warning] == [
        "Decoder query 2 cannot attend to key 4\\, which is not generated yet\\; choose a key up to 2\\."
    ]
    assert not matrices(app)
    app.text_input(key="text").set_value("Yes.").run()  # those tokens no longer exist
    assert not app.exception
    app = open_app("compare", headskept="force:encoder:1.1:40")
    assert len(app.warning) == 1 and app.button(key="headsdrop0").click().run().warning == []


def test_old_addresses_select_the_same(open_app):
    old = open_app("compare", of="Cross", do="Force a look", crossasks="2 Je", crosssees="4 buy", **HEADS)
    new = open_app("compare", of="cross", do="one-hot", crossasks="2", crosssees="4", **HEADS)
    assert metrics(old) == metrics(new) and dict(old.query_params) == dict(new.query_params)


def test_invalid_settings_in_the_address_are_ignored(open_app):
    nonsense = {"b": "x", "of": "y", "do": "z", "heads3": ["77"], "kind": "?", "layer": "9", "head": "-"}
    app = open_app("compare", headskept="<b>;scale:", **nonsense)
    assert not app.warning and metrics(app)["Change"] != "0"
    for query in (
        {"do": "sharpen", "heat": "nan"},
        {"do": "mask", "of": "encoder", "encodermask": "none", "encoderforbid": "99"},
        {"do": "mask", "of": "decoder", "decodermask": "window", "window": "0"},
    ):
        assert not open_app("compare", **query).warning, query


@pytest.mark.parametrize("text", ["<b>a</b> $x$ **y** :smile: " + "a " * 50, "!"])
def test_unusual_and_long_sentences_are_shown_literally(open_app, text):
    app = open_app("compare", text=text, b="other", other=WIDE)
    assert not app.exception and "<b>" not in html_of(app)
    app.text_input(key="text").set_value("").run()
    assert len(app.warning) == 1 and not matrices(app)
