// A network of the home that the tests have to themselves, in a namespace of the machine: what is announced there reaches
// nobody else, and nothing else is found.

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

/** Whether what is announced there is heard there, as it is not in every container. */
const HEARS = `
const socket = require('node:dgram').createSocket({ type: 'udp4', reuseAddr: true })
socket.on('message', () => process.exit(0))
socket.bind(5353, () => {
  socket.addMembership('224.0.0.251', '10.77.0.1')
  socket.setMulticastInterface('10.77.0.1')
  socket.send('heard?', 5353, '224.0.0.251')
})
setTimeout(() => process.exit(1), 5_000)`

/** What comes before a program and its arguments that are to run there, or null where this machine allows none. */
export function inNetwork(): readonly string[] | null {
  const command = ['unshare', ...APART, 'sh', '-c', `${MADE} && exec "$@"`, 'sh']
  const [program = '', ...args] = command
  return spawnSync(program, [...args, process.execPath, '-e', HEARS]).status === 0 ? command : null
}
