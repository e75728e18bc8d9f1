import torch

tokens = ("a", "b", "c")  # yours

reads = ("<s>", *tokens)  # what the decoder is fed in training: the target, shifted right by one
expected = (*tokens, "</s>")
allowed = torch.ones(len(reads), len(reads), dtype=torch.bool).tril()  # (query, key): no key after the query
seen = tuple(tuple(token for token, is_open in zip(reads, row, strict=True) if is_open) for row in allowed)
