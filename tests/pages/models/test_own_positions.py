"""*Positions, Other models* draws the position table of the model that the visitor has opened."""

from __future__ import annotations

import numpy as np

from model.lessons.position_schemes import products
from model.open_model import open_model
from tests.pages.charts import charts, numbers
from tests.pages.models.opened_model_page import page_text

QUERY = {"facet": "other-models", "numbered": "learned", "table_of": "opened", "places": "12"}


def go_to_positions(app):
    app.switch_page("pages/positions/page.py")
    for name, value in QUERY.items():
        app.query_params[name] = value
    return app.run()


def test_the_table_of_an_opened_bert(open_app, listed):
    app = go_to_positions(open_app("models", model="bert", text="The fox."))
    assert not app.exception
    own = open_model(listed["bert"], device="cpu").network.bert.embeddings.position_embeddings.weight.detach().numpy()
    scores, table = [numbers(each["data"][0]["z"]) for each in charts(app) if each["data"][0]["type"] == "heatmap"]
    np.testing.assert_allclose(table, own, atol=1e-6)
    np.testing.assert_allclose(scores, products(own[:12]), atol=1e-6)
    assert "64 positions of width 32" in page_text(app)


def test_a_model_without_a_table_gets_one_sentence(open_app, listed):
    app = go_to_positions(open_app("models", model="gpt-j", text="The fox."))
    assert not app.exception
    assert "has no learned table" in app.info[0].value and "gpt\\-j" in app.info[0].value


def test_without_an_opened_model_the_page_says_where_to_open_one(open_app):
    app = open_app("positions", **QUERY)
    assert not app.exception
    assert "No model is open in this visit" in app.info[0].value
    assert any(
        link.proto.page.endswith("models") for link in app.get("page_link") if link.proto.label == "Open a model"
    )
