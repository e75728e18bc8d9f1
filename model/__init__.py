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
"""

from model.classifier import VisionClassifier, VisionTrace
from model.decoding.search import DecodingOptions
from model.networks.config import TransformerConfig
from model.networks.recurrent_trace import RecurrentTrace
from model.recurrent_translator import RecurrentTranslator
from model.runtime.checkpoint import CheckpointError
from model.tracing.gate_interventions import GateInterventions
from model.tracing.head_interventions import InterventionError
from model.tracing.interventions import HeadInterventions
from model.tracing.trace import Candidate, Trace
from model.tracing.verify import Verification
from model.translator import InputError, Step, Translator

__all__ = [
    "Candidate",
    "CheckpointError",
    "DecodingOptions",
    "GateInterventions",
    "InputError",
    "InterventionError",
    "HeadInterventions",
    "RecurrentTrace",
    "RecurrentTranslator",
    "Step",
    "Trace",
    "TransformerConfig",
    "Translator",
    "Verification",
    "VisionClassifier",
    "VisionTrace",
]
