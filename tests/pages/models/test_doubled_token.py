"""A chat text that was rendered elsewhere and pasted: the page says that its first token is there twice."""

from __future__ import annotations

import pytest

from tests.model.hub import tiny
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import page_text


@pytest.fixture
def with_first_token(tmp_path, monkeypatch):
    tokenizer = tiny.tokenizer()
    folder = tiny.save("gpt2", tmp_path / "chatting")
    tokenizer.__class__.from_pretrained(folder, bos_token="[CLS]").save_pretrained(folder)
    monkeypatch.setenv("ATLAS_MODELS", str(folder))
    clear_all()
    yield
    clear_all()


@pytest.mark.parametrize(
    ("language", "note"),
    [("en", "The text begins with \\[CLS\\] twice"), ("ko", "글이 \\[CLS\\] 토큰 두 개로 시작합니다")],
)
def test_the_page_says_that_the_first_token_is_there_twice(open_app, with_first_token, language, note):
    text = "[CLS]user: The quick fox"
    app = open_app("models", model="chatting", text=text, lang=language)
    assert not app.exception and note in page_text(app)
    app = open_app("models", model="chatting", text=text.removeprefix("[CLS]"), lang=language)
    assert not app.exception and note not in page_text(app)
