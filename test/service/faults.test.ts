import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, type TestIntegration, verifiesOver, verifiesAlone } from '#support/gateway/harness.ts'
import { type House, houseOf, type Unit, unitsOf } from '#support/gateway/house-answer.ts'
import { awaitAdapter } from '#support/gateway/await-home.ts'

const verifies = verifiesOver('http')

const UNREACHABLE = {
  status: 504,
  body: {
    error: {
      code: 'unit_unreachable',
      message: 'The unit does not answer. Check that it has power and is in radio range.',
    },
  },
}
const UNAVAILABLE = {
  status: 503,
  body: {
    error: {
      code: 'hmhc_unavailable',
      message:
        'The gateway cannot reach the units right now: its adapter is not ready. It keeps trying; check that the adapter is plugged in.',
    },
  },
}

function turnOn(home: TestHome, local: string): Promise<RawAnswer> {
  return home.call({ method: 'POST', path: home.at(local, '/control'), body: { op: 'set_power', args: { on: true } } })
}

/** Reachability of a unit in the house and by itself. */
async function reachOf(home: TestHome, local: string, by: TestIntegration = home.main): Promise<unknown[]> {
  const house = (await home.get('/v1/house', by.token)) as unknown as House
  const unit = unitsOf(house).find(({ id }) => id === home.id(local, by))
  const { device } = (await home.get(home.at(local, '', by), by.token)) as { device: Unit }
  return [unit, device].map((device) => ({ reachable: device?.reachable, lastSeen: device?.lastSeen }))
}

/** Resolves when a unit is lost or comes back. */
function reachabilityEvent(home: TestHome, reachable: boolean, unit = 'guest-light'): Promise<void> {
  return new Promise((resolve) => {
    const stop = home.running.gateway.home.events.on((event) => {
      if (event.kind !== 'unit' || event.unit !== unit || event.reachable !== reachable) return
      stop()
      resolve()
    })
  })
}

/** Silences the guest room's light, and sends commands until the gateway notices. */
async function silence(home: TestHome): Promise<void> {
  home.running.sim.silence(83)
  const { live } = home.running.gateway.home
  for (let tries = 0; tries < 3 && live.reachable('guest-light'); tries += 1) await turnOn(home, 'guest-light')
}

describe('a unit that is silent again and again', () => {
  verifies(['refusals.left-alone'], 'is 504 at once, with the time of the next attempt', async (home) => {
    // Each transport has its own unit, because the breaker stays open for a while.
    const [address, local] = home.transport === 'http' ? [81, 'studio-light'] : [84, 'shower-heater']
    home.running.sim.silence(address)
    try {
      // An answer in flight arrives first; after it the count of silences starts again.
      await turnOn(home, local)
      const answers: RawAnswer[] = []
      for (let turn = 0; turn < 4; turn++) answers.push(await turnOn(home, local))
      const waits = answers.map(({ body }) => (body as { error: { retryAfter?: number } }).error.retryAfter)
      expect(answers.map(({ status }) => status)).toEqual([504, 504, 504, 504])
      // The third silence opens the breaker; a silence of a background read counts too.
      const from = waits.findIndex((wait) => wait !== undefined)
      expect([0, 1, 2]).toContain(from)
      for (const wait of waits.slice(from)) {
        expect(wait).toBeGreaterThanOrEqual(1)
        expect(wait).toBeLessThanOrEqual(240)
      }
      if (home.transport === 'http') expect(answers[3]?.headers?.['retry-after']).toBe(String(waits[3]))
    } finally {
      home.running.sim.silence(address, false)
    }
  })
})

