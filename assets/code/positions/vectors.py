import torch

vectors = ((2.0, 1.0), (-1.0, 2.0))  # yours
point = (3.0, 4.0)  # yours

matrix = torch.tensor(vectors, dtype=torch.float64).T  # a vector a column
p = torch.tensor(point, dtype=torch.float64)
square = matrix if len(vectors) == len(point) else matrix.T @ matrix  # two vectors in space have an area, but no volume
determinant = torch.linalg.det(square) if square is matrix else torch.linalg.det(square).clamp(min=0).sqrt()
rank = int(torch.linalg.matrix_rank(matrix))  # dimensions of the column space
u, sizes, _ = torch.linalg.svd(matrix)
nearest = u[:, :rank] @ (u[:, :rank].T @ p)  # of all combinations of the vectors
distance = (p - nearest).norm()
# of independent vectors whose span contains p: p = matrix @ coordinates
reached = rank == len(vectors) and distance < 1e-3
coordinates = torch.linalg.lstsq(matrix, p[:, None]).solution[:, 0] if reached else None
