"""The part *Heads that form* of *Loss*, on tiny networks with random weights."""

import html
import json
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model import position_translator
from model.lessons.head_formation import follow_training_in_steps, load_formation
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import snapshot_file
from model.runtime.progress import run_to_end
from pages.loss import formed_heads
from pages.shared.models import load_positions
from tests.drawn_rows import row_names
from tests.model.random_positions import STEPS, write_networks
from tests.pages.charts import check_caption
from tests.pages.conftest import SENTENCE, html_of
from tests.pages.reading import table
from tests.payloads import read_payload
from views.components.component import labels
from views.text.numbers import three_digits

PART = {"part": "heads-that-form"}
TARGET = "Je veux acheter un v\u00e9lo."


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of tiny networks that pages read in place of those that ship."""
    folder = write_networks(tmp_path_factory.mktemp("positions"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(position_translator, "SHIPPED", folder)
        load_positions._results.clear()
        yield folder
        load_positions._results.clear()


@pytest.fixture
def empty(folder, tmp_path, monkeypatch):
    """Another folder, without networks."""
    monkeypatch.setattr(position_translator, "SHIPPED", tmp_path)
    load_positions._results.clear()
    yield tmp_path
    load_positions._results.clear()


def sent_to_the_stage(app: AppTest) -> bytes:
    [stage] = [part for part in app.get("bidi_component") if part.proto.component_name == "formation_stage"]
    return stage.proto.bytes


def chosen_in(app: AppTest) -> dict[str, str]:
    [chosen] = [text for text in re.findall(r'data-chosen="([^"]*)"', html_of(app)) if "training_step" in text]
    return json.loads(html.unescape(chosen))


def steps_of(folder, trace):
    translator = PositionTranslator.load(folder / "sinusoidal", "cpu")
    hashes = load_formation(translator.folder, translator.weights_sha256).snapshots_sha256
    sizes = translator.config, translator.tokenizer, translator.folder
    return run_to_end(follow_training_in_steps(*sizes, hashes, trace.source_ids, trace.next_ids, "cpu"))


@pytest.mark.parametrize("target", ["", TARGET])
def test_one_payload_has_the_sentence_at_every_step(open_app, folder, translator, target):
    app = open_app("loss", **PART, target=target)
    trace = translator.trace(SENTENCE, target=target or None)
    steps = steps_of(folder, trace)
    header, arrays = read_payload(sent_to_the_stage(app))
    assert header["french"] == labels(trace.next_tokens) and header["english"] == labels(trace.source_tokens)
    read = labels(trace.target_tokens)  # a target that is given is only read: no row names a token as chosen there
    names = [
        header["rowName"].format(read=token, chosen=own) for token, own in zip(read, header["french"], strict=True)
    ]
    assert names == (read if target else row_names(trace, "cross"))
    for kind in ("encoder", "cross", "decoder"):
        np.testing.assert_allclose(arrays[kind], np.stack([step.weights[kind] for step in steps]), atol=5e-4)
    assert [sent["step"] for sent in header["steps"]] == list(STEPS)
    for sent, step in zip(header["steps"], steps, strict=True):
        assert (sent["text"], sent["finished"]) == (step.text, step.finished)
        np.testing.assert_allclose(sent["losses"], step.losses, atol=1e-4)
        assert [place[0] for place in sent["places"]] == pytest.approx(np.exp(-step.losses), abs=1e-4)
    last = header["steps"][-1]
    assert [header["roles"][role]["mark"] for role in last["roles"]["cross"][1][0]] == ["A", "R"]
    assert last["labels"]["encoder"] == [["mixed", "previous"], ["end", "same"]] and last["heldout"] == 3.25
    assert header["steps"][0]["roles"]["cross"] == [[[], []], [[], []]]
    assert float(check_caption(app, "key-value cache").rsplit(" ", 1)[1].rstrip(".")) < 1e-5


def test_a_step_is_computed_once_and_chosen_by_the_address(open_app, folder, trace):
    app = open_app("loss", **PART)
    payload = sent_to_the_stage(app)
    assert chosen_in(app) == {"kind": "cross", "formed_layer": "2", "formed_head": "mean", "training_step": "40"}
    later = open_app("loss", **PART, training_step="3", kind="encoder", formed_layer="1", formed_head="2")
    assert chosen_in(later) == {"kind": "encoder", "formed_layer": "1", "formed_head": "2", "training_step": "3"}
    assert sent_to_the_stage(later) == payload
    service = load_positions("sinusoidal")
    computed = list(service.analyses._entries)
    assert computed.count(("at steps of training", trace.source_ids, trace.next_ids)) == 1
    odd = open_app("loss", **PART, training_step="x", formed_layer="9", formed_head="-1", seed_shown="7")
    assert chosen_in(odd) == chosen_in(app) and not odd.warning


def test_the_experiment_goes_to_the_step_of_the_first_formed_head(open_app, folder, trace):
    app = open_app("loss", **PART, training_step="0")
    app.button(key="try-loss-heads-that-form").click().run()
    assert chosen_in(app)["training_step"] == "40" and not app.exception
    steps = steps_of(folder, trace)
    (found,) = [text.value for text in app.markdown if "At step 40 the loss of this sentence" in text.value]
    first, last = (three_digits(float(step.losses.mean())) for step in (steps[0], steps[-1]))
    assert f"It was {first} at step 0 and is {last} at the end" in found


def test_the_tables_have_the_roles_of_all_seeds_and_the_heads_of_one(open_app, folder):
    app = open_app("loss", **PART)
    _, *rows = table(app, "Roles of heads over all seeds")
    between = "3 and 40"
    assert rows[0] == ["alignment", "1, 1", f"{between}; {between}", "2 of 2", "0 of 2", "4 of 6", "2 of 2", "4 of 6"]
    assert rows[3][:4] == ["raises the aligned token", "1, 0", f"{between}; \u2013", "1 of 2"]
    assert rows[3][4:] == ["0 of 1", "2 of 3", "1 of 1", "2 of 3"]
    _, *heads = table(app, "Heads that form")
    assert heads[0] == [
        "alignment",
        "Cross-attention, layer 2, head 1",
        "3 and 40",
        "0",
        "+0.100 [\u22120.400, +0.350]",
        "no",
        "+0.100 [\u22120.400, +0.350]",
        "yes",
    ]
    assert len(heads) == 4
    other = open_app("loss", **PART, seed_shown="1")
    assert len(table(other, "Heads that form")) == 1 + 3
    text = " ".join(element.value for element in other.markdown)
    assert "Number of trainings: 2; their seeds: 0, 1" in text and "Measured on 12 held-out sentences" in text
    assert "The weights of seed 0 are part of this app; those of seed 1 are not" in " ".join(text.split())
    assert "falls by 1.50 to 4.25" in text and "no later one that could confirm" in " ".join(text.split())


def test_the_table_of_sent_tokens_has_every_head_beside_its_layer(open_app, folder, monkeypatch):
    app = open_app("loss", **PART)
    _, *rows = table(app, "Tokens that cross-attention raises")
    assert len(rows) == 4 and rows[2] == [
        *("Cross-attention, layer 2, head 1", "90.0\u00a0%", "69.0\u00a0%", "12", "55.0\u00a0%", "3,000")
    ]
    text = " ".join(" ".join(element.value for element in app.markdown).split())
    assert "raises the aligned French token in 90.0 % of its links; all heads of the layer: 69.0 %." in text
    assert "copies" not in text and "none can be named" not in text
    monkeypatch.setattr(formed_heads, "upper_limits", lambda shares: np.full(shares.shape, 1.02))
    other = open_app("loss", **PART)
    text = " ".join(" ".join(element.value for element in other.markdown).split())
    assert "reaches over 100.0 % for every" in text and "by this rule none can be named" in text


def test_the_curves_have_the_counts_and_the_record_of_training(open_app, folder):
    app = open_app("loss", **PART)
    (element,) = app.get("plotly_chart")
    names = [trace["name"] for trace in json.loads(element.proto.spec)["data"]]
    assert names[2:] == [
        "held-out, \u2212ln\u00a0p of the right token",
        *(
            "alignment",
            "previous token",
            "end of sentence",
            "raises the aligned token",
            "learning rate",
            "gradient norm",
        ),
    ]
    app.session_state["formation_table"] = True
    app.run()
    frame = next(frame.value for frame in app.dataframe if "gradient norm" in frame.value)
    at_end = frame[(frame["step"] == STEPS[-1]) & frame["alignment"].notna()]
    assert at_end["alignment"].tolist() == [1] and len(frame) == len(STEPS) + 3


def test_what_cannot_be_shown_gets_one_sentence(open_app, folder):
    app = open_app("loss", **PART, text="a " * 50)
    (note,) = app.info
    assert note.value.startswith("This sentence or its target has 50 [tokens]") and "for at most 40" in note.value
    assert table(app, "Roles of heads over all seeds") and not app.warning
    app = open_app("loss", **PART, target="\u200b")
    assert len(app.warning) == 1 and table(app, "Heads that form")


def test_without_the_networks_one_sentence_says_what_to_do(open_app, empty):
    app = open_app("loss", **PART)
    assert ["start the app in a checkout" in " ".join(note.value.split()) for note in app.info] == [True]
    assert not app.warning and not app.error


def test_a_missing_study_and_a_damaged_snapshot_get_one_sentence(open_app, empty):
    sinusoidal = write_networks(empty) / "sinusoidal"
    file = snapshot_file(sinusoidal, STEPS[1])
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    app = open_app("loss", **PART)
    assert ["does not match its recorded SHA-256" in note.value.replace("\\", "") for note in app.warning] == [True]
    assert table(app, "Heads that form")
    (sinusoidal / "formation.json").unlink()
    load_positions._results.clear()
    app = open_app("loss", **PART)
    assert ["run `make formation`" in note.value for note in app.warning] == [True] and not app.error
