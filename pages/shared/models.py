"""The models of this process: each is loaded once, and opened with the sidebar that describes it."""

import threading
from dataclasses import replace
from pathlib import Path

import streamlit as st

from model import CheckpointError, ConvolutionClassifier, RecurrentTranslator, Translator, VisionClassifier
from model.text.word_alignment import AlignmentTable
from pages.shared.service import Service
from server.result_cache import ResultCache, compute_lock
from server.singleton import Singleton, singleton
from views import navigation
from views.text import literal
from views.text.catalogue import say, say_error
from views.text.numbers import grouped, millions, percent
from views.url_state import bound_settings

RECENT_OF_PICTURES = 128  # curves, relevance, changed probabilities: some kilobytes each


@singleton
def load_service() -> Service:
    """The one translator of this process.

    Raises:
        CheckpointError: its files are missing or damaged.
    """
    return Service(Translator.load(), compute_lock())


@singleton
def load_vision() -> Service:
    """The one picture classifier of this process; the errors are those of `load_service`.

    What is computed for the project's samples is shared by all visitors; for a person's own picture see `private`.
    """
    return Service(VisionClassifier.load(), compute_lock(), analyses=ResultCache(RECENT_OF_PICTURES))


@singleton
def load_convolution() -> Service:
    """The one convolutional network of this process; the errors are those of `load_service`."""
    return Service(ConvolutionClassifier.load(), compute_lock(), analyses=ResultCache(RECENT_OF_PICTURES))


@singleton
def load_recurrent(name: str) -> Service:
    """One of the networks before the Transformer, a key of `VARIANTS`; the errors are those of `load_service`."""
    return Service(RecurrentTranslator.load(name), compute_lock())


@singleton
def load_alignment(folder: Path, tokenizer_sha256: str) -> AlignmentTable | None:
    """The statistical word alignment that ships in a translator's folder, or None if it does not fit."""
    try:
        return AlignmentTable.load(folder, tokenizer_sha256)
    except CheckpointError:
        return None


@singleton
def picture_lock() -> threading.Lock:
    """The lock that lets one picture be read at a time."""
    return threading.Lock()


def private_service(service: Service) -> Service:
    """The same model with results that belong to this visit and end with it."""
    kept = st.session_state.setdefault("own_results", (ResultCache(1), ResultCache(RECENT_OF_PICTURES)))
    return replace(service, traces=kept[0], analyses=kept[1])


def open_service() -> Service:
    """The translator, with the sidebar that describes it; on a broken installation one sentence, and the page ends."""
    return _with_sidebar(_load_or_stop(load_service))


def open_vision() -> Service:
    """The classifier, likewise."""
    return _with_sidebar(_load_or_stop(load_vision))


def open_vision_without_sidebar() -> Service:
    """The classifier on a page about another model; the sidebar stays as it is."""
    return _load_or_stop(load_vision)


def open_convolution() -> Service:
    """The convolutional network, loaded when it is first asked for; the sidebar stays as it is."""
    return _load_or_stop(load_convolution)


def open_recurrent(name: str) -> Service:
    """One of the networks before the Transformer, loaded when it is first asked for; the sidebar stays as it is."""
    return _load_or_stop(load_recurrent, name)


def _load_or_stop(load: Singleton[Service], *arguments: str) -> Service:
    # A skeleton costs a thread and three messages; its place is kept, so that nothing below is drawn anew.
    waiting = st.empty() if load.made(*arguments) else st.skeleton(height=240)
    try:
        with waiting:
            return load(*arguments)
    except CheckpointError as error:
        st.error(literal.with_code(say_error(error)))
        bound_settings.stop()


def _with_sidebar(service: Service) -> Service:
    """Fill the sidebar: sizes beside those of the paper that the network follows, scores, and the card."""
    model, config = service.model, service.model.config
    evaluation = model.card.get("evaluation", {})
    if "classify" in model.capabilities:
        paper, known = say("sizes.vit", "ViT-B/16"), (768, 12, 64, 12, 3072)  # Dosovitskiy et al. 2021, table 1
        first = [
            (say("sizes.picture", "picture side"), grouped(config.image_size), "224"),
            (say("sizes.patch", "patch side"), grouped(config.patch_size), "16"),
            (say("sizes.patches", "patches"), grouped(config.grid**2), "196"),
        ]
        layers, all = grouped(config.n_layers), "86\u2009M"
        last = say("sizes.classes", "classes"), grouped(len(config.classes)), grouped(1000)
        right, error = say("quality.top1", "right (top-1)"), say("quality.calibration", "calibration error")
        measured = ((right, "top1"), (error, "calibration_error"))  # on validation pictures
        scores = [(name, percent(evaluation[key]), "") for name, key in measured if key in evaluation]
        columns = say("quality.validation", "validation"), ""
    else:
        paper, known, first = say("sizes.paper", "paper\u2019s base"), (512, 8, 64, "6 + 6", 2048), []
        layers, all = f"{config.n_encoder_layers} + {config.n_decoder_layers}", "65\u2009M"
        last = say("sizes.vocabulary", "vocabulary"), grouped(config.vocabulary_size), grouped(37000)
        ways = {"greedy": say("quality.greedy", "greedy"), "beam 4": say("quality.beam", "beam width 4")}
        measured = [(said, evaluation[way]) for way, said in ways.items() if way in evaluation]  # on held-out sentences
        scores = [(said, f"{scores['bleu']:.1f}", f"{scores['chrf']:.1f}") for said, scores in measured]
        columns = say("quality.bleu", "BLEU"), say("quality.chrf", "chrF")
    names = (
        say("sizes.width", "width d_model"),
        say("sizes.heads", "heads"),
        say("sizes.head-width", "head width d_k"),
        say("sizes.layers", "layers"),
        say("sizes.feed-forward", "feed-forward d_ff"),
    )
    own = config.d_model, config.n_heads, config.d_model // config.n_heads, layers, config.d_ff
    own, known = ([size if isinstance(size, str) else grouped(size) for size in sizes] for sizes in (own, known))
    sizes = list(zip(names, own, known, strict=True))
    sizes += [last, (say("sizes.parameters", "parameters"), millions(model.parameters), all)]
    tables = (
        navigation.SidebarTable(say("sizes", "Sizes"), (say("sizes.this", "this model"), paper), [*first, *sizes]),
        navigation.SidebarTable(say("quality", "Quality"), columns, scores),
    )
    licence = model.card.get("data", {}).get("licence", "")
    navigation.sidebar(lambda: model.device_name, tables, licence, model.card_markdown)
    return service
