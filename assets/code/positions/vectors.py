import torch

vectors = ((2.0, 1.0), (-1.0, 2.0))  # yours
point = (3.0, 4.0)  # yours

matrix = torch.tensor(vectors, dtype=torch.float64).T  # a vector a column
p = torch.tensor(point, dtype=torch.float64)
determinant = torch.linalg.det(matrix)  # area or volume, with its sign
rank = int(torch.linalg.matrix_rank(matrix))  # dimensions of the column space
u, sizes, _ = torch.linalg.svd(matrix)
nearest = u[:, :rank] @ (u[:, :rank].T @ p)  # of all combinations of the vectors
distance = (p - nearest).norm()
# of a basis: p = matrix @ coordinates
coordinates = torch.linalg.solve(matrix, p) if rank == len(vectors) else None
