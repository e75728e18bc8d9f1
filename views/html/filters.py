"""The principal components of a Vision Transformer's patch filters as small pictures in HTML."""

import numpy as np

from ..figures.overlay import data_url
from ..text import literal
from ..text.catalogue import say
from ..text.numbers import percent


def filters(components: np.ndarray, shares: np.ndarray) -> str:
    """Filters `(count, size, size, 3)` as pictures, grey where 0, each with the share of variance it explains."""
    largest = np.abs(components).max(axis=(1, 2, 3), keepdims=True)
    pictures = np.round(127.5 + 127.5 * components / largest).astype(np.uint8)
    items = "".join(
        f'<figure role="listitem"><img src="{data_url(picture)}" alt="{_filter(number)}">'
        f"<figcaption>{literal.html(percent(float(share)))}</figcaption></figure>"
        for number, (picture, share) in enumerate(zip(pictures, shares, strict=True), 1)
    )
    return f'<div class="aa-filters" role="list">{items}</div>'


def _filter(number: int) -> str:
    return literal.html(say("patch.filter", "filter {number}", number=number))
