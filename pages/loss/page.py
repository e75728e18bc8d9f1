"""What a target costs the model: token by token, with smoothed labels, as a gradient, and over the whole training."""

from pages.loss import cross_entropy, gradient, training
from pages.shared.page_sections import Part, show_parts
from views.text.catalogue import Message

PARTS = (
    Part(
        "token-by-token", Message("loss.part.tokens", "Token by token"), cross_entropy.show, reads=cross_entropy.reads
    ),
    Part("smoothing-gradient", Message("loss.part.gradient", "Smoothing and gradient"), gradient.show),
    Part("training-curves", Message("loss.part.training", "Training curves"), training.show),
)

show_parts("loss", PARTS, "part")
