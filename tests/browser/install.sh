#!/bin/sh
# Make sure that a browser is there for tests and benchmarks: this machine's own, Debian's, or Playwright's.
# BIN is the folder of the virtual environment's programs.
set -eu
found() {
    for name in "${CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
        if [ -n "$name" ] && command -v "$name" >/dev/null 2>&1; then
            return 0
        fi
    done
    return 1
}
# the root user alone may install what the whole system uses
may_install() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; }

if found; then
    exit 0
fi
# elsewhere the package of this name is a shell around another kind of package
if may_install && grep -qx "ID=debian" /etc/os-release 2>/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq || true
    for package in chromium-headless-shell chromium; do # the first takes a tenth less time, and older releases lack it
        apt-get install --yes -qq --no-install-recommends "$package" || true
        if found; then
            exit 0
        fi
    done
fi
BIN="${BIN:-.venv/bin}"
set -- # Playwright's browser needs libraries of the system
if may_install; then
    set -- --with-deps
fi
if ! "$BIN/python" -m playwright install "$@" chromium-headless-shell; then
    echo "Install Chromium or Google Chrome, or name one in CHROMIUM: the tests run it. Playwright's own was not to be had." >&2
    exit 1
fi
