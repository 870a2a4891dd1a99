import { once } from 'node:events'
import { connect, type TLSSocket } from 'node:tls'
import { expect, onTestFinished } from 'vitest'
import { END_TO_END_PROOF_MS, STREAMS_END_TO_END_UNPROVED_MAX } from '../../src/wire/tunnel.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { HttpCaller, TestSocket } from '#support/gateway/callers.ts'
import { proves } from '#support/gateway/verifies.ts'
import { endToEnd, ownName } from '#support/relay/end-to-end.ts'
import { ipv6Peers } from '#support/relay/peers-of-ipv6.ts'
import { relayedHome } from '#support/relay/relayed-home.ts'

const HOUSE = { method: 'GET', path: '/v1/house' }
/** Five addresses, including a /48 that uses a new network for each connection. */
const addressOf = (number: number): string => (number % 5 === 0 ? `127.66.0.${number}` : `127.0.0.${10 + (number % 5)}`)

/** A home whose end-to-end places are held by strangers, while time stands still. */
async function besieged() {
  ipv6Peers()
  const clock = new ManualClock(Date.now())
  const home = await endToEnd('on', () => relayedHome({ clock, gateway: { clock, relayClock: clock, settled: false } }))
  const open = new Set<TLSSocket>()
  const { ca } = home.home.access(null)
  /** Finishes a handshake without a request; the relay may close it at once. */
  const hold = async (localAddress: string): Promise<void> => {
    const to = { host: '127.0.0.1', port: home.relay.relay.port, ca, servername: ownName(home.home), localAddress }
    const socket = connect(to).on('error', () => {})
    onTestFinished(() => void socket.destroy())
    open.add(socket)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.once('close', () => open.delete(socket))
    await Promise.race([once(socket, 'secureConnect'), closed]).catch(() => {})
  }
  const siege = async (): Promise<void> => {
    await Promise.all(Array.from({ length: 2 * STREAMS_END_TO_END_UNPROVED_MAX }, (_, index) => hold(addressOf(index))))
  }
  const keyFrom = (from: string): HttpCaller => {
    const caller = new HttpCaller({ ...home.access, from })
    onTestFinished(() => caller[Symbol.asyncDispose]())
    return caller
  }
  return { ...home, clock, open, siege, keyFrom }
}

proves(
  'end-to-end.strangers',
  'five addresses that hold all places make room for a key, and end without a credential',
  { tags: ['long'] },
  async () => {
    const { clock, access, open, siege, keyFrom } = await besieged()
    const stream = await TestSocket.open(access)
    await siege()
    expect(open.size).toBeGreaterThan(STREAMS_END_TO_END_UNPROVED_MAX / 2)
    expect((await keyFrom('127.0.0.3').call(HOUSE)).status).toBe(200)
    const keyHolder = keyFrom('127.0.0.4')
    expect((await keyHolder.call(HOUSE)).status).toBe(200)
    const ended = [...open].map(async (socket) => new Promise((resolve) => socket.once('close', resolve)))
    await clock.advanceAsync(END_TO_END_PROOF_MS + 1_000)
    await Promise.all(ended)
    expect(open.size).toBe(0)
    await siege()
    expect((await keyHolder.call(HOUSE)).status).toBe(200)
    expect(JSON.parse(await stream.ask('house', { id: 'house', ...HOUSE }))).toMatchObject({ status: 200 })
    stream.close()
  },
)
