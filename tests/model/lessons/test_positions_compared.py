"""The figures of networks that differ in their positions, as the study wrote them."""

import pytest

from model import CheckpointError
from model.lessons.network_comparison import BootstrapInterval
from model.lessons.positions_compared import FILE, SeedMean, load_position_comparison, shipped_kinds
from model.networks.config import POSITION_KINDS
from model.runtime.checkpoint import read_json
from tests.model.random_positions import band, write_comparison, write_networks


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_networks(tmp_path_factory.mktemp("positions"))


@pytest.fixture(scope="module")
def hashes(folder):
    return {kind: read_json(folder / kind / "card.json")["weights_sha256"] for kind in POSITION_KINDS}


def test_figures_are_by_kind_and_missing_ones_are_none(folder, hashes):
    study = load_position_comparison(hashes, folder)
    assert study.kinds == POSITION_KINDS and (study.fewest_pairs, study.longest_tokens) == (100, 16)
    short, long = study.lengths
    assert (short.pairs, long.pairs, long.shortest) == (200, 30, 17)
    assert short.loss["sinusoidal"] == BootstrapInterval(**band(2.16))
    assert long.loss["learned"] is None and short.loss["learned"] is not None
    assert set(long.bleu.values()) == {None} and short.bleu["none"] is not None
    assert short.loss_over_seeds == {"sinusoidal": SeedMean(BootstrapInterval(2.5, 2.0, 2.75), 3)}
    assert long.loss_over_seeds == {} == short.bleu_over_seeds
    number = POSITION_KINDS.index("rotary")
    assert study.shuffled["rotary"]["both"].value == 1 + number + 2


def test_figures_of_other_weights_are_refused(folder, hashes, tmp_path):
    with pytest.raises(CheckpointError, match="belongs to other weights; run `make positions-study`"):
        load_position_comparison(hashes | {"alibi": "0"}, folder)
    with pytest.raises(CheckpointError, match=f"There is no {FILE}"):
        load_position_comparison(hashes, tmp_path)
    (tmp_path / FILE).write_text((folder / FILE).read_text().replace('"shown"', '"hidden"'))
    with pytest.raises(CheckpointError, match="is damaged; run `make positions-study`"):
        load_position_comparison(hashes, tmp_path)


def test_a_study_of_some_networks_is_read_and_one_of_a_missing_network_is_not(folder, hashes, tmp_path):
    some = {kind: hashes[kind] for kind in ("none", "sinusoidal")}
    write_comparison(tmp_path, some)
    study = load_position_comparison(hashes, tmp_path)
    assert study.kinds == ("sinusoidal", "none") and set(study.shuffled) == set(some)
    with pytest.raises(CheckpointError, match="belongs to other weights"):
        load_position_comparison({"none": hashes["none"]}, tmp_path)


def test_groups_at_the_end_of_training_and_of_what_is_claimed(folder, hashes):
    study = load_position_comparison(hashes, folder)
    assert study.longest_trained is study.longest_claimed is study.lengths[0]


def test_networks_with_a_card_ship(tmp_path, monkeypatch):
    monkeypatch.setattr("model.position_translator.SHIPPED", tmp_path)
    assert shipped_kinds() == ()
    write_networks(tmp_path, ("none", "learned"))
    (tmp_path / "alibi").mkdir()
    assert shipped_kinds() == ("learned", "none")
