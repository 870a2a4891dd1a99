#!/usr/bin/env bash
# Moves a home to another data folder, for example on a new disk: a checked backup of the running gateway, restored into
# an empty folder. Keys, rules and the certificate authority move with it, so no program notices.
# move-home.sh OLD-FOLDER NEW-FOLDER
set -euo pipefail
hm=${BASH_SOURCE%/*}/../../bin/hm
backup=$(mktemp -d)/home.hmb

"$hm" --data-dir "$1" backup --to "$backup"
"$hm" --data-dir "$2" restore "$backup" --check
"$hm" --data-dir "$2" restore "$backup"
rm -r "${backup%/*}"
echo "Stop the old gateway, then start the new one: HM_DATA_DIR=$2 npm start"
