"""A model of the hub from its id to its maps, and everything that can go wrong on the way, said in one sentence."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from model import OpenError
from model.hub import downloading, folder, source
from model.open_model import open_model
from tests.model.hub import tiny
from tests.model.hub.conftest import TEXT
from tests.model.hub.hub_server import COMMIT, TOKEN, Hub, serving

ID = "owner/tiny"


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    return tiny.saved("gpt2", tmp_path_factory.mktemp("gpt2"))


@pytest.fixture
def hub(checkpoint, tmp_path, monkeypatch):
    with serving(Hub({ID: checkpoint}), tmp_path / "cache", monkeypatch) as hub:
        yield hub


def files_asked(hub: Hub) -> list[str]:
    return [line for line in hub.asked if line.startswith("GET") and "/resolve/" in line]


def test_an_id_is_fetched_once_and_opened_with_its_commit(hub, opened):
    told: list[tuple[int, int]] = []
    model = open_model(ID, device="cpu", dtype="float32", progress=lambda *sizes: told.append(sizes))
    np.testing.assert_array_equal(
        model.trace(TEXT).attention("decoder"), opened("gpt2").trace(TEXT).attention("decoder")
    )
    assert (model.name, model.pinned) == (ID, f"{ID}@{COMMIT}")
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1] > 10_000
    hub.asked.clear()
    assert open_model(ID, device="cpu", dtype="float32").weights_sha256 == model.weights_sha256
    assert open_model(model.pinned, device="cpu", dtype="float32").name == model.pinned
    assert hub.asked == []


def test_a_revision_is_fetched_as_it_is_named(hub):
    assert open_model(f"{ID}@{COMMIT}", device="cpu").pinned == f"{ID}@{COMMIT}"
    assert all(f"/resolve/{COMMIT}/" in line for line in files_asked(hub))
    with pytest.raises(OpenError, match="no revision no-such on the hub"):
        open_model(f"{ID}@no-such")


def test_without_asking_nothing_is_fetched(hub):
    with pytest.raises(OpenError, match="download it first"):
        open_model(ID, download=False)
    assert hub.asked == []


def test_an_unknown_id(hub):
    with pytest.raises(OpenError, match="The hub has no owner/other for you"):
        open_model("owner/other")


def test_a_gated_model_wants_the_token_of_the_environment(hub, monkeypatch, caplog, capsys):
    hub.gated.add(ID)
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with pytest.raises(OpenError, match="is gated: accept its terms.*HF_TOKEN"):
        open_model(ID)
    monkeypatch.setenv("HF_TOKEN", "hf_another")
    with pytest.raises(OpenError, match="is gated"):
        open_model(ID)
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert open_model(ID, device="cpu").pinned.endswith(COMMIT)
    assert TOKEN not in f"{caplog.text}{capsys.readouterr()}"


def test_a_lost_connection_goes_on_from_where_it_was(hub, opened):
    hub.cut = [5000, 4000]
    told: list[tuple[int, int]] = []
    model = open_model(ID, device="cpu", dtype="float32", progress=lambda *sizes: told.append(sizes))
    np.testing.assert_array_equal(
        model.trace(TEXT).attention("decoder"), opened("gpt2").trace(TEXT).attention("decoder")
    )
    assert sum("model.safetensors" in line for line in files_asked(hub)) == 3
    assert told[-1][0] == told[-1][1]


def test_a_connection_that_stays_lost_is_one_sentence_and_the_next_try_goes_on(hub):
    hub.cut = [5000, *[0] * 6]
    with pytest.raises(OpenError, match="was cut off; try again, and it goes on from where it was"):
        open_model(ID)
    with pytest.raises(OpenError, match="download it first"):  # half a model is none
        open_model(ID, download=False)
    hub.cut = []
    assert open_model(ID, device="cpu").pinned.endswith(COMMIT)


@pytest.mark.parametrize(
    ("place", "said"), [("disk", "the disk with the hub's cache has 0.00 GB left"), ("memory", "The weights need")]
)
def test_what_does_not_fit_is_not_fetched(hub, monkeypatch, place, said):
    if place == "disk":
        usage = shutil.disk_usage("/")._replace(free=1000)
        monkeypatch.setattr(downloading.shutil, "disk_usage", lambda _: usage)
    else:
        hub.sizes["model.safetensors"] = 10**15
    with pytest.raises(OpenError, match=said):
        open_model(ID)
    assert files_asked(hub) == []


def test_a_repository_without_safetensors_is_not_fetched(hub, checkpoint, tmp_path):
    pickled = tmp_path / "pickled"
    shutil.copytree(checkpoint, pickled)
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    hub.folders["owner/pickled"] = pickled
    with pytest.raises(OpenError, match="no safetensors file on the hub"):
        open_model("owner/pickled")
    assert files_asked(hub) == []


def test_the_folder_of_the_cache_is_no_foreign_place(hub):
    found = source.folder_of(ID, download=True)
    assert (found / "model.safetensors").is_symlink()
    assert folder.inspect_checkpoint(found).config["model_type"] == "gpt2"
    assert source.commit_of(found) == COMMIT
    assert source.commit_of(found.parent) is None
