"""The loaded model in the sidebar: where it runs, its sizes beside the paper's, its scores and its card."""

from __future__ import annotations

from model import Translator, VisionClassifier
from views import frame
from views.text.catalogue import Message, say
from views.text.numbers import grouped, millions, percent

SHARED = {  # fields of a model's sizes
    "d_model": Message("sizes.width", "width d_model"),
    "n_heads": Message("sizes.heads", "heads"),
    "d_k": Message("sizes.head-width", "head width d_k"),
    "layers": Message("sizes.layers", "layers"),
    "d_ff": Message("sizes.feed-forward", "feed-forward d_ff"),
}
PARAMETERS = Message("sizes.parameters", "parameters")


def describe(translator: Translator) -> None:
    """Fill the sidebar with the translator."""
    config = translator.config
    base = ("512", "8", "64", "6 + 6", grouped(2048))
    vocabulary = say("sizes.vocabulary", "vocabulary")
    rows = [
        *_shared(config, f"{config.n_encoder_layers} + {config.n_decoder_layers}", base),
        (vocabulary, grouped(config.vocabulary_size), grouped(37000)),
        (PARAMETERS(), millions(translator.parameters), "65\u2009M"),
    ]
    evaluation = translator.card.get("evaluation", {})  # on held-out sentences
    ways = {"greedy": say("quality.greedy", "greedy"), "beam 4": say("quality.beam", "beam width 4")}
    measured = [(said, evaluation[way]) for way, said in ways.items() if way in evaluation]
    scores = [(said, f"{scores['bleu']:.1f}", f"{scores['chrf']:.1f}") for said, scores in measured]
    columns = say("quality.bleu", "BLEU"), say("quality.chrf", "chrF")
    _fill(translator, say("sizes.paper", "paper\u2019s base"), rows, columns, scores)


def describe_vision(classifier: VisionClassifier) -> None:
    """Fill the sidebar with the picture classifier."""
    config = classifier.config
    base = ("768", "12", "64", "12", grouped(3072))  # Dosovitskiy et al. 2021, table 1
    rows = [
        (say("sizes.picture", "picture side"), grouped(config.image_size), "224"),
        (say("sizes.patch", "patch side"), grouped(config.patch_size), "16"),
        (say("sizes.patches", "patches"), grouped(config.grid**2), "196"),
        *_shared(config, grouped(config.n_layers), base),
        (say("sizes.classes", "classes"), grouped(len(config.classes)), grouped(1000)),
        (PARAMETERS(), millions(classifier.parameters), "86\u2009M"),
    ]
    evaluation = classifier.card.get("evaluation", {})  # on validation pictures
    right, error = say("quality.top1", "right (top-1)"), say("quality.calibration", "calibration error")
    measured = ((right, "top1"), (error, "calibration_error"))
    scores = [(name, percent(evaluation[key]), "") for name, key in measured if key in evaluation]
    _fill(classifier, say("sizes.vit", "ViT-B/16"), rows, (say("quality.validation", "validation"), ""), scores)


def _shared(config, layers: str, base: tuple[str, ...]) -> list[tuple[str, str, str]]:
    """The sizes that both models have, `base` those of the paper's."""
    sizes = {"layers": layers, "d_k": grouped(config.d_model // config.n_heads)}
    return [
        (said(), sizes.get(name) or grouped(getattr(config, name)), known)
        for (name, said), known in zip(SHARED.items(), base, strict=True)
    ]


def _fill(
    model: Translator | VisionClassifier, paper: str, sizes: list, columns: tuple[str, str], scores: list
) -> None:
    tables = (
        frame.Table(say("sizes", "Sizes"), (say("sizes.this", "this model"), paper), sizes),
        frame.Table(say("quality", "Quality"), columns, scores),
    )
    licence = model.card.get("data", {}).get("licence", "")
    frame.sidebar(lambda: model.device_name, tables, licence, model.card_markdown)
