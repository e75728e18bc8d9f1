#!/bin/sh
# Write the complete nginx configuration for the given replicas to a folder, which becomes nginx' prefix:
#
#     REPLICAS="app1:8501 app2:8502 app3:8503" nginx/render.sh /run/proxy
#     nginx -p /run/proxy -c /run/proxy/nginx.conf
#
# REPLICAS        host:port of each; ports must differ, since the port identifies the replica in the cookie
# SERVER_NAME     names of this site, localhost by default; every other name is refused
# LISTEN          [address:]port for browsers, 8080 by default
# TLS_CERTIFICATE, TLS_KEY
#                 files; with them HTTPS is served on TLS_LISTEN, 8443 by default, and LISTEN redirects there
# ATLAS_EMBED     not empty: other sites show this one in a frame, see docs/operating.md; the replicas need it too
# BASE_PATH       the path below which the app is served, such as /class/atlas; the replicas need it too, as
#                 STREAMLIT_SERVER_BASE_URL_PATH
# PUBLIC_PORT     the port in the address of an HTTPS page, 443 by default
#
# While a file draining/PORT is in the folder, that replica gets no new visitors; its present ones stay. One file at a
# time; rolling_restart.sh uses it. nginx checks it at each request, so no reload is needed.
set -eu

folder=${1:?"usage: REPLICAS=\"host:port ...\" $0 FOLDER"}
: "${REPLICAS:?"name them: REPLICAS=\"host:port host:port\""}"
: "${SERVER_NAME:=localhost}" "${LISTEN:=8080}"
: "${TLS_CERTIFICATE:=}" "${TLS_KEY:=}" "${TLS_LISTEN:=8443}" "${PUBLIC_PORT:=443}" "${ATLAS_EMBED:=}" "${BASE_PATH:=}"
here=$(cd "$(dirname "$0")" && pwd)

fail() {
    echo "render.sh: $1" >&2
    exit 2
}

# New visitors are not sent to a replica that has just failed. Visitors with a cookie are: nginx ends the exclusion only
# when a request that it let through has ended, and a socket ends late, so one visitor's requests would go to different
# replicas. Their first response from another replica changes their cookie anyway.
left_out="max_fails=1 fail_timeout=5s"
always="max_fails=0"

# group NAME OPTIONS FIRST...: a group of all replicas, in which those not in FIRST are backups
group() {
    name=$1
    options=$2
    shift 2
    echo "upstream $name {"
    echo "    zone $name 64k;"
    for replica in "$@"; do
        echo "    server $replica $options;"
    done
    for replica in $REPLICAS; do
        case " $* " in *" $replica "*) ;; *) echo "    server $replica $options backup;" ;; esac
    done
    echo "}"
}

but() {
    for other in $REPLICAS; do
        [ "$other" = "$1" ] || printf '%s ' "$other"
    done
}

# The upstream groups, and the map from a visitor's cookie to a group.
replicas() {
    echo "# Written by render.sh."
    lax="Path=/; HttpOnly; SameSite=Lax"
    echo 'map $scheme $cookie_flags {'
    if [ -n "$ATLAS_EMBED" ]; then # in a frame of another site a browser sends no other cookies
        echo '    default  "Path=/; HttpOnly; SameSite=None; Secure; Partitioned";'
    else
        echo "    default  \"$lax\";"
        echo "    https    \"$lax; Secure\";"
    fi
    echo '}'
    echo "upstream compressor {"
    echo "    server unix:$folder/compressor.sock;"
    echo "}"
    # least_conn would not balance: sockets are opened in the groups of single replicas.
    group in_turn "$left_out" $REPLICAS
    for one in $REPLICAS; do
        group "replica_${one##*:}" "$always" "$one"
        [ "$one" = "$REPLICAS" ] || group "in_turn_but_${one##*:}" "$left_out" $(but "$one")
    done
    echo 'map $draining $new_visitors {'
    echo "    default in_turn;"
    for one in $REPLICAS; do
        [ "$one" = "$REPLICAS" ] || echo "    ${one##*:} in_turn_but_${one##*:};"
    done
    echo "}"
    echo 'map $cookie_atlas_replica $group {'
    echo '    default $new_visitors;'
    for one in $REPLICAS; do
        echo "    ${one##*:} replica_${one##*:};"
    done
    echo "}"
}

check_draining() {
    echo '    set $draining "";'
    for one in $REPLICAS; do
        echo "    if (-f $folder/draining/${one##*:}) { set \$draining ${one##*:}; }"
    done
}

# $1: what to listen to; $2: the TLS lines or nothing
servers() {
    echo "server {  # any other host name"
    echo "    listen $1 default_server;"
    printf '%s' "$2"
    echo "    include headers.conf;"
    echo "    return 421;"
    echo "}"
    echo "server {"
    echo "    listen $1;"
    echo "    server_name $SERVER_NAME;"
    printf '%s' "$2"
    check_draining
    echo "    include locations.conf;"
    echo "}"
}

site() {
    echo "# Written by render.sh."
    echo "server {  # compresses what the other one caches"
    echo "    listen unix:$folder/compressor.sock;"
    echo "    access_log off;"
    check_draining
    echo "    location / {"
    echo '        proxy_pass http://$group;'
    echo "    }"
    echo "}"
    if [ -z "$TLS_CERTIFICATE" ]; then
        servers "$LISTEN" ""
        return
    fi
    port=
    [ "$PUBLIC_PORT" = 443 ] || port=":$PUBLIC_PORT"
    echo "server {"
    echo "    listen $LISTEN default_server;"
    echo "    server_name $SERVER_NAME;"
    echo "    include headers.conf;"
    echo "    return 308 https://\$server_name$port\$request_uri;"
    echo "}"
    servers "$TLS_LISTEN ssl http2" "    ssl_certificate $TLS_CERTIFICATE;
    ssl_certificate_key $TLS_KEY;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_session_cache shared:tls:4m;
    ssl_session_tickets off;
    proxy_cookie_flags ~ secure;
"
}

ports=" "
for one in $REPLICAS; do
    port=${one##*:}
    case $port in "" | *[!0-9]*) fail "$one is not host:port" ;; esac
    case $ports in *" $port "*) fail "two replicas have port $port; give each its own" ;; esac
    ports="$ports$port "
done
[ "$ports" != " " ] || fail "REPLICAS is empty"

mkdir -p "$folder/temporary" "$folder/cache" "$folder/draining"
folder=$(cd "$folder" && pwd)
[ -z "$BASE_PATH" ] || printf '%s' "$BASE_PATH" | grep -Eq '^(/[A-Za-z0-9._-]+)+$' ||
    fail "BASE_PATH $BASE_PATH is not a path like /class/atlas"
cp "$here/headers.conf" "$folder"
sed "s#^\( *\(~^\)\{0,1\}\)/\(_stcore\|static\|media\)/#\1$BASE_PATH/\3/#" "$here/nginx.conf" >"$folder/nginx.conf"
sed "s#^\(location [=^~ ]*\)/#\1$BASE_PATH/#" "$here/locations.conf" >"$folder/locations.conf"
[ -z "$BASE_PATH" ] || cat >>"$folder/locations.conf" <<END

location = $BASE_PATH {
    absolute_redirect off;  # the port that browsers use may be another one
    return 308 $BASE_PATH/\$is_args\$args;
}

location / {
    return 404;
}
END
replicas >"$folder/replicas.conf"
site >"$folder/site.conf"
