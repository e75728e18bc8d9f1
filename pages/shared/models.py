"""The models of this process: each is loaded once, and opened with the sidebar that describes it."""

import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import streamlit as st

from model import (
    CheckpointError,
    ConvolutionClassifier,
    LanguageModel,
    RecurrentTranslator,
    Translator,
    VisionClassifier,
)
from model.networks.config import PositionKind, TransformerConfig
from model.networks.vision import VisionConfig
from model.position_translator import PositionTranslator
from model.runtime.checkpoint import AlteredFileError
from model.text.word_alignment import AlignmentTable
from pages.shared.service import M, Service
from server.result_cache import ResultCache, compute_lock
from server.singleton import Singleton, idle_singleton, singleton
from views import navigation
from views.text import literal
from views.text.catalogue import say, say_error, say_sentence
from views.text.numbers import grouped, millions, percent
from views.url_state import bound_settings

Row = tuple[str, str, str]  # name, value, value of the paper
RECENT_OWN_TRACES = 4  # of a visit and a model: the picture, and those with changed heads
RECENT_OF_PICTURES = 128  # curves, relevance, changed probabilities: some kilobytes each


@singleton
def load_service() -> Service[Translator]:
    """The one translator of this process.

    Raises:
        CheckpointError: its files are missing or damaged.
    """
    return Service(Translator.load(), compute_lock())


@singleton
def load_vision() -> Service[VisionClassifier]:
    """The one picture classifier of this process; the errors are those of `load_service`.

    Results of the project's samples are shared by all visitors; for a visitor's own picture see `private_service`.
    """
    return Service(VisionClassifier.load(), compute_lock(), analyses=ResultCache(RECENT_OF_PICTURES))


@singleton
def load_convolution() -> Service[ConvolutionClassifier]:
    """The one convolutional network of this process; the errors are those of `load_service`."""
    return Service(ConvolutionClassifier.load(), compute_lock(), analyses=ResultCache(RECENT_OF_PICTURES))


@singleton
def load_recurrent(name: str) -> Service[RecurrentTranslator]:
    """One of the networks before the Transformer, a key of `VARIANTS`; the errors are those of `load_service`."""
    return Service(RecurrentTranslator.load(name), compute_lock())


@idle_singleton
def load_language() -> Service[LanguageModel]:
    """The one decoder-only network of this process, released while no part needs it; errors as of `load_service`."""
    return Service(LanguageModel.load(), compute_lock())


@idle_singleton
def load_positions(kind: PositionKind) -> Service[PositionTranslator]:
    """The translator with these positions, released while no part needs it; the errors are those of `load_service`."""
    return Service(PositionTranslator.load(kind), compute_lock())


@singleton
def load_alignment(folder: Path, tokenizer_sha256: str) -> AlignmentTable | None:
    """The statistical word alignment that ships in a translator's folder, or None if it does not fit.

    Raises:
        AlteredFileError: it is not the one that ships.
    """
    try:
        return AlignmentTable.load(folder, tokenizer_sha256)
    except AlteredFileError:
        raise
    except CheckpointError:
        return None


@singleton
def picture_lock() -> threading.Lock:
    """The lock that lets one picture be decoded at a time."""
    return threading.Lock()


def private_service(service: Service[M]) -> Service[M]:
    """Return the same model with caches that belong to this visit and end with it."""
    by_model = st.session_state.setdefault("own_results", {})
    if service.model.weights_sha256 not in by_model:
        by_model[service.model.weights_sha256] = ResultCache(RECENT_OWN_TRACES), ResultCache(RECENT_OF_PICTURES)
    traces, analyses = by_model[service.model.weights_sha256]
    return replace(service, traces=traces, analyses=analyses, shared_analyses=service.analyses)


def open_service() -> Service[Translator]:
    """Return the translator and render its sidebar; on a broken installation, render an error and stop the page."""
    return _with_sidebar(_load_or_stop(load_service))


def open_vision() -> Service[VisionClassifier]:
    """Return the classifier, likewise."""
    return _with_sidebar(_load_or_stop(load_vision))


def open_vision_without_sidebar() -> Service[VisionClassifier]:
    """Return the classifier for a page about another model; the sidebar stays as it is."""
    return _load_or_stop(load_vision)


def open_convolution() -> Service[ConvolutionClassifier]:
    """Return the convolutional network, loaded on the first call; the sidebar stays as it is."""
    return _load_or_stop(load_convolution)


def open_recurrent(name: str) -> Service[RecurrentTranslator]:
    """Return one of the networks before the Transformer, loaded on the first call; the sidebar stays as it is."""
    return _load_or_stop(load_recurrent, name)


