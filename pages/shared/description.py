"""The loaded model in the sidebar: where it runs, its sizes beside the paper's, its scores and its card."""

from __future__ import annotations

from model import Translator, VisionClassifier
from views import frame
from views.text.catalogue import say
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
        say("sizes", "Sizes"),
        (say("sizes.this", "this model"), say("sizes.paper", "paper\u2019s base")),
        [
            (say("sizes.width", "width d_model"), grouped(config.d_model), "512"),
            (say("sizes.heads", "heads"), grouped(config.n_heads), "8"),
            (say("sizes.head-width", "head width d_k"), grouped(config.d_k), "64"),
            (say("sizes.layers", "layers"), layers, "6 + 6"),
            (say("sizes.feed-forward", "feed-forward d_ff"), grouped(config.d_ff), grouped(2048)),
            (say("sizes.vocabulary", "vocabulary"), grouped(config.vocabulary_size), grouped(37000)),
            (say("sizes.parameters", "parameters"), millions(translator.parameters), "65\u2009M"),
        ],
    )


def _scores(translator: Translator) -> frame.Table:
    """What the evaluation measured on held-out sentences, if the card has it."""
    evaluation = translator.card.get("evaluation", {})
    ways = {"greedy": say("quality.greedy", "greedy"), "beam 4": say("quality.beam", "beam width 4")}
    measured = [(said, evaluation[way]) for way, said in ways.items() if way in evaluation]
    rows = [(said, f"{scores['bleu']:.1f}", f"{scores['chrf']:.1f}") for said, scores in measured]
    return frame.Table(say("quality", "Quality"), (say("quality.bleu", "BLEU"), say("quality.chrf", "chrF")), rows)


def _vision_sizes(classifier: VisionClassifier) -> frame.Table:
    config = classifier.config
    return frame.Table(
        say("sizes", "Sizes"),
        (say("sizes.this", "this model"), say("sizes.vit", "ViT-B/16")),  # Dosovitskiy et al. 2021, table 1
        [
            (say("sizes.picture", "picture side"), grouped(config.image_size), "224"),
            (say("sizes.patch", "patch side"), grouped(config.patch_size), "16"),
            (say("sizes.patches", "patches"), grouped(config.grid**2), "196"),
            (say("sizes.width", "width d_model"), grouped(config.d_model), "768"),
            (say("sizes.heads", "heads"), grouped(config.n_heads), "12"),
            (say("sizes.head-width", "head width d_k"), grouped(config.d_model // config.n_heads), "64"),
            (say("sizes.layers", "layers"), grouped(config.n_layers), "12"),
            (say("sizes.feed-forward", "feed-forward d_ff"), grouped(config.d_ff), grouped(3072)),
            (say("sizes.classes", "classes"), grouped(len(config.classes)), grouped(1000)),
            (say("sizes.parameters", "parameters"), millions(classifier.parameters), "86\u2009M"),
        ],
    )


def _vision_scores(classifier: VisionClassifier) -> frame.Table:
    """What the evaluation measured on validation pictures, if the card has it."""
    evaluation = classifier.card.get("evaluation", {})
    right, error = say("quality.top1", "right (top-1)"), say("quality.calibration", "calibration error")
    measured = ((right, "top1"), (error, "calibration_error"))
    rows = [(name, percent(evaluation[key]), "") for name, key in measured if key in evaluation]
    return frame.Table(say("quality", "Quality"), (say("quality.validation", "validation"), ""), rows)
