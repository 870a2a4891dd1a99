# Starts the program during the build of the image: `gateway` or `relay` must answer and then stop on a signal.
set -eu
SECONDS_MAX=120
export HM_DATA_DIR=/tmp/first-start HM_RELAY_DATA_DIR=/tmp/first-start HM_LOG_LEVEL=warn

answers() {
  for _ in $(seq $SECONDS_MAX); do
    node scripts/healthcheck.mjs "$1" 2>/dev/null && return 0
    kill -0 "$2" || return 1
    sleep 1
  done
  node scripts/healthcheck.mjs "$1"
}

if [ "$1" = relay ]; then hm-relay >/dev/null &
else node --disable-warning=ExperimentalWarning built/gateway.mjs >/dev/null &
fi
answers "$1" $!
if [ "$1" = gateway ]; then hm status >/dev/null; fi
kill -TERM $! && wait $!

rm -r /tmp/first-start
test -n "$(ls "$NODE_COMPILE_CACHE")"
