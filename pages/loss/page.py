"""What a target costs the model: token by token, with smoothed labels, as a gradient, and over the whole training."""

from pages.loss import gradient, tokens, training
from pages.shared.parts import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part("token-by-token", Message("loss.part.tokens", "Token by token"), tokens.show, reads=tokens.reads),
    Part("smoothing-gradient", Message("loss.part.gradient", "Smoothing and gradient"), gradient.show),
    Part("training-curves", Message("loss.part.training", "Training curves"), training.show),
)

show_parts("loss", PARTS, "part")
