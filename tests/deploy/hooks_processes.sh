# For tests: what rolling_restart.sh needs to be able to do, where the replicas are plain processes.

ask() {
    "$PYTHON" -c "import urllib.request as u; print(u.urlopen('http://$1$2', timeout=4).read().decode())"
}

drain() {
    rm -f "$PROXY"/draining/*
    [ -z "$1" ] || : >"$PROXY/draining/${1##*:}"
}

visitors() {
    ask "$1" "/_stcore/metrics?families=active_sessions" | awk '/^active_sessions/ { print int($2) }'
}

# The test that started the process does it: a file asks for it, and is gone when it is done.
restart() {
    : >"$ORDERS/${1##*:}"
    while [ -e "$ORDERS/${1##*:}" ]; do sleep 0.1; done
}

is_healthy() {
    ask "$1" "$HEALTH" >/dev/null 2>&1
}
