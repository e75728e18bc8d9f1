"""The page *Loss*: the loss of a target by token, smoothed labels, the gradient, and the curves of the training."""

from pages.loss import cross_entropy, gradient, training
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection(
        "token-by-token", Message("loss.part.tokens", "Token by token"), cross_entropy.render, reads=cross_entropy.reads
    ),
    PageSection("smoothing-gradient", Message("loss.part.gradient", "Smoothing and gradient"), gradient.render),
    PageSection("training-curves", Message("loss.part.training", "Training curves"), training.render),
)

render_sections("loss", PARTS, "part")
