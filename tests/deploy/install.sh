#!/bin/sh
# Make sure that nginx and openssl are installed for the tests of deploy/.
set -eu
PATH="$PATH:/usr/sbin"
if command -v nginx >/dev/null 2>&1 && command -v openssl >/dev/null 2>&1; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq
    # without starting nginx as a service
    RUNLEVEL=1 apt-get install --yes -qq --no-install-recommends nginx openssl
else
    echo "Install nginx and openssl: the tests of deploy/ run them." >&2
    exit 1
fi
