import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours

classifier = VisionClassifier.load(device="cpu")
trace, norm, head = classifier.trace(Image.open(picture)), classifier.network.norm, classifier.network.head
before = torch.from_numpy(trace.stream[-1, 0]).double()  # (d_model,), CLS after the last layer
after = (before - before.mean()) / (before.var(correction=0) + norm.eps).sqrt() * norm.weight + norm.bias
logits = head.weight.double() @ after + head.bias  # (class,)
powers = (logits - logits.max()).exp()
probabilities = powers / powers.sum()
index = int(probabilities.argmax())
name = classifier.config.classes[index]
