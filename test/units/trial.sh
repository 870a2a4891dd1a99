#!/bin/bash
# Runs inside a booted system, as root: installs the units by the steps of docs/install.md and tries them. Each thing that
# holds is a line that begins with "ok"; the last line is "done".
set -eEu
STOP_MS_MAX=2000
HM="env HM_DATA_DIR=/var/lib/hm-gateway /opt/hm-gateway/bin/hm"

ok() { echo "ok   $*"; }
trap 'echo "FAILED: $BASH_COMMAND (line $LINENO)"; journalctl --no-pager -n 40 -u hm-gateway -u hm-relay' ERR

is() { [ "$(systemctl show -P "$2" "$1")" = "$3" ] || { echo "FAILED: $2 of $1 is $(systemctl show -P "$2" "$1"), not $3"; return 1; }; }

# Waits until a value is there: systemd tells nobody of it.
until_is() {
  for _ in $(seq 180); do
    [ "$(systemctl show -P "$2" "$1")" = "$3" ] && return 0
    sleep 1
  done
  is "$@"
}

stops() {
  local began ended
  began=$(date +%s%3N)
  systemctl stop "$1"
  ended=$(date +%s%3N)
  is "$1" ActiveState inactive && is "$1" Result success && is "$1" ExecMainStatus 0
  # A busy machine is slower: that is reported, and is no defect of the unit.
  if [ $((ended - began)) -lt $STOP_MS_MAX ]; then ok "$1 stops with 0 after $((ended - began)) ms"; else echo "slow $1 stops with 0, but after $((ended - began)) ms"; fi
}

cd /opt/hm-gateway
cp deploy/hm-gateway.service deploy/hm-relay.service /etc/systemd/system/
systemctl daemon-reload

systemctl enable --now hm-gateway 2>/dev/null
is hm-gateway StatusText "Serving on port 8490"
HM_DATA_DIR=/var/lib/hm-gateway node scripts/healthcheck.mjs
$HM status | grep -q 'Sonnenwinkel has been up'
$HM console | grep -q 'https://localhost:8490/console/#'
ok "the gateway serves when systemctl start returns, and hm reaches it"

pid=$(systemctl show -P MainPID hm-gateway)
[ "$(stat -c %U /proc/"$pid")" = hm-gateway ]
grep -q 'NoNewPrivs:.1' /proc/"$pid"/status
for set in CapPrm CapEff CapBnd; do grep -q "$set:.0000000000000000" /proc/"$pid"/status; done
[ "$(stat -c '%a %U' /var/lib/private/hm-gateway)" = "700 hm-gateway" ]
! nsenter --target "$pid" --mount touch /opt/hm-gateway/written 2>/dev/null
ok "it is a user of its own without capabilities, and its data folder is closed to others"

kill -9 "$pid"
until_is hm-gateway NRestarts 1
until_is hm-gateway ActiveState active
HM_DATA_DIR=/var/lib/hm-gateway node scripts/healthcheck.mjs
ok "killed, it is started anew"

kill -STOP "$(systemctl show -P MainPID hm-gateway)"
until_is hm-gateway NRestarts 2
until_is hm-gateway ActiveState active
journalctl --no-pager -u hm-gateway | grep -q 'Watchdog timeout'
ok "hanging, it is ended by the watchdog and started anew"

# Backups in a folder of their own, as docs/install.md says.
stops hm-gateway
useradd --system hm-gateway 2>/dev/null
install -d -o hm-gateway -m 0700 /srv/backup
mkdir -p /etc/systemd/system/hm-gateway.service.d
printf '[Service]\nReadWritePaths=/srv/backup\n' >/etc/systemd/system/hm-gateway.service.d/override.conf
echo HM_BACKUP_DIR=/srv/backup >/etc/hm-gateway.env
systemctl daemon-reload
systemctl start hm-gateway
$HM backup settings --encrypt off >/dev/null
$HM backup >/dev/null
ls /srv/backup/*.hmb >/dev/null
ok "backups go to a folder that the unit was given, and the home goes on as a user that stays"

# Restores by the steps of docs/backup.md: stopped, by the service's user; on a new disk, by root; and while it runs.
backup=$(ls /srv/backup/*.hmb)
ca=$(sha256sum </var/lib/hm-gateway/tls/ca.pem)
as_service() {
  systemd-run --quiet --pipe --wait --collect -p DynamicUser=yes -p User=hm-gateway -p StateDirectory=hm-gateway \
    -E HM_DATA_DIR=/var/lib/hm-gateway /opt/hm-gateway/bin/hm "$@"
}
is_restored() {
  HM_DATA_DIR=/var/lib/hm-gateway node scripts/healthcheck.mjs
  [ "$(sha256sum </var/lib/hm-gateway/tls/ca.pem)" = "$ca" ]
  [ -z "$(find /var/lib/private/hm-gateway/ ! -user hm-gateway)" ]
  $HM status | grep -q 'restored from'
  $HM acknowledge >/dev/null
}
stops hm-gateway
! $HM restore "$backup" 2>/tmp/output
grep -q 'belongs to the user' /tmp/output
rm -rf /var/lib/private/hm-gateway/*
as_service restore "$backup" --check | grep -q '^It holds: Sonnenwinkel'
as_service restore "$backup" | grep -q 'Start the gateway'
systemctl start hm-gateway
is_restored
ok "stopped, a home is restored by the service's user, not by root, and starts with the same CA"

stops hm-gateway
rm -rf /var/lib/private/hm-gateway /var/lib/hm-gateway
$HM restore "$backup" | grep -q 'Start the gateway'
systemctl start hm-gateway
is_restored
ok "on a new disk root restores it, and systemd hands the folder over"

$HM restore "$backup" | grep -q 'restarts with it now'
for _ in $(seq 60); do
  $HM status 2>/dev/null | grep -q 'restored from' && break
  sleep 1
done
is_restored
ok "running, it restores itself and restarts"

echo HM_RELAY_URL=https://localhost:8443 >/etc/hm-relay.env
systemctl enable --now hm-relay 2>/dev/null
for _ in $(seq 60); do
  HM_RELAY_URL=https://localhost:8443 HM_RELAY_DATA_DIR=/var/lib/hm-relay node scripts/healthcheck.mjs relay 2>/dev/null && break
  sleep 1
done
HM_RELAY_URL=https://localhost:8443 HM_RELAY_DATA_DIR=/var/lib/hm-relay node scripts/healthcheck.mjs relay
ok "the relay serves beside it"
stops hm-relay
stops hm-gateway

# systemd before 254 does not know these two settings; the units work without them.
problems=$(systemd-analyze verify --man=no deploy/hm-gateway.service deploy/hm-relay.service 2>&1 | grep -v 'RestartSteps\|RestartMaxDelaySec' | grep 'hm-' || true)
[ -z "$problems" ] || { echo "FAILED: systemd-analyze verify: $problems"; false; }
ok "systemd-analyze verify finds nothing wrong with the units"

# The exposure levels of docs/install.md.
is_closed() {
  local level
  level=$(systemd-analyze --no-pager security "$1" | sed -n 's/.*Overall exposure level for .*: \([0-9.]*\).*/\1/p')
  awk -v level="$level" -v most="$2" 'BEGIN { exit !(level != "" && level + 0 <= most + 0) }' || { echo "FAILED: systemd-analyze security of $1 is '$level', more than $2"; return 1; }
  ok "systemd-analyze security of $1: $level"
}
is_closed hm-gateway 1.7
is_closed hm-relay 1.3
echo done