describe('a unit that does not answer', () => {
  verifies('devices.reachable', 'is not reachable until it answers again, and was last seen before', async (home) => {
    const { live } = home.running.gateway.home
    for (const device of await reachOf(home, 'guest-light')) {
      expect(device).toEqual({ reachable: true, lastSeen: expect.any(Number) as number })
    }
    const lost = reachabilityEvent(home, false)
    const back = reachabilityEvent(home, true)
    try {
      await silence(home)
      await home.running.hasten(lost)
      const lastSeen = live.lastReportAt('guest-light')
      for (const device of await reachOf(home, 'guest-light')) expect(device).toEqual({ reachable: false, lastSeen })
    } finally {
      home.running.sim.silence(83, false)
    }
    await home.running.hasten(back)
    expect(await reachOf(home, 'guest-light')).toMatchObject([{ reachable: true }, { reachable: true }])
  })

  verifies('stream.reachable', 'is announced to subscribers with an unchanged state', async (home) => {
    const socket = await home.socket()
    await socket.subscribe([`device:${home.id('guest-light')}`])
    const stateOf = async () => ((await home.get(home.at('guest-light'))) as { device: Unit }).device.state
    const before = await stateOf()
    const expectEvent = async (reachable: boolean, state: unknown) =>
      expect(await socket.event((event) => event['reachable'] === reachable)).toMatchObject({
        event: 'state',
        device: home.id('guest-light'),
        class: 'light_switch',
        state,
      })
    await silence(home)
    // A read in flight may have confirmed it once more.
    const last = await stateOf()
    expect(values(last)).toBe(values(before))
    await expectEvent(false, last)
    home.running.sim.silence(83, false)
    await expectEvent(true, expect.anything())
  })

  verifies('devices.reachable', 'may also be unknown to the adapter', async (home) => {
    const { house } = home.running.gateway.home
    const unit = house.units.get('study-light')!
    house.placeUnit({ ...unit, id: 'ghost', name: 'Ghost', address: 999 }, { source: 'person', name: 'Anna' })
    expect(await reachOf(home, 'ghost')).toEqual([0, 1].map(() => ({ reachable: false, lastSeen: null })))
    expect(await turnOn(home, 'ghost')).toMatchObject(UNREACHABLE)
  })

  verifies(
    ['4.rule3.unreachable'],
    'is 504 unit_unreachable, while other units answer and its last state stays visible',
    async (home) => {
      const lightOf = async () => ((await home.get(home.at('guest-light'))) as { device: Unit }).device
      const before = await lightOf()
      home.running.sim.silence(83)
      try {
        expect(await turnOn(home, 'guest-light')).toMatchObject(UNREACHABLE)
        expect(await turnOn(home, 'study-light')).toMatchObject({ status: 200, body: { state: { on: true } } })
        // A read in flight may have confirmed the state once more.
        const { state, ...rest } = await lightOf()
        expect(values(state)).toBe(values(before.state))
        const changing = { reachable: expect.any(Boolean) as boolean, lastSeen: expect.any(Number) as number }
        expect({ ...rest, state: before.state }).toEqual({ ...before, ...changing })
      } finally {
        home.running.sim.silence(83, false)
      }
    },
  )

  verifies(
    ['devices.reachable', 'stream.reachable'],
    'follows the state of its address, even if that address was silent before the unit was placed there',
    { tags: ['long'] },
    async (home) => {
      const { admin, gateway, sim } = home.running
      const { bus, live } = gateway.home
      const lamp = 'lenas-light'
      const { file } = await admin.call<{ file: string }>('GET', '/house/file')
      const lost = reachabilityEvent(home, false, lamp)
      const back = reachabilityEvent(home, true, lamp)
      try {
        await admin.call('PUT', '/house/file', { file: file.replace('address: 71', 'address: 998') })
        await lost
        sim.silence(71)
        for (let tries = 0; tries < 5 && bus.units.get(71)?.reachable === true; tries += 1)
          await home.running.hasten(bus.ping(71, 'person'))
        expect(bus.units.get(71)?.reachable).toBe(false)
        await admin.call('PUT', '/house/file', { file })
        expect(await reachOf(home, lamp)).toMatchObject([{ reachable: false }, { reachable: false }])
        expect(await turnOn(home, lamp)).toMatchObject(UNREACHABLE)
        const { units } = await admin.call<{ units: { unreachable: string[] } }>('GET', '/status')
        expect(units.unreachable).toContain(lamp)
      } finally {
        await admin.call('PUT', '/house/file', { file })
        sim.silence(71, false)
      }
      await back
      expect(live.reachable(lamp)).toBe(true)
    },
  )
})

describe('a module with one exposed gang', () => {
  verifies('devices.last-seen', 'has the last-seen time of that gang, regardless of the other gangs', async (home) => {
    const narrow = await home.integrate({ expose: ['gang:bedside-panel:0'] })
    const { live } = home.running.gateway.home
    for (const on of [true, false])
      await home.call({
        method: 'POST',
        path: home.at('bedside-panel:1', '/control'),
        body: { op: 'set_power', args: { on } },
      })
    const [exposed, hidden] = [live.lastReportAt('bedside-panel:0'), live.lastReportAt('bedside-panel:1')]
    expect(hidden).toBeGreaterThan(exposed ?? Infinity)
    expect(await reachOf(home, 'bedside-panel', narrow)).toEqual(
      [0, 1].map(() => ({ reachable: true, lastSeen: exposed })),
    )
    // The switched load reports its power a little later.
    for (const device of await reachOf(home, 'bedside-panel'))
      expect((device as { lastSeen: number }).lastSeen).toBeGreaterThanOrEqual(hidden ?? Infinity)
  })
})

