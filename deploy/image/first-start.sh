# One start of the gateway and one of the relay while the image is built: each has to answer, and to end as it is told.
set -eu
SECONDS_MAX=120
export HM_DATA_DIR=/tmp/first-start/gateway HM_RELAY_DATA_DIR=/tmp/first-start/relay HM_LOG_LEVEL=warn
mkdir /tmp/first-start

answers() {
  for _ in $(seq $SECONDS_MAX); do
    node scripts/healthcheck.mjs "$1" 2>/dev/null && return 0
    kill -0 "$2" || return 1
    sleep 1
  done
  node scripts/healthcheck.mjs "$1"
}

node --disable-warning=ExperimentalWarning built/gateway.mjs >/dev/null &
answers gateway $!
hm status >/dev/null
kill -TERM $! && wait $!

hm-relay >/dev/null &
answers relay $!
kill -TERM $! && wait $!

rm -r /tmp/first-start
test -n "$(ls "$NODE_COMPILE_CACHE")"
