"""The page *Loss*: the loss of a target by token, smoothed labels, the gradient, training, heads that form."""

from pages.loss import cross_entropy, gradient, heads_that_form, training
from pages.shared.page_sections import PageSection, render_sections
from views.text.catalogue import Message

PARTS = (
    PageSection(
        "token-by-token", Message("loss.part.tokens", "Token by token"), cross_entropy.render, reads=cross_entropy.reads
    ),
    PageSection("smoothing-gradient", Message("loss.part.gradient", "Smoothing and gradient"), gradient.render),
    PageSection("training-curves", Message("loss.part.training", "Training curves"), training.render),
    PageSection("heads-that-form", Message("loss.part.formation", "Heads that form"), heads_that_form.render),
)

render_sections("loss", PARTS, "part")
