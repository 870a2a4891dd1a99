#!/bin/bash
# Ends a hung gateway, with a line in its log (loop-guard.ts). Arguments: the gateway's process id, and the seconds of a
# check. A line of the input is a sign of life: "allow", the silent checks that end the gateway, and the seconds to log.
# The guard counts checks instead of time, because a sleeping machine and a stopped terminal job pause both processes.

# Only the end of the gateway, which closes the input, ends the guard.
trap '' INT TERM HUP QUIT
silent=0 most=0 seconds=0
while :; do
  read -r -t "$2" word checks stalled
  case $? in
    0)
      silent=0
      # A check in the middle of a line leaves its rest.
      if [ "$word" = allow ]; then most=$checks seconds=$stalled; fi
      ;;
    1) exit ;;
    *)
      silent=$((silent + 1))
      # A person or a tracer stopped the gateway.
      case $(<"/proc/$1/stat") in *') T '* | *') t '*) silent=0 ;; esac
      if [ $silent -ge "$most" ]; then
        msg="The gateway has hung for $seconds s and is ended for a restart. Acknowledged changes are stored."
        echo "{\"level\":60,\"time\":\"$(date -u +%FT%T.000Z)\",\"msg\":\"$msg\"}" >&2
        # A milder signal does not end a process with a stalled main thread.
        kill -KILL "$1"
        exit
      fi
      ;;
  esac
done
