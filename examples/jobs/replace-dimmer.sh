#!/usr/bin/env bash
# Puts another unit behind the id of a dimmer. First shows every scene and rule that the new unit cannot follow, with a
# proposal for each; then makes the change after a yes.
# replace-dimmer.sh ID ADDRESS, on the gateway's machine
set -euo pipefail
hm=${BASH_SOURCE%/*}/../../bin/hm

"$hm" house replace "$1" "$2" --dry-run
read -r -p "Replace $1? [y/N] " answer
[[ $answer == y ]] && "$hm" house replace "$1" "$2" --yes
