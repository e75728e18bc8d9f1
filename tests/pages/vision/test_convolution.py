"""*Vision, Convolution* states how good both networks are, from their cards."""

from __future__ import annotations

import json
import math

from pages.vision import convolution
from tests.pages.conftest import ROOT
from views.text.numbers import grouped, percent


def test_only_a_network_that_learned_from_the_convolution_is_said_to_be_taught(monkeypatch):
    shown: list[str] = []
    monkeypatch.setattr(convolution, "paragraph", lambda _, block, **values: shown.append(block))
    ours, theirs = (
        json.loads((ROOT / "assets" / name / "card.json").read_text()) for name in ("vision", "convolution")
    )
    convolution._render_accuracies(ours, theirs)
    convolution._render_accuracies(ours, theirs | {"weights_sha256": "0" * 64})
    convolution._render_accuracies(ours | {"training": ours["training"] | {"teacher": None}}, theirs)
    assert shown == ["accuracies", "taught", "amount-of-data", *["accuracies", "amount-of-data"] * 2]


def test_accuracies_of_both_cards(open_app):
    app = open_app("vision", view="convolution")
    assert not app.exception
    text = " ".join(each.value.replace("\n", " ") for each in app.markdown)
    cards = [json.loads((ROOT / "assets" / name / "card.json").read_text()) for name in ("vision", "convolution")]
    ours, theirs = (card["evaluation"]["top1"] for card in cards)
    assert f"**{percent(ours)}** right, the convolution **{percent(theirs)}**" in text
    count = cards[0]["evaluation"]["pictures"]
    assert f"Of {grouped(count)} held-out pictures" in text
    band = max(1.96 * math.sqrt(share * (1 - share) / count) for share in (ours, theirs))
    assert f"reaches {percent(band)} to both sides" in text
    assert f"the same {grouped(cards[0]['data']['training_pictures'])} pictures" in text
    teacher = cards[0]["training"]["teacher"]
    assert (
        teacher["sha256"] == cards[1]["weights_sha256"] and f"make up {percent(teacher['share'])} of its loss" in text
    )
    assert "table 5" in text and f"Here there are {grouped(cards[0]['data']['training_pictures'])}" in text
