"""Draw the samples: `python -m views.samples`."""

from __future__ import annotations

from views.samples import SAMPLES
from views.samples.drawing import jpeg

for sample in SAMPLES:
    content = jpeg(sample.name)
    sample.path.write_bytes(content)
    print(f"{sample.path.name}: {len(content):,} bytes")
