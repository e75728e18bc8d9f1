"""The page *Any model* opens allowed models, and neither opens nor mentions others."""

from __future__ import annotations

import numpy as np
import pytest

from model import HeadInterventions
from model.hub import trace_limits
from model.hub.opened_pictures import patch_trace
from model.open_model import open_model
from model.tracing.head_interventions import Scale
from pages.models import attention_labels, model_picker, trace_retention
from tests.new_process import clear_all
from tests.pages.apart import sent_weights
from tests.pages.kinds import maps_by_kind
from tests.pages.listed import listed_heads as header_of
from tests.pages.models.opened_model_page import open_maps, page_text
from tests.pages.reading import number
from tests.views.components.test_patch_picture import read as read_picture
from views.controls import samples
from views.html import generated_tokens
from views.text import literal
from views.text.numbers import three_digits
from views.viewer.attention_maps import from_trace

OURS = [label() for label in model_picker.OURS.values()]


def test_with_an_empty_allowlist_the_page_names_the_setting(open_app, monkeypatch):
    monkeypatch.delenv("ATLAS_MODELS", raising=False)
    clear_all()
    app = open_app("models", model="gpt2")
    assert not app.exception
    assert "ATLAS_MODELS" in page_text(app)
    assert app.selectbox(key="model").options == ["none yet", *OURS]


def test_listed_models_are_offered_with_their_sizes(open_app, listed):
    app = open_app("models")
    (choice,) = app.selectbox
    assert choice.options == ["none yet", *OURS, *listed]
    assert not app.get("bidi_component")
    (table,) = [frame.value for frame in app.dataframe]
    types = {"gpt-j": "gptj", "bert-classes": "bert"}
    about = dict(zip(table["model"], table[["type", "layers", "heads a layer"]].itertuples(index=False), strict=True))
    assert {name: tuple(row) for name, row in about.items()} == {
        name: (types.get(name, name), "2 + 2" if name == "t5" else "2", "4") for name in listed
    }
    assert set(table["can it be opened?"]) == {"yes"}
    assert "GPT-2" in page_text(app)


@pytest.mark.parametrize(
    ("name", "kind"), [("bert", "encoder"), ("gpt2", "decoder"), ("t5", "encoder"), ("t5", "cross"), ("vit", "vision")]
)
def test_an_opened_model_shows_its_own_maps(open_app, listed, name, kind):
    app = open_app("models", model=name, text="The quick fox.", kind=kind)
    assert not app.exception
    assert "Proven when it was opened" in page_text(app)
    header, weights = open_maps(app)
    model = open_model(listed[name], device="cpu")
    if name == "vit":
        assert header["queries"][:2] == ["CLS", "row 1, column 1"]
        return
    trace = model.trace("The quick fox.")
    np.testing.assert_allclose(weights[:-1, :-1], trace.attention(kind), atol=1e-5)
    assert header["keys"] == list(trace.axes(kind)[1])
    assert header["causal"] == (kind == "decoder")


def test_a_decoder_continues_and_lists_probable_tokens(open_app, listed):
    app = open_app("models", model="gpt2", text="The quick fox", n="3")
    model = open_model(listed["gpt2"], device="cpu")
    (best, _) = model.top(model.trace("The quick fox"), -1)[0]
    tables = [frame.value for frame in app.dataframe]
    assert any(best in table.iloc[:, 0].tolist() for table in tables)


def test_a_masked_model_fills_the_mask(open_app, listed):
    app = open_app("models", model="bert", text="The [MASK] fox.")
    tables = [frame.value for frame in app.dataframe]
    assert any("token 1 for the mask" in table.columns for table in tables)
    assert "MASK" in page_text(open_app("models", model="bert", text="The fox."))


@pytest.mark.parametrize("name", ["bert", "gpt2", "t5", "vit"])
def test_heads_are_ranked_by_what_ablating_them_does(open_app, listed, name):
    app = open_app("models", model=name, text="The quick fox.", part="heads")
    assert not app.exception
    rows = header_of(app)["rows"]
    assert len(rows) == (3 if name == "t5" else 1) * 2 * 4
    effects = [abs(row["effect"]) for row in rows]
    assert effects == sorted(effects, reverse=True)
    assert effects[0] > 0


@pytest.mark.parametrize("part", ["cls", "any-patch", "layers", "what-if"])
def test_pictures_have_the_views_of_vision(open_app, listed, part):
    app = open_app("models", model="vit", part=part, vdo="ablate", vheads1=["2"], vheads2=[])
    assert not app.exception
    trace = patch_trace(open_model(listed["vit"], device="cpu").trace(samples.picture(samples.NAMES[0]).image))
    if part in ("cls", "any-patch"):
        name = "picture_stage" if part == "cls" else "patch_picture"
        (element,) = [each for each in app.get("bidi_component") if each.proto.component_name == name]
        header, weights, _ = read_picture(element.proto.bytes)  # (layers + 1, heads + 1, query, key)
        assert not header.get("read")  # only attention is known
        mean = trace.attention[-1].mean(axis=0)
        np.testing.assert_allclose(weights[len(trace.attention) - 1, -1], mean[: weights.shape[2]], atol=1e-3)
        assert "`scaled_dot_product_attention`, with the model's own bias" in page_text(app)
    elif part == "layers":
        (element,) = [each for each in app.get("bidi_component") if each.proto.component_name == "patch_picture"]
        _, maps, _ = read_picture(element.proto.bytes)  # (layers, fusions, methods, 1 + patch)
        assert maps.shape == (len(trace.attention), 3, 4, trace.attention.shape[-1])
        assert "Both curves of every" in page_text(app)
    else:
        assert "Recomputed in double precision" in page_text(app)
        assert "LABEL_2" in page_text(app)


