"""Draw the samples: `python -m tools.samples`."""

from __future__ import annotations

from tools.samples.drawing import jpeg
from views.controls.samples import SAMPLES

for sample in SAMPLES:
    content = jpeg(sample.id)
    sample.path.write_bytes(content)
    print(f"{sample.path.name}: {len(content):,} bytes")
