"""What a target costs the model: token by token, with smoothed labels, as a gradient, and over the whole training."""

from __future__ import annotations

from pages.loss import gradient, tokens, training
from pages.shared.parts import show_parts
from views.html import bars, steps

PARTS = {
    "Piece by piece": tokens.show,
    "Smoothing and gradient": gradient.show,
    "Training curves": training.show,
}

show_parts("loss", PARTS, "part", bars.STYLE + steps.STYLE)
