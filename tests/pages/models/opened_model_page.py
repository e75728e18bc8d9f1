"""Read the content of the page of an opened model."""

from __future__ import annotations

import numpy as np

from tests.pages.kinds import chosen_options, maps_by_kind


def page_text(app) -> str:
    return "\n".join(str(e.value) for e in (*app.markdown, *app.caption, *app.info, *app.warning, *app.html))


def open_maps(app) -> tuple[dict, np.ndarray]:
    """Header and weights of the kind that is open."""
    maps = maps_by_kind(app)
    return maps[chosen_options(app).get("kind", next(iter(maps)))]
