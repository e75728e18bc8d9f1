"""TransformerLens on a GPT-2 checkpoint, run by the Python of its own environment: `lens_peer.py FOLDER THREADS`.

It first writes the logits of the ids that it reads (a line of JSON) as another line, then, for each further line, runs
once with a cache of everything and writes the milliseconds that took.
"""

from __future__ import annotations

import json
import sys
import time

import torch
from transformer_lens.model_bridge import TransformerBridge


@torch.inference_mode()
def main(folder: str, threads: str) -> None:
    """Answer each line of the input."""
    answers, sys.stdout = sys.stdout, sys.stderr  # the library's output must not be mixed with the answers
    torch.set_num_threads(int(threads))
    model = TransformerBridge.boot_transformers(folder, device="cpu")  # raw weights: nothing folded, nothing centred
    ids = torch.tensor([json.loads(sys.stdin.readline())])
    print(json.dumps(model(ids)[0, -1].tolist()), file=answers, flush=True)
    for _ in sys.stdin:
        started = time.perf_counter()
        model.run_with_cache(ids)
        print(1000 * (time.perf_counter() - started), file=answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
