"""Side-by-side measurements: every comparison runs in one process, interleaved, and is stated as a ratio."""
