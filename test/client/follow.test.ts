import { expect, onTestFinished, test } from 'vitest'
import { caOf, Client, type Followed, NodeTransport, type StreamLine, type Transport } from '../../client/src/node.ts'
import { systemTiming } from '../../client/src/transport.ts'
import { TestHome } from '#support/gateway/harness.ts'
import { proves } from '#support/gateway/verifies.ts'
import { ONE_UNIT } from '#support/homes/one-unit.ts'

/** Tries again at once: how long is waited is the cases' matter. */
const HASTY = { ...systemTiming, random: () => 0 }

/** A client whose streams can be cut, and kept from opening for a while. */
class Breakable {
  readonly client: Client
  readonly #lines = new Set<StreamLine>()
  #held: Promise<void> = Promise.resolve()

  constructor(home: TestHome) {
    const { url, ca, token } = home.access(home.main.token)
    const real = new NodeTransport({ addresses: [url], token: token ?? '', ca: caOf(ca) })
    const transport: Transport = {
      request: (request) => this.#held.then(() => real.request(request)),
      stream: (listener) => {
        const made: { line: StreamLine | null } = { line: null }
        void this.#held.then(() => {
          const line = real.stream({
            ...listener,
            closed: (code) => {
              this.#lines.delete(line)
              listener.closed(code)
            },
          })
          this.#lines.add(line)
          made.line = line
        })
        return { send: (text) => made.line?.send(text), close: () => made.line?.close() }
      },
    }
    this.client = new Client(transport, HASTY)
  }

  cut(): void {
    for (const line of this.#lines) line.close()
  }

  /** Cuts the streams. Returns a function that lets them open again. */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#held = promise
    this.cut()
    return resolve
  }
}

interface Lamp {
  readonly home: TestHome
  readonly breakable: Breakable
  /** The lamp is at this brightness from now on, as its unit says. */
  readonly shine: (bri: number) => void
}

async function lamp(): Promise<Lamp> {
  const home = await TestHome.open('http', ONE_UNIT)
  onTestFinished(() => home[Symbol.asyncDispose]())
  const { live } = home.running.gateway.home
  const shine = (bri: number): void =>
    live.confirm('dimmer', { on: true, bri, mode: 'manual' }, 'touch', { source: 'unit', name: 'test' })
  return { home, breakable: new Breakable(home), shine }
}

const brightness = (event: Followed): number | null =>
  event.event === 'state' && event.state !== null && 'bri' in event.state ? event.state.bri : null

proves(
  'client.follows',
  'events over cut lines come once, in order, and none is missing',
  { tags: ['long'] },
  async () => {
    const { breakable, shine } = await lamp()
    const LAST = 60
    const items: Followed[] = []
    for await (const event of breakable.client.follow(['*'])) {
      items.push(event)
      const bri = event.event === 'resync' ? 0 : brightness(event)
      if (bri === LAST) break
      if (bri === null) continue
      // Some events arrive while the line is connected, some during a cut.
      if (bri % 3 === 0) breakable.cut()
      shine(bri + 1)
    }
    const events = items.filter((event) => brightness(event) !== null)
    expect(events.map(brightness)).toEqual(Array.from({ length: LAST }, (_, index) => index + 1))
    expect(items.filter(({ event }) => event === 'resync')).toHaveLength(1)
    expect(items.filter((event) => event.event === 'connection' && !event.connected).length).toBeGreaterThan(10)
  },
)

proves('client.follows', 'more events than the gateway holds give a gap, and the model is right after it', async () => {
  const { home, breakable, shine } = await lamp()
  const model = await breakable.client.home()
  onTestFinished(() => model.close())
  const follower = breakable.client.follow(['state'])
  expect([(await follower.next()).value?.event, (await follower.next()).value?.event]).toEqual(['connection', 'resync'])
  const id = home.id('dimmer')
  const { promise: read, resolve } = Promise.withResolvers<void>()
  model.onChange(({ what }) => {
    if (what === 'home') resolve()
  })
  const release = breakable.hold()
  // The gateway holds the last 2,000.
  for (let count = 0; count <= 2_000; count += 1) shine(1 + (count % 2))
  shine(77)
  release()
  await read
  expect(model.devices.get(id)?.state).toMatchObject({ bri: 77 })
  await follower.return()
})

test('a stopped follower ends without an error, also while it waits', async () => {
  const { breakable } = await lamp()
  const stopping = new AbortController()
  const follower = breakable.client.follow(['state'], { signal: stopping.signal })
  await follower.next()
  await follower.next()
  const waiting = follower.next()
  stopping.abort()
  expect(await waiting).toEqual({ done: true, value: undefined })
  const model = await breakable.client.home({ signal: AbortSignal.any([]) })
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  model.onChange(({ what }) => {
    if (what === 'ended') resolve()
  })
  model.close()
  await ended
  expect([model.connected, model.error]).toEqual([false, null])
})
