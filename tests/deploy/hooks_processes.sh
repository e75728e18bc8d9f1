# Hooks of rolling_restart.sh for tests, in which the replicas are plain processes.

ask() {
    "$PYTHON" -c "import urllib.request as u; print(u.urlopen('http://$1$2', timeout=4).read().decode())"
}

drain() {
    rm -f "$PROXY"/draining/*
    [ -z "$1" ] || : >"$PROXY/draining/${1##*:}"
}

visitors() {
    ask "$1" "${BASE_PATH:-}/_stcore/metrics?families=active_sessions" | awk '/^active_sessions/ { print int($2) }'
}

# The test that started the process restarts it: a file requests it, and is removed afterwards.
restart() {
    : >"$ORDERS/${1##*:}"
    while [ -e "$ORDERS/${1##*:}" ]; do sleep 0.1; done
}

is_healthy() {
    ask "$1" "$HEALTH" >/dev/null 2>&1
}
