"""A view in Korean: no English sentence, the English of a term where it comes first, the settings of its link."""

import pytest

from tests.english_in_brackets import links_without_english
from tests.every_view import UNFOLDED, VIEWS, View
from tests.pages.conftest import visit
from tests.pages.in_korean import english_texts, is_english, texts_in_order
from tests.tiers import nightly

# the other views are opened by `make nightly`
OFTEN = ("attention/lines", "attention/one-weight", "vision/heads", "inside/add-norm/1 feed-forward, inside")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("가중치의 합은 1입니다.", False),
        ("query, key, value", False),
        ("스케일드 닷-프로덕트 어텐션(scaled dot product of a query)", False),
        ("Clark 등 2019, *What Does BERT Look At?*, `a of b`", False),
        ("Weights of the head", True),
        ("이 헤드는 attends to the end", True),
        ("\u27e6가중치\u27e7", True),
        ("$$x \\text{ may not attend to } y$$", True),
        ("$$\\text{concat}(O_1) \\text{(query } i \\text{가 볼 때)}$$", False),
    ],
)
def test_english_is_detected(text, expected):
    assert is_english(text) == expected


@pytest.mark.parametrize(
    "view",
    [pytest.param(view, id=view.id) if view.id in OFTEN else nightly(view, id=view.id) for view in VIEWS + UNFOLDED],
)
def test_a_view_in_korean_has_english_in_brackets_alone_and_the_settings_of_its_link(view: View):
    app = visit(view.page, lang="ko", **view.settings)
    assert english_texts(app) == []
    assert links_without_english(texts_in_order(app)) == []
    query = {name: values if isinstance(values, str) else values[-1] for name, values in app.query_params.items()}
    assert {name: query.get(name) for name in view.settings} == view.settings
