"""A folder of the user's own: a random token stands for it, and its path is in no address and no file."""

from __future__ import annotations

import io
import json
import zipfile
from importlib.metadata import version

import pytest

from pages.models import own_folder
from pages.models.own_folder import KEPT_SECONDS, MOST_FOLDERS, FolderTokens
from pages.shared.attention_viewer import explore, export
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import page_text
from views.components.tab_memory import valid_token


def test_a_token_stands_for_a_folder_for_half_an_hour_after_its_last_use():
    now = [0.0]
    tokens = FolderTokens(lambda: now[0])
    first, second = tokens.issue("/a"), tokens.issue("/a")
    assert first != second and valid_token(first)
    now[0] = KEPT_SECONDS - 1
    assert tokens.folder(first) == "/a"
    now[0] = KEPT_SECONDS + 1
    assert tokens.folder(second) is None
    assert tokens.folder(first) == "/a"
    now[0] += KEPT_SECONDS + 1
    assert tokens.folder(first) is None
    assert tokens.folder("") is None


def test_the_least_recently_used_tokens_are_dropped_beyond_a_number():
    tokens = FolderTokens(lambda: 0.0)
    issued = [tokens.issue(str(number)) for number in range(MOST_FOLDERS)]
    assert tokens.folder(issued[0]) == "0"
    tokens.issue("one more")
    assert tokens.folder(issued[0]) == "0" and tokens.folder(issued[1]) is None


@pytest.mark.parametrize("sent", [None, 7, "", "short", "a" * 101, "../" * 10, ["a" * 43], "\u00e9" * 43])
def test_other_values_are_no_tokens(sent):
    assert not valid_token(sent)


@pytest.fixture
def any_model(checkpoints, monkeypatch):
    monkeypatch.setenv("ATLAS_MODELS", "any")
    clear_all()
    yield checkpoints
    clear_all()


def test_a_link_without_the_tab_s_token_opens_nothing(open_app, any_model):
    folder = any_model["bert"]
    own_folder.folder_tokens().issue(str(folder))  # of another tab
    app = open_app("models", model="own", text="The fox.")
    assert not app.exception and not app.warning  # the browser has not answered yet
    app.session_state["models_folder_answered"] = True
    app.run()
    assert [warning.value for warning in app.warning] and "a link cannot open a folder" in app.warning[0].value
    assert str(folder) not in page_text(app) and "Proven" not in page_text(app)


def test_a_typed_folder_is_kept_and_its_files_say_what_the_link_cannot(open_app, any_model, monkeypatch):
    views = []
    monkeypatch.setattr(explore, "render_export", lambda saved, **options: views.append(saved))
    app = open_app("models", text="The fox.")
    box = next(box for box in app.text_input if box.label.startswith("A folder on this machine"))
    box.set_value(str(any_model["bert"])).run()
    assert not app.exception and "Proven when it was opened" in page_text(app)
    token = app.session_state["models_folder_token"]
    assert own_folder.folder_tokens().folder(token) == str(any_model["bert"])
    archive = zipfile.ZipFile(io.BytesIO(export.build_archive(views[-1])))
    description = json.loads(archive.read("settings.json"))
    assert description["versions"]["transformers"] == version("transformers")
    assert "model=own" in description["link"] and str(any_model["bert"]) not in description["link"]
    assert "the link cannot open\nit" in archive.read("README.txt").decode()
    assert "a link cannot open your own folder" in archive.read("view.html").decode()
    assert token not in str(app.query_params)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("https://huggingface.co/spaces/owner/name", "one of the hub's spaces"),
        ("https://github.com/owner/name", "is no address of a model; give"),
        ("model.safetensors", "model.safetensors is the name of a file"),
    ],
)
def test_what_is_typed_and_names_no_model_is_said_to_be_what_it_is(open_app, any_model, typed, said):
    app = open_app("models", text="The fox.")
    box = next(box for box in app.text_input if box.label.startswith("A folder on this machine"))
    box.set_value(typed).run()
    assert not app.exception and not [button for button in app.button if button.label == "Download"]
    assert [said in warning.value.replace("\\", "") for warning in app.warning] == [True]
