"""What stands on the page of an opened model, read back."""

from __future__ import annotations

import numpy as np

from tests.pages.kinds import chosen, kinds


def said(app) -> str:
    return "\n".join(str(e.value) for e in (*app.markdown, *app.caption, *app.info, *app.warning, *app.html))


def sheet(app) -> tuple[dict, np.ndarray]:
    """Header and weights of the kind that is open."""
    found = kinds(app)
    return found[chosen(app).get("kind", next(iter(found)))]
