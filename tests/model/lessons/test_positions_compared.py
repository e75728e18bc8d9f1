"""The figures of networks that differ in their positions, as the study wrote them."""

import pytest

from model import CheckpointError
from model.lessons.network_comparison import BootstrapInterval
from model.lessons.positions_compared import (
    FILE,
    SeedMean,
    find_extremes,
    load_position_comparison,
    read_comparison,
    shipped_kinds,
)
from model.networks.config import POSITION_KINDS
from model.runtime.checkpoint import read_json
from tests.model.random_positions import band, write_comparison, write_networks
from training.positions_study import comparison_markdown


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


def with_seeds(content, **values):
    """Add further seeds of kinds, each with its losses by length and its increase with shuffled positions."""
    for name, (kind, losses, increase) in values.items():
        content["networks"][name] = {"kind": kind}
        for group, loss in zip(content["groups"], losses, strict=True):
            group["networks"][name] = {"loss": None if loss is None else band(loss), "bleu": None}
        content["shuffled"][name] = {where: band(increase) for where in content["shuffled"]["none-0"]}
    return content


def test_each_kind_has_its_number_of_seeds_and_how_far_they_are_apart(folder):
    content = read_json(folder / FILE) | {"networks": {}}  # without the further seeds
    once = read_comparison(content)
    assert once.seeds == dict.fromkeys(POSITION_KINDS, 1) and once.trained_once == POSITION_KINDS
    assert once.loss_apart is None and once.bleu_apart is None
    own = {
        kind: [group["networks"][f"{kind}-0"]["loss"] for group in content["groups"]] for kind in ("rotary", "alibi")
    }
    rotary, alibi = ([loss["value"] for loss in losses] for losses in own.values())
    more = {
        "second": ("rotary", [rotary[0] + 0.25, rotary[1]], 9.0),
        "third": ("rotary", [rotary[0] - 0.5, rotary[1] + 0.125], 8.0),
        "fourth": ("alibi", [alibi[0], None], 5.0),
    }
    study = read_comparison(with_seeds(content, **more))
    assert study.seeds == dict.fromkeys(POSITION_KINDS, 1) | {"rotary": 3, "alibi": 2}
    assert study.trained_once == ("sinusoidal", "learned", "none")
    assert study.lengths[0].loss_apart == pytest.approx({"rotary": 0.75, "alibi": 0})
    assert study.lengths[1].loss_apart == pytest.approx({"rotary": 0.125})
    assert study.loss_apart == pytest.approx(0.75) and study.bleu_apart is None
    assert study.shuffled_apart["rotary"]["both"] == pytest.approx(9 - 5)  # of its first seed it is 5
    text = comparison_markdown(content | {"networks": networks_of(content)})
    assert "Trained once: sinusoidal, learned, none." in text and "differ by up to 0.750 nats at one of" in text
    assert "- 1 to 16 tokens: lowest sinusoidal 2.160; highest alibi 5.160, none 6.160." not in text
    assert "- 1 to 16 tokens: lowest sinusoidal 2.160; highest none 6.160." in text


def networks_of(content):
    """Every network with the facts that the card states."""
    named = {f"{kind}-0": {"kind": kind} for kind in POSITION_KINDS} | content["networks"]
    return {name: of | {"seed": 0, "positions": 512, "weights_sha256": name} for name, of in named.items()}


@pytest.mark.parametrize(
    ("values", "apart", "lowest", "highest"),
    [
        ({"a": 1.0, "b": 1.5, "c": 2.0}, 0.1, ("a",), ("c",)),
        ({"a": 1.0, "b": 1.03, "c": 2.0}, 0.04, ("a", "b"), ("c",)),
        ({"a": 1.0, "b": 1.9, "c": 2.0}, 0.1 + 1e-9, ("a",), ("b", "c")),
        ({"a": 1.0, "b": 1.03, "c": 1.06}, 0.04, (), ()),  # each is within what seeds differ by from the next
        ({"a": 1.0, "b": 1.03}, 0.04, (), ()),
        ({"a": 1.0, "b": 9.0}, None, (), ()),  # trained once each: nothing is known of seeds
        ({"a": 1.0}, 0.0, (), ()),
    ],
)
def test_an_order_within_what_seeds_differ_by_is_no_finding(values, apart, lowest, highest):
    extremes = find_extremes(values, apart)
    assert (extremes.lowest, extremes.highest) == (lowest, highest)


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
