import torch
from PIL import Image

from model import VisionClassifier

picture = "assets/samples/church.jpg"  # yours
row = 1  # yours
column = 1  # yours

classifier = VisionClassifier.load(device="cpu")
network, size = classifier.network, classifier.config.patch_size
pixels = torch.from_numpy(classifier.prepare(Image.open(picture))).permute(2, 0, 1)  # (3, height, width), from 0 to 1
red, green, blue = pixels[:, (row - 1) * size : row * size, (column - 1) * size : column * size].mean(dim=(1, 2))

cut = (pixels * 2 - 1).unfold(1, size, size).unfold(2, size, size)  # (3, row, column, y, x), from -1 to 1
vectors = cut.permute(1, 2, 0, 3, 4).flatten(2).flatten(0, 1)  # (patch, 3 * size * size)
place = (row - 1) * cut.shape[2] + column - 1
vector = vectors[place]
with torch.inference_mode():
    patches = vectors @ network.patch_embedding.weight.T + network.patch_embedding.bias  # (patch, d_model)
    sequence = torch.cat([network.class_embedding[None], patches]) + network.position_embedding
    filters = network.patch_embedding.weight - network.patch_embedding.weight.mean(dim=0)
    strengths = torch.linalg.svdvals(filters).square()
embedding = patches[place]
shares = strengths / strengths.sum()  # of the filters' variance, the principal components in order
