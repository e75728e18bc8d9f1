from PIL import Image

from model import Logit, Probability, VisionClassifier

picture = "assets/samples/church.jpg"  # yours
explained = "church"  # yours
noisy = [90, 91, 104, 105]  # yours
measured = "probability"  # yours
samples = 10  # yours
seed = 0  # yours

classifier = VisionClassifier.load(device="cpu")
trace = classifier.trace(Image.open(picture))
metric = {"probability": Probability, "logit": Logit}[measured](trace.classes.index(explained))
# At these positions, noise of three standard deviations is added to the embeddings, new for each sample; 0 is CLS.
options = {"metric": metric, "samples": samples, "seed": seed}
cls = classifier.patch_noise(trace, noisy, site="residual", positions=[0], **options)
heads = classifier.patch_noise(trace, noisy, site="head_output", **options)
shares, errors = (
    heads.restored,
    heads.standard_error.values,
)  # (layer, head); a share of 1 gives the value without noise
