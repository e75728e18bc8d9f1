"""The page *Heads* renders the model's numbers in the chosen order, with any address."""

import re

import numpy as np
import pytest

from model.attribution.head_ablation import ablate_translation_heads, loss_without
from model.attribution.head_labels import text_scores
from model.attribution.head_statistics import load_statistics
from model.text.word_alignment import AlignmentTable, find_links
from model.tracing.kinds import CROSS
from model.translator import SHIPPED
from pages.shared.models import load_service
from tests.pages.charts import check_caption, text_without_links
from tests.pages.conftest import html_of
from tests.pages.listed import listed_heads, opened_head
from tests.pages.pseudo import uncatalogued_texts
from tests.pages.reading import number, table
from views import kind_labels, map_weights
from views.text.numbers import three_digits


@pytest.fixture(scope="module")
def effects(translator, trace):
    return ablate_translation_heads(translator.network, trace)


def head_name(kind: str, layer: int, head: int) -> str:
    return f"{kind} {layer + 1}.{head + 1}"


def test_all_heads_are_ranked_by_their_effect(open_app, translator, trace, effects):
    app = open_app("heads")
    rows = listed_heads(app)["rows"]
    heads = [
        (kind, *place, float(change))
        for kind, table in effects.changes.items()
        for place, change in np.ndenumerate(table)
    ]
    ranked = sorted(heads, key=lambda head: -abs(head[3]))
    assert [row["name"] for row in rows[:5]] == [head_name(*place) for *place, _ in ranked[:5]]
    changes = {head_name(*place): change for *place, change in ranked}
    assert len(rows) == len(changes) == 96
    for row in rows:
        assert row["effect"] == pytest.approx(changes[row["name"]], abs=1e-5)
    summary = text_without_links(app.markdown[1])
    assert f"With all heads the loss is {three_digits(effects.reference)} nats per token" in summary
    assert f"strongest is **{head_name(*ranked[0][:3])}**" in summary

    kind, layer, head, change = ranked[0]  # the first row is open
    _, drawn = opened_head(app)
    hidden = map_weights.causal_mask(*drawn.shape, kind_labels.KINDS[kind].causal)
    np.testing.assert_array_equal(np.isneginf(drawn), hidden)
    np.testing.assert_allclose(drawn[~hidden], trace.attention(kind)[layer, head][~hidden], atol=1e-5)
    tokens = table(app, f"\u2212ln\u00a0p by token without {head_name(kind, layer, head)}")[1:]
    assert len(tokens) == len(trace.next_ids)
    assert np.mean([number(row[3]) for row in tokens]) == pytest.approx(change, abs=0.01)
    alone = loss_without(translator.network, trace, (kind, layer, head))
    line = check_caption(app, "Checked apart")
    assert float(re.search(r"has a loss of ([\d.]+)\. The", line)[1]) == pytest.approx(alone, rel=0.01)
    assert float(re.search(r"difference to the list is (\S+)\.$", line)[1]) < 1e-5


def test_labels_follow_the_rule_for_this_and_for_held_out_sentences(open_app, translator, trace):
    alignment = AlignmentTable.load(SHIPPED, translator.card["tokenizer_sha256"])
    links = find_links(alignment, trace.source_ids, trace.next_ids)
    scores = text_scores(trace.attention("cross"), CROSS, trace.target_ids, trace.source_ids, links)
    many = load_statistics(SHIPPED, translator.weights_sha256)
    app = open_app("heads", of="cross", sort="label", shown="cross-2-3")
    heads = listed_heads(app)
    assert len(heads["rows"]) == 32
    assert heads["columns"][3] == f"over {many.inputs} held-out sentences"
    for row in heads["rows"]:
        layer, head = (int(number) - 1 for number in row["name"].removeprefix("cross ").split("."))
        for words, label in (
            (row["here"], scores.label(layer, head)),
            (row["often"], many.kinds["cross"].label(layer, head)),
        ):
            assert words.startswith(label.name)
            assert label.pattern in words
            assert float(re.search(r"([\d.e-]+)\)?$", words)[1]) == pytest.approx(label.score, rel=0.01)
    labels = [row["here"].split(" (")[0].rsplit(" ", 1)[0] for row in heads["rows"]]
    assert len(list(dict.fromkeys(labels))) == sum(
        one != other for one, other in zip(labels, ["", *labels], strict=False)
    )
    rows = {row[0]: row for row in table(app, "Scores of cross 2.3")[1:]}
    assert number(rows["aligned"][1]) == pytest.approx(scores.scores["aligned"][1, 2], rel=0.01, abs=1e-4)
    assert number(rows["end"][2]) == pytest.approx(scores.chance["end"], rel=0.01)
    spread = many.kinds["cross"].scores["aligned"]
    ratio = scores.scores["end"][1, 2] / scores.chance["end"]
    assert number(rows["end"][3]) == pytest.approx(ratio, rel=0.01)
    assert rows["aligned"][4].startswith(three_digits(spread.mean[1, 2]))
    effect = many.kinds["cross"].effect
    assert f"{three_digits(effect.mean[1, 2])} ± {three_digits(effect.sd[1, 2])} nats" in check_caption(
        app, "Mean change"
    )
    assert opened_head(app)[0] == "Cross-attention, layer 2, head 3"


def test_a_chosen_row_opens_and_links_to_the_attention_page(open_app):
    app = open_app("heads", sort="place")
    assert [row["name"] for row in listed_heads(app)["rows"]][:2] == ["encoder 1.1", "encoder 1.2"]
    app = open_app("heads", sort="place", shown="decoder-3-7")
    assert table(app, "\u2212ln\u00a0p by token without decoder 3.7")
    (link,) = (link for link in app.get("page_link") if link.proto.query_string)
    assert re.search("kind=decoder", link.proto.query_string)
    assert "layer=3" in link.proto.query_string and "head=7" in link.proto.query_string
    app.session_state["heads_table"] = True
    app.run()
    content = app.dataframe[0].value
    assert len(content) == 96 and content.shape[1] == 20


def test_invalid_settings_in_the_address_are_ignored(open_app):
    app = open_app("heads", of="x", sort="-1", shown="cross-99-99")
    assert len(listed_heads(app)["rows"]) == 96 and not app.warning
    effects = [abs(row["effect"]) for row in listed_heads(app)["rows"]]
    assert effects == sorted(effects, reverse=True)


def test_hostile_and_empty_sentences(open_app):
    app = open_app("heads", text="I like <b>$x$</b>.")
    assert "<b>$x$" not in html_of(app)
    app.text_input(key="text").set_value("").run()
    assert not app.exception and len(app.warning) == 1


def test_statistics_of_other_weights_are_replaced_by_a_reason(open_app, monkeypatch):
    monkeypatch.setattr(load_service().model, "weights_sha256", "0" * 64)
    app = open_app("heads")
    # results are cached by sentence, so this needs another one
    app.text_input(key="text").set_value("He sings.").run()
    assert listed_heads(app)["columns"][3] == ""
    assert all(row["often"] == "" for row in listed_heads(app)["rows"])
    assert any("belongs to other weights" in caption.value.replace("\\", "") for caption in app.caption)


def test_all_text_is_translated(in_pseudo):
    app = in_pseudo("heads", shown="cross-2-3", sort="label", of="cross")
    app.session_state["heads_table"] = True
    assert uncatalogued_texts(app.run()) == []
    assert all(str(title).startswith("\u27e6") for title in app.dataframe[0].value.columns)
    for row in listed_heads(app)["rows"]:
        assert row["name"].startswith("\u27e6") and row["here"].startswith("\u27e6")
