"""Expected results of the programs of *Positions* at two settings; `tests/pages/shared/test_code.py` runs them."""

from __future__ import annotations

import numpy as np
import torch

from model import Translator, VisionClassifier
from model.lessons.fourier import fourier_coefficients
from model.lessons.position_basis import curve, fit_columns, harmonics
from model.lessons.position_effects import position_losses_in_steps
from model.lessons.position_geometry import (
    PositionSchemes,
    find_shift_matrix,
    measure_similarity,
    number_positions,
    wave_product,
)
from model.lessons.position_schemes import learned, scheme_matrix
from model.lessons.vectors import Vectors
from model.networks.config import POSITION_KINDS
from model.networks.positional import positional_table, wavelengths
from model.networks.relative_positions import LinearBiases, RotaryPositions
from model.runtime.progress import as_one_call
from tests.pages.conftest import SENTENCE
from tests.pages.shared.programs import COOK, Case, Expected, Values, of_the_translator

PAPER = {"length": 64, "d_model": 256, "form": "paper"}
COLUMN = {"length": 33, "d_model": 20, "form": "column"}
WAVES = {"length": 64, "d_model": 256, "form": "paper", "curve": "square-wave", "basis": "columns", "columns": 64}
REPLY = (271, 372, 1300, 312, 567, 260, 3)


def waves(values: Values) -> Expected:
    computed = wavelengths(values["d_model"], values["form"]).numpy()
    expected = {"wavelengths": computed, "shortest": computed[0], "longest": computed[-1]}
    return expected | {"seen": int((computed <= values["length"]).sum())}


def numbered(values: Values) -> Expected:
    both = [number_positions(length, values["d_model"]) for length in values["lengths"]]
    names = {"largest": PositionSchemes.largest, "first_step": PositionSchemes.step, "closest": PositionSchemes.closest}
    ways = ("integers", "normalised", "sinusoids")
    return {name: [[of(scheme, way) for scheme in both] for way in ways] for name, of in names.items()}


def similar(values: Values) -> Expected:
    computed = measure_similarity(values["length"], values["d_model"], values["form"])
    return {name: getattr(computed, name) for name in ("products", "by_distance", "smallest", "largest")}


def rotated(values: Values) -> Expected:
    computed = find_shift_matrix(values["length"], values["d_model"], values["shift"], values["form"])
    return {"matrix": computed.matrix, "residual": computed.residual}


def orthogonal(values: Values) -> Expected:
    pair = values["first"], values["second"]
    slower = wavelengths(values["d_model"], values["form"])[list(pair)].max()
    spans = np.arange(1, 13) * float(slower)
    return {"at_whole": wave_product(values["d_model"], *pair, spans, values["form"])}


def spanned(values: Values) -> Expected:
    computed = Vectors(**values)
    return {name: getattr(computed, name) for name in ("determinant", "rank", "nearest", "distance", "coordinates")}


def fitted(values: Values) -> Expected:
    of = values["length"], values["d_model"]
    table = positional_table(*of, values["form"]) if values["basis"] == "columns" else harmonics(*of)
    target = curve(values["curve"], values["length"])
    computed = fit_columns(target, np.asarray(table), values["columns"])
    return {"target": target, "residuals": computed.residuals, "approximation": computed.approximation}


@of_the_translator
def without_positions(translator: Translator, values: Values) -> Expected:
    source = translator.tokenizer.encode_source(values["sentence"])
    arguments = source, list(values["next_ids"]), values["seed"], values["shift"]
    losses = as_one_call(position_losses_in_steps)(translator.network, *arguments)
    where = values["where"], values["change"]
    return {"per_token": losses.per_token[where], "loss": losses.mean(*where)}


def series(values: Values) -> Expected:
    computed = fourier_coefficients(curve(values["shape"], values["length"]))
    return {name: getattr(computed, name) for name in ("a", "b", "sizes")}


def learned_products(values: Values) -> Expected:
    return {"matrix": learned(VisionClassifier.load(device="cpu").network, values["length"])}


def attention_by_positions(values: Values) -> Expected:
    """Weights of one random self-attention for every kind of positions, by the modules of the networks."""
    length, heads, d_k = values["length"], 8, 12
    random = torch.Generator().manual_seed(0)
    embedded, table = torch.randn(2, length, heads * d_k, generator=random)
    projections = torch.randn(2, heads * d_k, heads * d_k, generator=random) / 10
    added = {"sinusoidal": torch.tensor(positional_table(length, heads * d_k), dtype=torch.float32), "learned": table}
    modules = {"rotary": RotaryPositions(d_k, length), "alibi": LinearBiases(heads)}

    def attention(kind: str, places: torch.Tensor) -> np.ndarray:
        vectors = embedded + (added[kind][places] if kind in added else 0)
        queries, keys = (
            (vectors @ projection).view(length, heads, d_k).transpose(0, 1)[None] for projection in projections
        )
        bias = None
        if kind in modules:
            queries, keys, bias = modules[kind](queries, keys, places[None])
        scores = queries @ keys.transpose(-2, -1) / d_k**0.5  # (1, head, query, key)
        return (scores if bias is None else scores + bias).softmax(dim=-1)[0].numpy()

    shuffled = torch.randperm(length, generator=random)
    weights = {kind: attention(kind, torch.arange(length)) for kind in POSITION_KINDS}
    change = {kind: np.abs(attention(kind, shuffled) - weights[kind]).max() for kind in POSITION_KINDS}
    return {"weights": weights, "change": change}


CASES: dict[str, Case] = {
    "compared": ({"length": 7}, {"length": 40}, attention_by_positions),
    "learned-table": ({"length": 32}, {"length": 5}, learned_products),
    "fourier": ({"length": 64, "shape": "square-wave"}, {"length": 33, "shape": "bump"}, series),
    "table": (PAPER, COLUMN, lambda values: {"table": positional_table(**values)}),
    "wavelengths": (PAPER, COLUMN, waves),
    "why-sinusoids": (
        {"lengths": (9, 18), "d_model": 256},
        {"lengths": (2, 128), "d_model": 64},
        numbered,
    ),
    "similarity": (PAPER, COLUMN, similar),
    "rotation": (PAPER | {"shift": 5}, COLUMN | {"shift": 100}, rotated),
    "vectors": (
        {"vectors": ((2.0, -1.0, 0.0), (1.0, 3.0, 1.0)), "point": (3.0, 2.0, 1.0)},
        {"vectors": ((1.0, 0.0, -1.0), (0.0, 1.0, -1.0), (1.0, 1.0, -2.0)), "point": (0.0, 0.0, 3.0)},
        spanned,
    ),
    "other-models": (
        {"scheme": "t5", "length": 100, "head": 1, "d_model": 256},
        {"scheme": "sinusoids", "length": 20, "head": 1, "d_model": 64},
        lambda values: {"matrix": scheme_matrix(**values)},
    ),
    "orthogonality": (
        {"d_model": 256, "form": "paper", "first": 0, "second": 1},
        {"d_model": 20, "form": "column", "first": 3, "second": 4},
        orthogonal,
    ),
    "trained-model": (
        {"sentence": SENTENCE, "next_ids": REPLY, "change": "none", "where": "encoder", "seed": 0, "shift": 10},
        {"sentence": COOK, "next_ids": (220, 15, 9, 3), "change": "shuffled", "where": "both", "seed": 4, "shift": 0},
        without_positions,
    ),
    "basis": (
        WAVES,
        {"length": 33, "d_model": 20, "form": "column", "curve": "bump", "basis": "harmonics", "columns": 9},
        fitted,
    ),
}
