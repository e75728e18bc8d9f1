"""Download a model of the hub and trace it; every error on the way has a one-sentence message."""

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
    return tiny.save("gpt2", tmp_path_factory.mktemp("gpt2"))


@pytest.fixture
def hub(checkpoint, tmp_path, monkeypatch):
    with serving(Hub({ID: checkpoint}), tmp_path / "cache", monkeypatch) as hub:
        yield hub


def requested_files(hub: Hub) -> list[str]:
    return [line for line in hub.requests if line.startswith("GET") and "/resolve/" in line]


def test_an_id_is_downloaded_once_and_opened_with_its_commit(hub, opened):
    progress: list[tuple[int, int]] = []
    model = open_model(ID, device="cpu", dtype="float32", progress=lambda *sizes: progress.append(sizes))
    np.testing.assert_array_equal(
        model.trace(TEXT).attention("decoder"), opened("gpt2").trace(TEXT).attention("decoder")
    )
    assert (model.name, model.pinned) == (ID, f"{ID}@{COMMIT}")
    assert progress == sorted(progress)
    assert progress[-1][0] == progress[-1][1] > 10_000
    hub.requests.clear()
    assert open_model(ID, device="cpu", dtype="float32").weights_sha256 == model.weights_sha256
    assert open_model(model.pinned, device="cpu", dtype="float32").name == model.pinned
    assert hub.requests == []


def test_a_revision_is_downloaded_by_its_name(hub):
    assert open_model(f"{ID}@{COMMIT}", device="cpu").pinned == f"{ID}@{COMMIT}"
    assert all(f"/resolve/{COMMIT}/" in line for line in requested_files(hub))
    with pytest.raises(OpenError, match="no revision no-such on the hub"):
        open_model(f"{ID}@no-such")


def test_nothing_is_downloaded_without_permission(hub):
    with pytest.raises(OpenError, match="download it first"):
        open_model(ID, download=False)
    assert hub.requests == []


def test_an_unknown_id(hub):
    with pytest.raises(OpenError, match="owner/other is not found on the hub"):
        open_model("owner/other")


def test_a_gated_model_needs_the_token_of_the_environment(hub, monkeypatch, caplog, capsys):
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


def test_a_download_resumes_after_a_lost_connection(hub, opened):
    hub.cut = [5000, 4000]
    progress: list[tuple[int, int]] = []
    model = open_model(ID, device="cpu", dtype="float32", progress=lambda *sizes: progress.append(sizes))
    np.testing.assert_array_equal(
        model.trace(TEXT).attention("decoder"), opened("gpt2").trace(TEXT).attention("decoder")
    )
    assert sum("model.safetensors" in line for line in requested_files(hub)) == 3
    assert progress[-1][0] == progress[-1][1]


def test_a_failed_download_has_a_one_sentence_error_and_the_next_try_resumes(hub):
    hub.cut = [5000, *[0] * 6]
    with pytest.raises(OpenError, match=r"was cut off \(\w+: .+\); try again, and it goes on"):
        open_model(ID)
    with pytest.raises(OpenError, match="download it first"):  # an incomplete model does not count as cached
        open_model(ID, download=False)
    hub.cut = []
    assert open_model(ID, device="cpu").pinned.endswith(COMMIT)


@pytest.mark.parametrize(
    ("place", "message"), [("disk", "the disk with the hub's cache has 0.00 GB left"), ("memory", "The weights need")]
)
def test_a_model_that_does_not_fit_is_not_downloaded(hub, monkeypatch, place, message):
    if place == "disk":
        usage = shutil.disk_usage("/")._replace(free=1000)
        monkeypatch.setattr(downloading.shutil, "disk_usage", lambda _: usage)
    else:
        hub.sizes["model.safetensors"] = 10**15
    with pytest.raises(OpenError, match=message):
        open_model(ID)
    assert requested_files(hub) == []


def test_a_repository_without_safetensors_is_not_downloaded(hub, checkpoint, tmp_path):
    pickled = tmp_path / "pickled"
    shutil.copytree(checkpoint, pickled)
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    hub.folders["owner/pickled"] = pickled
    with pytest.raises(OpenError, match="no safetensors file on the hub"):
        open_model("owner/pickled")
    assert requested_files(hub) == []


def test_a_folder_of_the_cache_is_accepted(hub):
    cached = source.folder_of(ID, download=True)
    assert (cached / "model.safetensors").is_symlink()
    assert folder.inspect_checkpoint(cached).config["model_type"] == "gpt2"
    assert source.commit_of(cached) == COMMIT
    assert source.commit_of(cached.parent) is None
