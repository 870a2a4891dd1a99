#!/bin/bash
# A home network of two machines inside network namespaces: this shell is the gateway's, avahi runs on the client's.
# To be run as root by: unshare --net --mount --pid --fork --kill-child --mount-proc bash discovery-lab.sh PROGRAM ARGUMENT...
# The program finds in $CLIENT what to put before a command that is to run on the client's machine.
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mkdir -p /run/dbus /run/avahi-daemon
ip link set lo up

unshare --net sleep 120 &
client=$!
daemons=$client
trap 'kill $daemons 2>/dev/null' EXIT
while [ "$(readlink "/proc/$client/ns/net")" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done

export CLIENT="nsenter -t $client -n"
# The client keeps its interface, a bridge, while the gateway's cable is pulled out.
# The argument is the number that the gateway's interface gets.
plug() {
  ip link add home0 ${1:+index $1} type veth peer name port0
  ip link set port0 netns "$client"
  $CLIENT ip link set port0 master client0
  $CLIENT ip link set port0 up
  ip address add 10.77.0.1/24 dev home0
  ip address add fd77::1/64 dev home0 nodad
  ip link set home0 up
}
export -f plug
export client
$CLIENT ip link add client0 type bridge
$CLIENT ip link set lo up
plug
$CLIENT ip address add 10.77.0.2/24 dev client0
$CLIENT ip address add fd77::2/64 dev client0 nodad
$CLIENT ip link set client0 up

cat > /run/dbus.conf <<'CONFIG'
<busconfig><type>system</type><listen>unix:path=/run/dbus/bus</listen><auth>EXTERNAL</auth><policy context="default">
<allow user="*"/><allow own="*"/><allow send_destination="*"/><allow send_type="signal"/><allow receive_type="method_call"/>
<allow receive_type="signal"/><allow send_requested_reply="true"/><allow receive_requested_reply="true"/></policy></busconfig>
CONFIG
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=/run/dbus/bus
dbus-daemon --config-file=/run/dbus.conf --nofork --nopidfile 2>/dev/null &
daemons="$daemons $!"
while [ ! -S /run/dbus/bus ]; do sleep 0.01; done
printf '[server]\nhost-name=client\nuse-ipv4=yes\nuse-ipv6=no\n' > /run/avahi.conf
$CLIENT avahi-daemon -f /run/avahi.conf --no-drop-root --no-chroot --no-rlimits --syslog &
daemons="$daemons $!"
while [ ! -S /run/avahi-daemon/socket ]; do sleep 0.01; done

"$@"
