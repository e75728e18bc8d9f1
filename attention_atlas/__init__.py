"""Attention Atlas in a notebook: the networks, their traces, and the same interactive views as in the app.

    from attention_atlas import Translator, show

    trace = Translator.load().trace("I want to buy a car.")
    show(trace, kind="cross")                    # maps of every head; view="lines" draws lines between tokens
    show(attention, tokens)                      # weights that you already have: NumPy, torch, `output_attentions`

Computation is in `attention_atlas.model`, display in `attention_atlas.views`.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
if not (_HERE / "model").is_dir():  # in a checkout both packages are next to this folder, not in it
    __path__.append(str(_HERE.parent))

from .data_frames import frame  # noqa: E402
from .model import (  # noqa: E402
    CheckpointError,
    ConvolutionClassifier,
    DecodingOptions,
    HeadInterventions,
    InputError,
    OpenError,
    RecurrentTranslator,
    Translator,
    VisionClassifier,
    open_model,
)
from .notebook_view import ShowError, Shown, show  # noqa: E402
from .views.version import VERSION as __version__  # noqa: E402, F401

__all__ = [
    "CheckpointError",
    "ConvolutionClassifier",
    "DecodingOptions",
    "HeadInterventions",
    "InputError",
    "OpenError",
    "RecurrentTranslator",
    "ShowError",
    "Shown",
    "Translator",
    "VisionClassifier",
    "frame",
    "open_model",
    "show",
]
