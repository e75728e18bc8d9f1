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

from .causal.causal_error import CausalError
from .causal.metrics import Logit, LogitDifference, Probability, TargetLoss
from .classifier import VisionClassifier, VisionTrace
from .convolution_classifier import ConvolutionClassifier, ConvolutionTrace
from .decoding.search import DecodingOptions
from .hub.errors import OpenError
from .hub.hub_trace import HubTrace
from .networks.config import TransformerConfig
from .networks.recurrent_trace import RecurrentTrace
from .open_model import open_model
from .recurrent_translator import RecurrentTranslator
from .runtime.checkpoint import CheckpointError
from .tracing.gate_interventions import GateInterventions
from .tracing.head_interventions import InterventionError
from .tracing.interventions import HeadInterventions
from .tracing.trace import Candidate, Trace, Verification
from .translator import InputError, Step, Translator

__all__ = [
    "Candidate",
    "CausalError",
    "CheckpointError",
    "ConvolutionClassifier",
    "ConvolutionTrace",
    "DecodingOptions",
    "GateInterventions",
    "HubTrace",
    "InputError",
    "InterventionError",
    "HeadInterventions",
    "Logit",
    "LogitDifference",
    "OpenError",
    "Probability",
    "RecurrentTrace",
    "RecurrentTranslator",
    "Step",
    "TargetLoss",
    "Trace",
    "TransformerConfig",
    "Translator",
    "Verification",
    "VisionClassifier",
    "VisionTrace",
    "open_model",
]
