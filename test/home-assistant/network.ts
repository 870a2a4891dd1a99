// A network for the tests alone, in a namespace of the machine. Announcements stay inside, and no other device is
// found.

import { spawnSync } from 'node:child_process'

const MADE = [
  'ip link set lo up',
  'ip link add home0 type veth peer name home1',
  'ip address add 10.77.0.1/24 dev home0',
  'ip link set home0 up',
  'ip link set home1 up',
  'ip route add default dev home0',
].join(' && ')
const APART = ['--map-root-user', '--net', '--fork', '--kill-child']

/** True if multicast works there, which some containers prevent. */
const HEARS = `
const socket = require('node:dgram').createSocket({ type: 'udp4', reuseAddr: true })
socket.on('message', () => process.exit(0))
socket.bind(5353, () => {
  socket.addMembership('224.0.0.251', '10.77.0.1')
  socket.setMulticastInterface('10.77.0.1')
  socket.send('heard?', 5353, '224.0.0.251')
})
setTimeout(() => process.exit(1), 5_000)`

/** Command prefix to run a program there; null if this machine allows no namespace. */
export function inNetwork(): readonly string[] | null {
  const command = ['unshare', ...APART, 'sh', '-c', `${MADE} && exec "$@"`, 'sh']
  const [program = '', ...args] = command
  return spawnSync(program, [...args, process.execPath, '-e', HEARS]).status === 0 ? command : null
}
