"""Attention Atlas in a notebook: the networks, their traces, and the same interactive views as in the app.

    from attention_atlas import Translator, show

    trace = Translator.load().trace("I want to buy a car.")
    show(trace, kind="cross")                    # maps of every head; view="lines" draws lines between tokens
    show(attention, tokens)                      # weights that you already have: NumPy, torch, `output_attentions`

    model = open_model("path/or/hub-id")         # any Hugging Face checkpoint, or a live model with its tokenizer
    trace = model.trace("The cat sat.")          # also ids, a list of texts, or messages=[...]
    ablate(model, trace)["decoder"]              # by how much the loss grows without each head
    model.trace("The cat sat.", intervention=HeadInterventions((Scale("decoder", ((0, 3),), 0.0),)))

Layers, heads, queries and keys count from 0. `python -m attention_atlas.study` measures heads over many texts.
Computation is in `attention_atlas.model`, display in `attention_atlas.views`.
"""

from pathlib import Path

_HERE = Path(__file__).resolve().parent
if not (_HERE / "model").is_dir():  # in a checkout both packages are next to this folder, not in it
    __path__.append(str(_HERE.parent))

from .model import (  # noqa: E402
    AblationError,
    Candidate,
    CausalError,
    CheckpointError,
    ConvolutionClassifier,
    ConvolutionTrace,
    DecodingOptions,
    Forbid,
    GateInterventions,
    HeadInterventions,
    HeldGate,
    HubRecord,
    HubTrace,
    InputError,
    InterventionError,
    LanguageModel,
    Logit,
    LogitDifference,
    NoMask,
    OneHot,
    OpenedModel,
    OpenError,
    Probability,
    Pull,
    RecurrentTrace,
    RecurrentTranslator,
    Scale,
    Step,
    TargetLoss,
    Temperature,
    Trace,
    TransformerConfig,
    Translator,
    UserError,
    Verification,
    VisionClassifier,
    VisionTrace,
    Window,
    ablate,
    open_model,
)
from .notebook_view import ShowError, Shown, show  # noqa: E402
from .views.result_frame import frame  # noqa: E402
from .views.version import VERSION as __version__  # noqa: E402, F401

__all__ = [
    "AblationError",
    "Candidate",
    "CausalError",
    "CheckpointError",
    "ConvolutionClassifier",
    "ConvolutionTrace",
    "DecodingOptions",
    "Forbid",
    "GateInterventions",
    "HeadInterventions",
    "HeldGate",
    "HubRecord",
    "HubTrace",
    "InputError",
    "InterventionError",
    "LanguageModel",
    "Logit",
    "LogitDifference",
    "NoMask",
    "OneHot",
    "OpenError",
    "OpenedModel",
    "Probability",
    "Pull",
    "RecurrentTrace",
    "RecurrentTranslator",
    "Scale",
    "ShowError",
    "Shown",
    "Step",
    "TargetLoss",
    "Temperature",
    "Trace",
    "TransformerConfig",
    "Translator",
    "UserError",
    "Verification",
    "VisionClassifier",
    "VisionTrace",
    "Window",
    "ablate",
    "frame",
    "open_model",
    "show",
]
