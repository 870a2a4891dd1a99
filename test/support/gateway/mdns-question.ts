/**
 * Asks the multicast group for the IPv4 address of a name over the interface with the given address, and prints the
 * answer, without a cache. Arguments: NAME OWN_ADDRESS.
 */
import multicastDns from 'multicast-dns'

const [name = '', own = ''] = process.argv.slice(2)
const socket = multicastDns({ interface: own, bind: '0.0.0.0' })
const late = setTimeout(() => end('no answer'), 5000)
const ask = (): void => socket.query(name, 'A')
/** Responders do not send a record again within a second. */
const repeats = setInterval(ask, 1000)

function end(found: string): void {
  clearTimeout(late)
  clearInterval(repeats)
  socket.destroy(() => process.stdout.write(found))
}

socket.on('response', ({ answers }) => {
  const answer = answers.find((record) => record.type === 'A' && record.name === name)
  if (answer?.type === 'A') end(answer.data)
})
socket.on('ready', ask)
