import math

import torch

from model import VisionClassifier

length = 32  # yours

with torch.inference_mode():
    table = VisionClassifier.load(device="cpu").network.position_embedding.double()  # (position, d_model)
vectors = table[:length]
matrix = vectors @ vectors.T / math.sqrt(vectors.shape[1])  # part of a score that comes from two position vectors alone
