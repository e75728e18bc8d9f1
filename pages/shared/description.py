"""The loaded model in the sidebar: where it runs, its sizes beside the paper's, its scores and its card."""

from __future__ import annotations

from model import Translator, VisionClassifier
from views import frame
from views.text.numbers import grouped, millions, percent


def describe(translator: Translator) -> None:
    """Fill the sidebar with the translator."""
    _fill(translator, _sizes(translator), _scores(translator))


def describe_vision(classifier: VisionClassifier) -> None:
    """Fill the sidebar with the picture classifier."""
    _fill(classifier, _vision_sizes(classifier), _vision_scores(classifier))


def _fill(model: Translator | VisionClassifier, *tables: frame.Table) -> None:
    licence = model.card.get("data", {}).get("licence", "")
    frame.sidebar(lambda: model.device_name, tables, licence, model.card_markdown)


def _sizes(translator: Translator) -> frame.Table:
    config = translator.config
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


def _vision_sizes(classifier: VisionClassifier) -> frame.Table:
    config = classifier.config
    return frame.Table(
        "Sizes",
        ("this model", "ViT-B/16"),  # Dosovitskiy et al. 2021, table 1
        [
            ("picture side", grouped(config.image_size), "224"),
            ("patch side", grouped(config.patch_size), "16"),
            ("patches", grouped(config.grid**2), "196"),
            ("width d_model", grouped(config.d_model), "768"),
            ("heads", grouped(config.n_heads), "12"),
            ("head width d_k", grouped(config.d_model // config.n_heads), "64"),
            ("layers", grouped(config.n_layers), "12"),
            ("feed-forward d_ff", grouped(config.d_ff), grouped(3072)),
            ("classes", grouped(len(config.classes)), grouped(1000)),
            ("parameters", millions(classifier.parameters), "86\u2009M"),
        ],
    )


def _vision_scores(classifier: VisionClassifier) -> frame.Table:
    """What the evaluation measured on validation pictures, if the card has it."""
    evaluation = classifier.card.get("evaluation", {})
    measured = (("right (top-1)", "top1"), ("calibration error", "calibration_error"))
    rows = [(name, percent(evaluation[key]), "") for name, key in measured if key in evaluation]
    return frame.Table("Quality", ("validation", ""), rows)