describe('an adapter that cannot carry frames', () => {
  const verifies = verifiesAlone(() => ({}), { over: 'http' })

  verifies(
    ['4.rule3.unavailable', '4.rule3.reads-go-on'],
    'is 503 hmhc_unavailable for requests that need a frame; other requests succeed',
    async (home) => {
      const house = await houseOf(home)
      const state = values(await home.get('/v1/state'))
      home.running.sim.unplug()
      await awaitAdapter(home, 'down')
      expect(await turnOn(home, 'guest-light')).toMatchObject(UNAVAILABLE)
      expect(await turnOn(home, 'bedside-panel:0')).toMatchObject(UNAVAILABLE)
      expect(
        await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(home.id('scene:dinner'))}/run` }),
      ).toMatchObject(UNAVAILABLE)
      expect(await houseOf(home)).toEqual(house)
      expect(values(await home.get('/v1/state'))).toEqual(state)
      expect(await home.call({ method: 'GET', path: home.at('guest-light') })).toMatchObject({ status: 200 })
      expect(await home.call({ method: 'GET', path: '/v1/scenes' })).toMatchObject({ status: 200 })
      // A fault of the request itself is still reported.
      expect(
        await home.call({ method: 'POST', path: home.at('guest-light', '/control'), body: { op: 'open' } }),
      ).toMatchObject({ status: 422 })
      expect(await turnOn(home, 'no-such-light')).toMatchObject({ status: 404 })

      home.running.sim.plug()
      await awaitAdapter(home, 'up')
      expect(await turnOn(home, 'guest-light')).toMatchObject({ status: 200, body: { state: { on: true } } })
    },
  )

  verifies(
    'refusals.line-retry',
    'is 503 with the seconds until the next attempt on its line',
    { tags: ['long'] },
    async (home) => {
      home.running.sim.unplug()
      await awaitAdapter(home, 'down')
      const scene = `/v1/scenes/${encodeURIComponent(home.id('scene:dinner'))}/run`
      const controls = [{ device: home.id('guest-light'), op: 'set_power', args: { on: true } }]
      for (const answer of [
        await turnOn(home, 'guest-light'),
        await home.call({ method: 'POST', path: scene }),
        await home.call({ method: 'PUT', path: home.at('hall-light', '/intents/off_delay'), body: { value: 5 } }),
        await home.call({ method: 'POST', path: '/v1/control', body: { controls } }),
      ]) {
        const found = answer.body as { error?: object; results?: { error: object }[] }
        const refused = found.error ?? found.results?.[0]?.error
        const { code, retryAfter } = refused as { code: string; retryAfter: number }
        expect(code).toBe('hmhc_unavailable')
        expect(retryAfter).toBeGreaterThanOrEqual(1)
        expect(retryAfter).toBeLessThanOrEqual(2)
        if (home.transport === 'http' && found.error) expect(answer.headers?.['retry-after']).toBe(String(retryAfter))
      }
      home.running.sim.plug()
      await awaitAdapter(home, 'up')
      expect(await turnOn(home, 'guest-light')).toMatchObject({ status: 200 })
    },
  )

  verifies(
    ['4.rule3.unavailable', 'refusals.line-retry'],
    'is 503 also while it answers but acknowledges no frame',
    async (home) => {
      home.running.sim.acknowledge(false)
      // One is in flight to the adapter, which may still perform it; the others never reach the adapter.
      const locals = ['guest-light', 'study-light', 'lenas-light']
      const first = await Promise.all(locals.map((local) => turnOn(home, local)))
      for (const answer of [...first.filter(({ status }) => status !== 200), await turnOn(home, 'guest-light')]) {
        expect(answer).toMatchObject(UNAVAILABLE)
        expect(answer.body).toMatchObject({ error: { retryAfter: 1 } })
      }
      expect(first.filter(({ status }) => status !== 200).length).toBeGreaterThanOrEqual(2)
      home.running.sim.acknowledge(true)
      await home.running.hasten(awaitAdapter(home, 'up'))
      expect(await turnOn(home, 'guest-light')).toMatchObject({ status: 200 })
    },
  )

  verifies('4.rule3.unavailable', 'is 503 also while its line is open but its radio is down', async (home) => {
    home.running.sim.radio(false)
    await awaitAdapter(home, 'down')
    expect(await turnOn(home, 'guest-light')).toMatchObject(UNAVAILABLE)
    home.running.sim.radio(true)
    await awaitAdapter(home, 'up')
    expect(await turnOn(home, 'guest-light')).toMatchObject({ status: 200 })
  })
})

/** Removes `asOf`, which changes without an event when a state is confirmed again. */
const values = (answer: unknown): string =>
  JSON.stringify(answer, (key, value: unknown) => (key === 'asOf' ? undefined : value))
