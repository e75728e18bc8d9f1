# Hooks of rolling_restart.sh for compose.yaml. A replica is a host:port of REPLICAS.

compose() {
    docker compose --file "$here/compose.yaml" "$@"
}

# Request a path of a replica from inside its container; prints the response.
ask() {
    compose exec --no-TTY "${1%:*}" python -c \
        "import urllib.request as u; print(u.urlopen('http://127.0.0.1:${1##*:}$2', timeout=4).read().decode())"
}

# Make the proxy send new visitors to all replicas except $1; with "" to all of them.
drain() {
    compose exec --no-TTY proxy sh -c 'rm -f /run/proxy/draining/*; [ -z "$1" ] || : >"/run/proxy/draining/$1"' sh "${1##*:}"
}

# Print the number of visitors of $1.
visitors() {
    ask "$1" "${BASE_PATH:-}/_stcore/metrics?families=active_sessions" | awk '/^active_sessions/ { print int($2) }'
}

restart() {
    compose up --detach --no-deps --force-recreate "${1%:*}"
}

is_healthy() {
    ask "$1" /healthz >/dev/null 2>&1
}
