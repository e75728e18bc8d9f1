"""Everything that computes: the networks, the tracing and the training. PyTorch only, no user interface.

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

from model.classifier import VisionClassifier, VisionTrace
from model.convolution_classifier import ConvolutionClassifier, ConvolutionTrace
from model.decoding.search import DecodingOptions
from model.hub.errors import OpenError
from model.hub.trace import HubTrace
from model.networks.config import TransformerConfig
from model.networks.recurrent_trace import RecurrentTrace
from model.open_model import open_model
from model.recurrent_translator import RecurrentTranslator
from model.runtime.checkpoint import CheckpointError
from model.tracing.gate_interventions import GateInterventions
from model.tracing.head_interventions import InterventionError
from model.tracing.interventions import HeadInterventions
from model.tracing.trace import Candidate, Trace, Verification
from model.translator import InputError, Step, Translator

__all__ = [
    "Candidate",
    "CheckpointError",
    "ConvolutionClassifier",
    "ConvolutionTrace",
    "DecodingOptions",
    "GateInterventions",
    "HubTrace",
    "InputError",
    "InterventionError",
    "HeadInterventions",
    "OpenError",
    "RecurrentTrace",
    "RecurrentTranslator",
    "Step",
    "Trace",
    "TransformerConfig",
    "Translator",
    "Verification",
    "VisionClassifier",
    "VisionTrace",
    "open_model",
]
