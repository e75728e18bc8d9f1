"""The networks, their tracing and their training. PyTorch only, no user interface.

from model import Translator
translator = Translator.load()
translator.translate("I am a student.")
trace = translator.trace("I am a student.")

from model import RecurrentTranslator
earlier = RecurrentTranslator.load("lstm-additive")  # the networks before the Transformer, on the same sentences
earlier.trace("I am a student.").alignment

from model import VisionClassifier
seen = VisionClassifier.load().trace(image)  # a PIL image

from model import open_model
own = open_model("path/or/hub-id")  # any Hugging Face checkpoint with softmax attention
own.trace("The cat sat.").attention("encoder")

from model import ConvolutionClassifier
ConvolutionClassifier.load("folder").trace(image).maps  # a convolutional network that learned from the same pictures
"""

from .runtime import interrupts as _interrupts  # isort: skip  # noqa: F401  # first, before what takes long

from .causal.causal_error import CausalError
from .causal.metrics import Logit, LogitDifference, Probability, TargetLoss
from .classifier import VisionClassifier, VisionTrace
from .convolution_classifier import ConvolutionClassifier, ConvolutionTrace
from .decoding.search import DecodingOptions
from .head_ablations import AblationError, ablate
from .hub.errors import OpenError
from .hub.hub_trace import HubTrace
from .hub.opened_model import OpenedModel
from .hub.record import HubRecord
from .language_model import LanguageModel
from .networks.config import TransformerConfig
from .networks.recurrent_trace import RecurrentTrace
from .open_model import open_model
from .recurrent_translator import RecurrentTranslator
from .runtime.checkpoint import CheckpointError
from .runtime.messages import UserError
from .sentence_check import InputError
from .tracing.head_interventions import (
    Forbid,
    InterventionError,
    NoMask,
    OneHot,
    Pull,
    Scale,
    Temperature,
    Window,
)
from .tracing.interventions import GateInterventions, HeadInterventions, HeldGate
from .tracing.trace import Candidate, Trace, Verification
from .translator import Step, Translator

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
    "open_model",
]