def test_a_text_is_classified(open_app, listed):
    app = open_app("models", model="bert-classes", text="The quick fox.", part="heads")
    assert not app.exception
    trace = open_model(listed["bert-classes"], device="cpu").trace("The quick fox.")
    best = trace.classes[int(trace.probabilities.argmax())]
    (classes, *_) = [frame.value for frame in app.dataframe if "class" in frame.value.columns]
    assert classes["class"][0] == best
    assert len(header_of(app)["rows"]) == 8
    heads = {"heads1": ["2"], "heads2": ["1"]}
    changed = open_app("models", model="bert-classes", text="The quick fox.", part="what-if", **heads)
    assert not changed.exception
    assert "LABEL_2" in page_text(changed)
    model = open_model(listed["bert-classes"], device="cpu")
    plan = HeadInterventions((Scale("encoder", ((0, 1), (1, 0)), 0.0),))
    ablated = model.trace("The quick fox.", intervention=plan)
    sides = [float(model.score(each).reshape(-1)[trace.probabilities.argmax()]) for each in (trace, ablated)]
    label = literal.markdown(best)
    names = [f"\u2212ln\u00a0p of {label}, before", f"\u2212ln\u00a0p of {label}, after", "Change (nats)"]
    assert [metric.label for metric in changed.metric] == names
    assert [metric.value for metric in changed.metric] == list(map(three_digits, (*sides, sides[1] - sides[0])))


def test_the_axes_distinguish_two_texts(open_app, listed):
    app = open_app("models", model="bert", text="A fox.", second="A dog.")
    header, _ = open_maps(app)
    assert header["keys"].count("[SEP] (A)") == header["keys"].count("[SEP] (B)") == 1
    assert header["keys"].index("A (A)") < header["keys"].index("A (B)")


def test_whole_words_of_both_sides(open_app, listed):
    app = open_app("models", model="t5", text="The unheard-of fox.", target="She wants one.", units="words")
    words = {"source": ["The", "unheard-of", "fox."], "target": ["She", "wants", "one."]}
    sides = {"encoder": ("source",) * 2, "decoder": ("target",) * 2, "cross": ("target", "source")}
    for kind, (header, _) in maps_by_kind(app).items():
        for axis, side in zip(("queries", "keys"), sides[kind], strict=True):
            named = [name for name in header["grouped"][axis] if not name.startswith(("[", "\u2423"))]
            assert named == words[side]
    trace = open_model(listed["t5"], device="cpu").trace("The unheard-of fox.", target="She wants one.")
    cross = from_trace(trace, attention_labels.labelled_kinds(trace))["cross"].in_words()
    assert [word for word in cross.queries.labels if word in words["target"]] == words["target"]


def test_the_tokens_that_a_tokenizer_adds_can_be_hidden(open_app, listed):
    header, _ = open_maps(open_app("models", model="bert", text="A fox."))
    last = len(header["keys"]) - 1
    assert header["special"] == [[0, last], [0, last]]


@pytest.mark.parametrize(
    ("name", "kind"), [("bert", "encoder"), ("gpt2", "decoder"), ("t5", "cross"), ("vit", "vision")]
)
def test_one_weight_is_recomputed_from_the_recorded_numbers(open_app, listed, name, kind):
    app = open_app("models", model=name, text="The quick fox.", look="one-weight", kind=kind, layer="2", head="3")
    assert not app.exception
    assert "Computed here in double precision" in page_text(app)
    assert "something is wrong" not in page_text(app)
    header, numbers = sent_weights(app, kind)
    assert all(form["plain"] == (name != "t5") for form in header["forms"])
    assert ("scores" in numbers) == (name == "t5")  # a bias was added to them


def test_one_weight_without_recorded_products(open_app, listed):
    options = {"text": "The quick fox.", "look": "one-weight", "layer": "2", "head": "3"}
    app = open_app("models", model="gpt-j", **options)
    assert not app.exception
    assert "from the recorded scores" in page_text(app)
    assert "something is wrong" not in page_text(app)
    header, numbers = sent_weights(app, "decoder")
    assert "there are no products to show" in " ".join(header["texts"]["products"].split())
    assert set(numbers) == {"scores", "masks"} and header["forms"] == []
    assert numbers["scores"][1, 2, 1, 4] < -1e38  # masked, and shown as such by the browser


