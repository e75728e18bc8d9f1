"""The loaded translator in the sidebar: where it runs, its sizes beside the paper's, its scores and its card."""

from __future__ import annotations

from model import Translator
from views import frame
from views.numbers import grouped, millions


def describe(translator: Translator) -> None:
    """Fill the sidebar."""
    licence = translator.card.get("data", {}).get("licence", "")
    frame.sidebar(translator.device_name, (_sizes(translator), _scores(translator)), licence, translator.card_markdown)


def _sizes(translator: Translator) -> frame.Table:
    config = translator.network.config
    layers = f"{config.n_encoder_layers} + {config.n_decoder_layers}"
    return frame.Table(
        "Sizes",
        ("this model", "paper\u2019s base"),
        [
            ("width d_model", grouped(config.d_model), "512"),
            ("heads", grouped(config.n_heads), "8"),
            ("head width d_k", grouped(config.d_k), "64"),
            ("layers", layers, "6 + 6"),
            ("feed-forward d_ff", grouped(config.d_ff), grouped(2048)),
            ("vocabulary", grouped(config.vocabulary_size), grouped(37000)),
            ("parameters", millions(translator.parameters), "65\u2009M"),
        ],
    )


def _scores(translator: Translator) -> frame.Table:
    """What the evaluation measured on held-out sentences, if the card has it."""
    evaluation = translator.card.get("evaluation", {})
    measured = [(way, evaluation[way]) for way in ("greedy", "beam 4") if way in evaluation]
    rows = [(way, f"{scores['bleu']:.1f}", f"{scores['chrf']:.1f}") for way, scores in measured]
    return frame.Table("Quality", ("BLEU", "chrF"), rows)