def open_language() -> Service[LanguageModel]:
    """Return the decoder-only network, loaded when a part needs it; the sidebar stays as it is."""
    return _load_or_stop(load_language)


def open_positions(kind: PositionKind) -> Service[PositionTranslator]:
    """Return the translator with these positions, loaded when a part needs it; the sidebar stays as it is."""
    return _load_or_stop(load_positions, kind)


def _load_or_stop(load: Singleton[Service[M]], *arguments: str) -> Service[M]:
    # A skeleton costs a thread and three messages; an empty element in its place saves redrawing what follows.
    waiting = st.empty() if load.is_ready(*arguments) else st.skeleton(height=240)
    try:
        with waiting:
            return load(*arguments)
    except CheckpointError as error:
        st.error(literal.with_code(say_error(error)))
        bound_settings.stop()


def _with_sidebar(service: Service[M]) -> Service[M]:
    """Render the sidebar: sizes compared with those of the paper that the network follows, scores, and the card."""
    model = service.model
    tables = _picture_tables(model) if "classify" in model.capabilities else _translation_tables(model)
    licence = say_sentence(str(model.card.get("data", {}).get("licence", "")))
    navigation.sidebar(lambda: model.device_name, tables, licence, model.card_markdown)
    return service


def _picture_tables(model: VisionClassifier) -> list[navigation.SidebarTable]:
    config, evaluation = model.config, model.card.get("evaluation", {})
    paper = (768, 12, 64, "12", 3072)  # Dosovitskiy et al. 2021, table 1
    sizes = [
        (say("sizes.picture", "picture side"), grouped(config.image_size), "224"),
        (say("sizes.patch", "patch side"), grouped(config.patch_size), "16"),
        (say("sizes.patches", "patches"), grouped(config.grid**2), "196"),
        *_size_rows(config, grouped(config.n_layers), paper),
        (say("sizes.classes", "classes"), grouped(len(config.classes)), grouped(1000)),
        (say("sizes.parameters", "parameters"), millions(model.parameters), "86\u202fM"),
    ]
    metrics = {"top1": say("quality.top1", "right (top-1)")}
    metrics["calibration_error"] = say("quality.calibration", "calibration error")
    scores = [(name, percent(evaluation[key]), "") for key, name in metrics.items() if key in evaluation]
    columns = say("quality.validation", "validation"), ""  # pictures
    return _tables(say("sizes.vit", "ViT-B/16"), sizes, columns, scores)


def _translation_tables(model: Translator) -> list[navigation.SidebarTable]:
    config, evaluation = model.config, model.card.get("evaluation", {})
    layers = f"{config.n_encoder_layers} + {config.n_decoder_layers}"
    sizes = [
        *_size_rows(config, layers, (512, 8, 64, "6 + 6", 2048)),
        (say("sizes.vocabulary", "vocabulary"), grouped(config.vocabulary_size), grouped(37000)),
        (say("sizes.parameters", "parameters"), millions(model.parameters), "65\u202fM"),
    ]
    methods = {"greedy": say("quality.greedy", "greedy"), "beam 4": say("quality.beam", "beam width 4")}
    scores = [  # on held-out sentences
        (name, f"{evaluation[method]['bleu']:.1f}", f"{evaluation[method]['chrf']:.1f}")
        for method, name in methods.items()
        if method in evaluation
    ]
    columns = say("quality.bleu", "BLEU"), say("quality.chrf", "chrF")
    return _tables(say("sizes.paper", "paper\u2019s base"), sizes, columns, scores)


def _size_rows(config: TransformerConfig | VisionConfig, layers: str, paper: Sequence[int | str]) -> list[Row]:
    """Rows for the sizes that every Transformer has, with those of the paper."""
    names = (
        say("sizes.width", "width d_model"),
        say("sizes.heads", "heads"),
        say("sizes.head-width", "head width d_k"),
        say("sizes.layers", "layers"),
        say("sizes.feed-forward", "feed-forward d_ff"),
    )
    own = config.d_model, config.n_heads, config.d_model // config.n_heads, layers, config.d_ff
    formatted = ([size if isinstance(size, str) else grouped(size) for size in sizes] for sizes in (own, paper))
    return list(zip(names, *formatted, strict=True))


def _tables(
    paper: str, sizes: Sequence[Row], columns: tuple[str, str], scores: Sequence[Row]
) -> list[navigation.SidebarTable]:
    return [
        navigation.SidebarTable(say("sizes", "Sizes"), (say("sizes.this", "this model"), paper), sizes),
        navigation.SidebarTable(say("quality", "Quality"), columns, scores),
    ]
