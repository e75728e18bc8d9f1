"""A share that was counted, with its 95 % interval."""

import math

NORMAL = 1.959964  # the middle 95 % of a normal distribution, in standard deviations


def wilson_interval(count: int, total: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson 1927): also sensible for counts of 0 and for few trials.

    Args:
        count: how often something occurred.
        total: how often it could have; of 0 trials every share is possible.
    """
    if not 0 <= count <= total:
        raise ValueError(f"{count} of {total} is no share.")
    if not total:
        return 0.0, 1.0
    share, spread = count / total, NORMAL**2 / total
    centre = (share + spread / 2) / (1 + spread)
    half = NORMAL * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, centre - half) if count else 0.0, min(1.0, centre + half) if count < total else 1.0
