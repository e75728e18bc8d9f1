#!/bin/sh
# Make sure that a browser is there for tests and benchmarks: one of this machine's own, or Playwright's.
# BIN is the folder of the virtual environment's programs.
set -eu
for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
        exit 0
    fi
done
BIN="${BIN:-.venv/bin}"
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # Playwright's browser needs system libraries, which only root can install.
    "$BIN/python" -m playwright install --with-deps chromium-headless-shell
else
    "$BIN/python" -m playwright install chromium-headless-shell
fi
