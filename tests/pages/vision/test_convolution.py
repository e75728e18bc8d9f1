"""*Vision, Convolution* states how good both networks are, from their cards."""

from __future__ import annotations

import json
import math

from tests.pages.conftest import ROOT
from views.text.numbers import grouped, percent


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
    assert "table 5" in text and f"Here there are {grouped(cards[0]['data']['training_pictures'])}" in text
