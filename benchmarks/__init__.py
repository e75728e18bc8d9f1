"""Side-by-side measurements: every comparison runs in one process, in turns, and is stated as a ratio."""
