"""Noise on the embeddings of tokens (Meng et al. 2022) on a page: its controls, and the chosen cell in words."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import streamlit as st

from model.causal.embedding_noise import SAMPLES
from model.text.words import Word
from pages.shared.causes.patched_cells import PatchedCells
from pages.shared.causes.text_pairs import SWAPS, quoted
from pages.shared.texts import block, paragraph
from views import map_labels
from views.controls import widgets
from views.text.catalogue import say
from views.text.numbers import three_digits


@dataclass(frozen=True)
class Noise:
    """Which tokens get noise, and how it is drawn."""

    tokens: tuple[int, ...]  # positions, from 0
    samples: int
    seed: int


def choose_tokens(labels: Sequence[str], words: Sequence[Word], without: Collection[int] = ()) -> tuple[int, ...]:
    """Render the choice of the tokens that get noise; return their positions, in order.

    Args:
        words: of the tokens; the first one that *Patching* would replace is chosen until the user chooses another.
        without: positions that cannot get noise.
    """
    help = " ".join(block("circuits", "noisy-help").split())
    label = say("circuits.noise.tokens", "Tokens that get noise")
    options = map_labels.token_options(labels)
    for place in without:
        options.pop(map_labels.to_id(place))
    words = [word for word in words if not {*range(word.start, word.end)} & {*without}]
    chosen = widgets.multiselect(label, options, "noisy", _first_word(words), help=help)
    return tuple(sorted(map(map_labels.index_of, chosen)))


def _first_word(words: Sequence[Word]) -> list[str]:
    """Ids of the tokens of the word that gets noise until the user chooses."""
    ordinary = [word for word in words if not word.special]
    known = [word for swap in SWAPS for word in ordinary if word.text.strip() == swap]
    return [map_labels.to_id(place) for word in (known or ordinary)[:1] for place in range(word.start, word.end)]


def choose_samples() -> tuple[int, int]:
    """Render the choice of the number of samples and of the seed."""
    help = " ".join(block("circuits", "samples-help").split())
    samples = widgets.number(say("circuits.noise.samples", "Samples"), "samples", SAMPLES, 2, 50, help=help)
    help = " ".join(block("circuits", "seed-help").split())
    return samples, widgets.number(say("circuits.noise.seed", "Seed"), "seed", 0, 0, 999999, help=help)


def has_tokens(noise: Noise) -> bool:
    """Whether any token gets noise; renders what to do where none does."""
    if not noise.tokens:
        st.info(say("circuits.noise.nothing", "Choose at least one token that gets noise."))
    return bool(noise.tokens)


def render_noisy_cell(cells: PatchedCells, cell: str, noise: Noise, labels: Sequence[str], measured: str) -> None:
    """State what is measured without noise, with it, and with the chosen cell as without.

    Args:
        labels: of the tokens.
        measured: what is measured, as Markdown.
    """
    error = cells.error(cell)
    assert error is not None, "noise is drawn more than once"
    paragraph(
        "circuits",
        "noisy-cell",
        measured=measured,
        tokens=", ".join(quoted(labels[place]) for place in noise.tokens),
        samples=noise.samples,
        error=three_digits(error),
        **cells.sentence_values(cell, "denoising"),
    )
