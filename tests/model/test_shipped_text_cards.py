"""The cards of the shipped networks that translate: where choices were made, and scores without near duplicates."""

import re

import pytest

from model.lessons.network_comparison import DISTINCT
from model.networks.config import POSITION_KINDS
from model.networks.recurrent_config import VARIANTS
from model.position_translator import SHIPPED as POSITIONS
from model.runtime.checkpoint import read_json
from model.trained_model import ASSETS
from training.readable_card import fill_near_duplicates, loss_text, pairs_text
from training.templates import fill

LANGUAGE = ASSETS / "language"
FOLDERS = [ASSETS / "translator", *(ASSETS / "recurrent" / name for name in VARIANTS), LANGUAGE]


@pytest.fixture(params=[*FOLDERS, *(POSITIONS / kind for kind in POSITION_KINDS)], ids=lambda folder: folder.name)
def any_folder(request):
    return request.param


@pytest.fixture(params=FOLDERS, ids=lambda folder: folder.name)
def folder(request):
    return request.param


def test_the_card_says_where_choices_were_made(folder):
    data, text = read_json(folder / "card.json")["data"], (folder / "card.md").read_text(encoding="utf-8")
    assert fill("split", split=data.get("split")) in text
    if "split" not in data:
        assert "averaging, number of epochs and decoding were chosen on the test sentences" in text


def test_the_card_has_scores_without_near_duplicates(folder):
    evaluation, text = read_json(folder / "card.json")["evaluation"], (folder / "card.md").read_text(encoding="utf-8")
    distinct, near = evaluation[DISTINCT], evaluation["near_duplicates"]
    assert distinct["sentences"] + near["sentences"] == evaluation["sentences"] == 2000
    if folder == LANGUAGE:  # trained without near duplicates
        assert near["sentences"] > near["sentences_with_trained_reference"] == near["trained_references"] == 0
    else:
        assert near["sentences"] >= near["sentences_with_trained_reference"] > 0
    assert distinct["greedy"]["bleu"] < evaluation["greedy"]["bleu"]  # what was seen in training is easier
    assert distinct["heldout_nll"] > evaluation["heldout_nll"]
    assert fill_near_duplicates(evaluation) in text
    assert f"| greedy | {distinct['greedy']['bleu']:.2f} | {distinct['greedy']['chrf']:.2f} |" in text


def test_losses_and_pairs_state_what_they_were_measured_on(any_folder):
    card, text = read_json(any_folder / "card.json"), (any_folder / "card.md").read_text(encoding="utf-8")
    evaluation = card["evaluation"]
    for figures in (evaluation, evaluation[DISTINCT], evaluation.get("validation")):
        assert figures is None or loss_text(figures) in text
    assert f"by these weights: {evaluation['nll']:.3f} on " in text and "on first translations" in text
    assert f"- {pairs_text(card['data'])}\n" in text
    if any_folder.parent.name == "positions":
        assert card["data"]["used_pairs"] == 146_415 < card["data"]["training_pairs"] == 158_590


def test_all_networks_are_compared_on_the_same_sentences():
    cards = [read_json(folder / "card.json") for folder in FOLDERS]
    for fact in ("sentences", "references"):
        assert all(card["evaluation"][fact] == cards[0]["evaluation"][fact] for card in cards)
    assert len({card["evaluation"]["near_duplicates"]["sentences"] for card in cards}) == 1
    assert len({card["evaluation"][DISTINCT]["references"] for card in cards}) == 1


@pytest.mark.parametrize("path", sorted(ASSETS.rglob("*.md")), ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_loss_per_token_names_its_translations(path):
    """A loss of first translations and one of all translations are never compared as one figure."""
    text = path.read_text(encoding="utf-8")
    paragraphs = [" ".join(part.split()) for part in re.split(r"\n(?=\n|- |\|)", text)]
    losses = [part for part in paragraphs if "ln p per token" in part and not part.startswith("|")]
    named = ("all translations", "first translation", "translations that it has positions for")
    assert [part for part in losses if not any(words in part for words in named)] == []
