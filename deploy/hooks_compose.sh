# What rolling_restart.sh needs to be able to do, for compose.yaml. A replica is a host:port of REPLICAS.

compose() {
    docker compose --file "$here/compose.yaml" "$@"
}

# Ask a replica for a path from inside its container; prints the answer.
ask() {
    compose exec --no-TTY "${1%:*}" python -c \
        "import urllib.request as u; print(u.urlopen('http://127.0.0.1:${1##*:}$2', timeout=4).read().decode())"
}

# Let the proxy send new visitors to other replicas than $1; with "" to all of them.
drain() {
    compose exec --no-TTY proxy sh -c 'rm -f /run/proxy/draining/*; [ -z "$1" ] || : >"/run/proxy/draining/$1"' sh "${1##*:}"
}

# How many visitors $1 has.
visitors() {
    ask "$1" "/_stcore/metrics?families=active_sessions" | awk '/^active_sessions/ { print int($2) }'
}

restart() {
    compose up --detach --no-deps --force-recreate "${1%:*}"
}

is_healthy() {
    ask "$1" /healthz >/dev/null 2>&1
}
