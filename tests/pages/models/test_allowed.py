"""With the allowlist "any" every model can be opened, and the hub is contacted only after confirmation."""

from __future__ import annotations

import pytest

from model.hub import checkpoint_summary, downloading
from pages.models.model_picker import Download
from tests.model.hub.hub_server import Hub, serving
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import open_maps, page_text


@pytest.fixture
def any_may_be_opened(monkeypatch, tmp_path):
    """Allow any model, with an empty cache and a hub that cannot be reached."""
    requests = []
    monkeypatch.setenv("ATLAS_MODELS", "any")
    monkeypatch.setattr(checkpoint_summary, "cached_ids", lambda: [])
    monkeypatch.setattr(downloading, "find_disconnection", lambda: requests.append("hub") or "TimeoutError: 3 s")
    clear_all()
    yield requests
    clear_all()


def test_an_address_alone_downloads_nothing(open_app, any_may_be_opened):
    app = open_app("models", model="owner/no-such-model")
    assert any_may_be_opened == []
    (button,) = [each for each in app.button if each.key == "models_download_button"]
    button.click().run()
    assert any_may_be_opened == ["hub"]
    assert "the hub cannot be reached" in page_text(app) and "TimeoutError" in page_text(app)


@pytest.fixture
def hub(checkpoints, monkeypatch, tmp_path):
    """Allow any model, with a hub on this machine that has one."""
    monkeypatch.setenv("ATLAS_MODELS", "any")
    clear_all()
    with serving(Hub({"owner/tiny": checkpoints["gpt2"]}), tmp_path / "cache", monkeypatch) as hub:
        yield hub
    clear_all()


def press_download(app):
    (button,) = [each for each in app.button if each.key == "models_download_button"]
    return button.click().run()


@pytest.mark.nightly
def test_a_model_is_downloaded_after_confirmation(open_app, hub, monkeypatch):
    updates = []
    monkeypatch.setattr(Download, "update", lambda self, *sizes: updates.append(sizes))
    app = open_app("models", model="owner/tiny", text="The quick fox.")
    assert hub.requests == []
    assert "owner/tiny" in page_text(app)
    press_download(app)
    assert not app.exception
    assert "Proven when it was opened" in page_text(app)
    assert open_maps(app)[1].shape[:2] == (3, 5)
    assert updates[-1][0] == updates[-1][1] > 10_000
    hub.requests.clear()
    again = open_app("models", model="owner/tiny", text="The quick fox.")  # now it is cached, and offered
    assert "owner/tiny" in again.selectbox[0].options
    assert "Proven when it was opened" in page_text(again)
    assert hub.requests == []


def test_a_failed_download_gets_one_sentence_and_can_be_retried(open_app, hub):
    hub.cut = [5000, *[0] * 6]
    app = open_app("models", model="owner/tiny", text="The quick fox.")
    press_download(app)
    assert "was cut off" in page_text(app)
    app.run()
    hub.gated.add("owner/tiny")
    press_download(app)
    assert "is gated" in page_text(app)
    hub.gated.clear()
    app.run()
    press_download(app)
    assert "Proven when it was opened" in page_text(app)
    unknown = open_app("models", model="owner/other")
    press_download(unknown)
    assert "is not found on the hub" in page_text(unknown)
    assert not unknown.exception


@pytest.mark.parametrize("name", ["/etc", "../x", "~/model", "a/b/c", "owner/../x"])
def test_an_address_contains_no_path(open_app, any_may_be_opened, name):
    app = open_app("models", model=name)
    assert app.selectbox[0].value == "none"
    assert not app.warning


def test_a_listed_model_that_is_not_downloaded_is_not_fetched(open_app, any_may_be_opened, monkeypatch):
    monkeypatch.setenv("ATLAS_MODELS", "owner/no-such-model@0123abc")
    clear_all()
    app = open_app("models", model="owner/no-such-model")
    assert any("download it first" in warning.value for warning in app.warning)
    assert not any(each.key == "models_download_button" for each in app.button)
    assert any_may_be_opened == []


def test_a_folder_of_the_user_is_opened_and_not_in_the_address(open_app, any_may_be_opened, checkpoints):
    app = open_app("models")
    app.text_input(key="models_box").set_value(str(checkpoints["gpt2"])).run()
    assert "Proven when it was opened" in page_text(app)
    assert app.query_params["model"] == "own"
    assert str(checkpoints["gpt2"]) not in str(app.query_params)


def test_the_allowlist_is_read_once(open_app, listed, monkeypatch):
    open_app("models")
    monkeypatch.setenv("ATLAS_MODELS", "any")  # after the start of the process
    app = open_app("models", model="owner/name")
    assert app.selectbox[0].value == "none"
    assert not any(box.key == "models_box" for box in app.text_input)


def test_without_a_model_the_page_explains_what_can_be_opened(open_app, any_may_be_opened):
    app = open_app("models")
    assert "Download" in page_text(app)
    assert all(name in page_text(app) for name in ("GPT-2", "BERT", "Marian", "DINOv2", "The word hidden by a mask"))
