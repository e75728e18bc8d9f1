import torch

length = 7  # yours

heads, d_k = 8, 12
random = torch.Generator().manual_seed(0)
embedded, table = torch.randn(2, length, heads * d_k, generator=random)  # tokens; learned positions
projections = torch.randn(2, heads * d_k, heads * d_k, generator=random) / 10  # of queries and of keys
slopes = 0.5 ** torch.arange(1, heads + 1)[:, None, None]  # one for each head


def turns(place: torch.Tensor, width: int) -> torch.Tensor:  # (position, pair)
    angles = place[:, None] / 10000 ** (torch.arange(0, width, 2).double() / width)
    return torch.polar(torch.ones_like(angles), angles).to(torch.complex64)


def attention(kind: str, place: torch.Tensor) -> torch.Tensor:  # (head, query, key)
    waves = torch.view_as_real(turns(place, heads * d_k)).flip(-1).flatten(1)  # sine and cosine of each pair
    added = embedded + {"sinusoidal": waves, "learned": table[place]}.get(kind, 0)
    both = (added @ projections).unflatten(-1, (heads, d_k)).transpose(1, 2)
    if kind == "rotary":
        pairs = torch.view_as_complex(both.unflatten(-1, (-1, 2)).contiguous())
        both = torch.view_as_real(pairs * turns(place, d_k)).flatten(-2)
    bias = -slopes * (place - place[:, None]).abs() if kind == "alibi" else 0
    return (both[0] @ both[1].mT / d_k**0.5 + bias).softmax(dim=-1)


place, shuffled = torch.arange(length), torch.randperm(length, generator=random)
kinds = ("sinusoidal", "learned", "rotary", "alibi", "none")
weights = {kind: attention(kind, place) for kind in kinds}
change = {kind: (attention(kind, shuffled) - weights[kind]).abs().max() for kind in kinds}
