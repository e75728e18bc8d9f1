#!/bin/sh
# Install Debian's Firefox and WebKitGTK with its driver for tests/browser/test_other_browsers.py, where that can be done: by
# the root user on Debian. Elsewhere, or without a network, the test is skipped with the reason.
set -eu
if command -v firefox-esr >/dev/null 2>&1 && command -v WebKitWebDriver >/dev/null 2>&1 && command -v Xvfb >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && grep -qx "ID=debian" /etc/os-release 2>/dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq || true
    for package in firefox-esr webkit2gtk-driver xvfb; do
        apt-get install --yes -qq --no-install-recommends "$package" || true
    done
fi