@pytest.mark.parametrize("name", ["bert", "gpt2", "t5"])
def test_before_and_after_an_intervention(open_app, listed, name):
    app = open_app(
        "models", model=name, text="The quick fox.", part="what-if", heads1=["2"], heads2=["1"], layer="2", head="3"
    )
    assert not app.exception
    before, after, change = (number(metric.value) for metric in app.metric)
    model = open_model(listed[name], device="cpu")
    trace = model.trace("The quick fox.")
    kind = model.kinds[0].name
    plan = HeadInterventions((Scale(kind, ((0, 1), (1, 0)), 0.0),))
    ablated = model.trace("The quick fox.", intervention=plan)
    assert before == pytest.approx(model.score(trace).mean(), rel=5e-3)
    assert after == pytest.approx(model.score(ablated, plan).mean(), rel=5e-3)
    assert "recomputed in double precision" in page_text(app)
    assert "Its pattern before" in page_text(app)
    assert ("Generated after" in page_text(app)) == (name != "bert")
    if name != "bert":
        most = 20 if name == "gpt2" else max(len(trace.target.ids), 2 * len(trace.source.ids) + 10)
        # the text may be equal: random weights may generate the same one from other logits
        same_target = {"target": trace.target.ids} if trace.target else {}
        logits = model.trace("The quick fox.", **same_target, intervention=plan).logits
        assert np.abs(logits - trace.logits).max() > 0.01
        assert generated_tokens.sentence(model.generate("The quick fox.", most, plan), "") in page_text(app)
        assert f"At most {most} tokens." in page_text(app)


def test_interventions_on_an_image_encoder_without_classes(open_app, listed):
    app = open_app("models", model="dinov2", part="what-if", headsdo="ablate")
    assert not app.exception
    trace = open_model(listed["dinov2"], device="cpu").trace(samples.picture(samples.NAMES[0]).image)
    assert trace.classes is None
    assert "One head on both sides" in " ".join(header.value for header in app.header)
    assert "attention_map" in {part.proto.component_name for part in app.get("bidi_component")}


def test_the_recipe_in_the_files_computes_the_same_attention(open_app, listed, monkeypatch):
    """The recipe of the archive, in whole words and without special tokens, computes the saved attention."""
    text = "The unheard-of fox."
    model = open_model(listed["bert"], device="cpu")
    trace = model.trace(text)
    maps, provenance = attention_labels.view_opened(model, trace, {"sentence": text})
    shown = maps["encoder"].in_words().without_special()
    assert not any(name in ("[CLS]", "[SEP]") for name in shown.queries.labels)
    monkeypatch.chdir(listed["bert"].parent)
    names: dict[str, object] = {}
    exec("\n".join(provenance.recipe(maps["encoder"], shown)), names)
    np.testing.assert_allclose(names["attention"], shown.weights, atol=1e-6)
    assert provenance.page == "models"


@pytest.mark.parametrize("name", ["/etc", "../gpt2", "owner/name", "no-such", "own", "\x00", "gpt2@main"])
def test_an_unlisted_model_is_neither_opened_nor_mentioned(open_app, listed, name):
    app = open_app("models", model=name)
    assert not app.exception
    assert not app.get("bidi_component")
    assert app.selectbox[0].value == "none"


def test_invalid_input_gets_one_sentence(open_app, listed):
    assert "no tokens" in page_text(open_app("models", model="gpt2", text=""))
    assert "positions" in page_text(open_app("models", model="bert", text="dog " * 200))


def test_a_damaged_model_gets_one_sentence(open_app, listed):
    file = listed["gpt2"] / "model.safetensors"
    content = file.read_bytes()
    file.write_bytes(content[:1000])
    try:
        app = open_app("models", model="gpt2")
        assert "damaged or cut short" in page_text(app)
        assert not app.exception
    finally:
        file.write_bytes(content)


def test_for_a_long_text_the_user_chooses_what_is_retained(open_app, listed, monkeypatch):
    text = "The quick fox wants a car."
    model = open_model(listed["gpt2"], device="cpu")
    numbers, layers = model.count_weights(text)
    monkeypatch.setattr(trace_retention, "CHOICE_BYTES", 0)
    monkeypatch.setattr(trace_limits, "LARGEST", 4 * numbers)
    monkeypatch.setattr(trace_limits, "HALF_FROM", 0)
    weights = open_app("models", model="gpt2", text=text)
    choice = next(box for box in weights.selectbox if "Keep" in box.label)
    assert [option.split(",")[0] for option in choice.options] == ["weights", "one layer"]
    assert "half precision" in page_text(weights)
    assert "One weight" not in str(weights.get("button_group"))
    layer = open_app("models", model="gpt2", text=text, keep="layer", kept="2", layer="2", head="3")
    header, drawn = open_maps(layer)
    assert (header["rows"], drawn.shape[0]) == (["2", "mean"], 2)
    np.testing.assert_allclose(drawn[0, :-1], model.trace(text).attention("decoder")[1], atol=1e-3)
    assert "What if" not in [option.content for group in layer.get("button_group") for option in group.proto.options]
    lines = open_app("models", model="gpt2", text=text, keep="layer", kept="2", look="lines")
    assert not lines.exception
