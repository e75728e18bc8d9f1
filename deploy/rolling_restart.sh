#!/bin/sh
# Restart the replicas one after the other; no request is dropped.
#
#     deploy/rolling_restart.sh                                    those of compose.yaml, with the images as they now are
#     HOOKS=my_hooks.sh REPLICAS="a:8501 b:8502" deploy/rolling_restart.sh    others, see hooks_compose.sh
#     BASE_PATH=/class/atlas deploy/rolling_restart.sh             those of an app below that path
#
# For each replica: new visitors go to the others; after DRAIN_SECONDS (30), or as soon as it has no visitors, it is
# restarted, and its visitors' browsers reconnect to another one; the next follows once its health route answers.
# Aborts when a replica is not healthy within START_SECONDS (120); the others go on serving.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
: "${REPLICAS:=app1:8501 app2:8502 app3:8503}" "${DRAIN_SECONDS:=30}" "${START_SECONDS:=120}"
FORGET_SECONDS=6  # nginx skips a failed replica for fail_timeout, 5 s
. "${HOOKS:-$here/hooks_compose.sh}"

# until_or SECONDS COMMAND...: run the command about twice a second until it succeeds; fails after the seconds
until_or() {
    deadline=$(($(date +%s) + $1))
    shift
    until "$@"; do
        [ "$(date +%s)" -lt "$deadline" ] || return 1
        sleep 0.5
    done
}

is_empty() {
    [ "$(visitors "$1")" = 0 ]
}

for replica in $REPLICAS; do
    others=$(for other in $REPLICAS; do [ "$other" = "$replica" ] || echo "$other"; done)
    for other in $others; do
        is_healthy "$other" || { echo "$other is not healthy: nothing restarted" >&2; exit 1; }
    done
    echo "$replica: draining"
    drain "$replica"
    until_or "$DRAIN_SECONDS" is_empty "$replica" || echo "$replica: visitors are left, they will be moved"
    restart "$replica"
    until_or "$START_SECONDS" is_healthy "$replica" || {
        echo "$replica is not healthy after $START_SECONDS s; it gets no new visitors" >&2
        exit 1
    }
    sleep "$FORGET_SECONDS"
    drain ""
    echo "$replica: restarted"
done
