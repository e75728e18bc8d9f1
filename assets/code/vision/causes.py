from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
explained = "church"  # yours

classifier = VisionClassifier.load(device="cpu")
trace = classifier.trace(Image.open(picture))
index = trace.classes.index(explained)
lens = classifier.logit_lens(trace, right=index)
probabilities = lens.probabilities  # (layer, position): of this class; layer 0 is the embedded input, position 0 is CLS
attribution = classifier.logit_attribution(trace, index)
heads, total = attribution.heads["vision"], attribution.total  # (layer, head), and the sum of all parts: the logit
