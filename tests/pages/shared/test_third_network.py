"""A network of another architecture works in the attention viewer and the head ranking without changes to them."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from model.tracing.trace import AttentionRecord
from model.tracing.traced_model import TracedModel
from tests.pages.kinds import maps_by_kind
from tests.pages.listed import listed_heads
from tests.pages.shared.third_network import ASKING, READING, WORDS, DistanceModel


def viewer():
    from pages.shared.attention_viewer.explore import available_views, explore_tokens
    from pages.shared.provenance import Provenance
    from pages.shared.service import kinds_by_name
    from tests.pages.shared.third_network import DistanceModel
    from views.viewer.attention_maps import from_trace

    model = DistanceModel()
    trace = model.trace()
    provenance = Provenance(model.weights_sha256, {"note": "of five words"}, trace.records, ("distances",))
    explore_tokens(from_trace(trace, kinds_by_name(model.kinds)), provenance, available_views(model))


def ranking():
    from model import CheckpointError
    from model.attribution.head_labels import text_scores
    from pages.shared.head_ranking import head_list, head_rows
    from pages.shared.service import kinds_by_name
    from tests.pages.shared.third_network import WORDS, DistanceModel
    from views.viewer.attention_maps import from_trace

    model = DistanceModel()
    trace = model.trace()
    scores = {
        kind.name: text_scores(trace.records[kind.name].weights, kind, WORDS[kind.queries], WORDS[kind.keys])
        for kind in model.kinds
    }
    arranged = head_list.rank_heads(head_rows.list_heads(model.ablate(), scores, None), "third_sort", "third_shown")
    head_list.render(
        arranged,
        head_rows.LoadedStatistics(None, CheckpointError("There are no statistics.")),
        from_trace(trace, kinds_by_name(model.kinds)),
        ("head", "change of the score", "here"),
        name="third",
    )


def run(page, **query) -> AppTest:
    app = AppTest.from_function(page, default_timeout=60)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def test_it_is_a_traced_model_whose_check_is_not_fused_attention():
    model = DistanceModel()
    assert isinstance(model, TracedModel)
    for name, record in model.trace().records.items():
        assert record.verification.max_difference < 1e-6, name
        parts = (record.queries, record.keys, record.values, record.scores, record.weights, record.outputs)
        assert AttentionRecord(*parts, None).verify().max_difference > 0.01


@pytest.mark.parametrize("kind", [READING, ASKING], ids=lambda kind: kind.name)
def test_the_attention_viewer_shows_every_kind_with_the_records_check(kind):
    app = run(viewer, kind=kind.name)
    header, weights = maps_by_kind(app)[kind.name]
    record = DistanceModel().trace().records[kind.name]
    np.testing.assert_allclose(weights[:-1, :1], record.weights, atol=1e-5)
    assert header["queries"] == list(WORDS[kind.queries])
    assert header["keys"] == list(WORDS[kind.keys])
    assert not header["causal"]
    assert kind.title in header["detail"]["heading"]
    assert "0, nothing is masked" in " ".join(element.value for element in app.caption)


def test_views_that_need_scaled_dot_products_are_not_offered():
    app = run(viewer, look="one-weight")
    (choice,) = [element for element in app.get("button_group") if "Lines" in element.options]
    assert list(choice.options) == ["Maps", "Lines"]


def test_lines_are_rendered():
    app = run(viewer, look="lines", kind="asking")
    assert [part for part in app.get("bidi_component") if part.proto.component_name == "attention_lines"]


def test_the_head_ranking_lists_every_head_by_its_effect():
    header = listed_heads(run(ranking))
    changes = DistanceModel().ablate()
    expected = sorted(
        (
            (f"{kind} {layer + 1}.1", float(table[layer, 0]))
            for kind, table in changes.items()
            for layer in range(len(table))
        ),
        key=lambda row: -abs(row[1]),
    )
    assert [row["name"] for row in header["rows"]] == [name for name, _ in expected]
    assert [row["effect"] for row in header["rows"]] == pytest.approx(
        [effect for _, effect in expected],
        rel=2**-15,  # lengths of bars have 16 bits
    )
    assert {tuple(row["weights"]) for row in header["rows"]} == {(5, 5), (3, 5)}
    assert set(header["hues"]) == set(header["scales"]) == {"reading", "asking"}
