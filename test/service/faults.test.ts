import { describe, expect } from 'vitest'
import type { RawAnswer } from '#support/gateway/callers.ts'
import { type TestHome, verifies, verifiesAlone } from '#support/gateway/harness.ts'
import { houseOf } from '#support/gateway/shown.ts'

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

/** Resolves once the gateway says of its link what is asked for. */
function link(home: TestHome, isDown: boolean): Promise<void> {
  const { bus, events } = home.running.gateway.home
  return new Promise((resolve) => {
    if ((bus.down !== null) === isDown) return resolve()
    const stop = events.on((each) => {
      if (each.kind !== 'link' || (each.down !== null) !== isDown) return
      stop()
      resolve()
    })
  })
}

describe('a unit that is silent again and again', () => {
  verifies(['refusals.left-alone'], 'is 504 at once, and says when it is asked again', async (home) => {
    // Its own for each transport: a unit that is left alone stays so for a while.
    const [address, local] = home.transport === 'http' ? [81, 'studio-light'] : [84, 'shower-heater']
    home.running.sim.silence(address)
    try {
      const answers: RawAnswer[] = []
      for (let turn = 0; turn < 4; turn++) answers.push(await turnOn(home, local))
      const waits = answers.map(({ body }) => (body as { error: { retryAfter?: number } }).error.retryAfter)
      expect(answers.map(({ status }) => status)).toEqual([504, 504, 504, 504])
      expect(waits.slice(0, 2)).toEqual([undefined, undefined])
      for (const wait of waits.slice(2)) {
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
  verifies(
    ['4.rule3.unreachable'],
    'is 504 unit_unreachable, while others answer and its last state is shown',
    async (home) => {
      const known = (await home.get(home.at('guest-light')))['device']
      home.running.sim.silence(83)
      try {
        expect(await turnOn(home, 'guest-light')).toMatchObject(UNREACHABLE)
        expect(await turnOn(home, 'study-light')).toMatchObject({ status: 200, body: { state: { on: true } } })
        expect(await home.get(home.at('guest-light'))).toEqual({ house: 'Sonnenwinkel', device: known })
      } finally {
        home.running.sim.silence(83, false)
      }
    },
  )
})

describe('an adapter that cannot carry frames', () => {
  const verifies = verifiesAlone()

  verifies(
    ['4.rule3.unavailable', '4.rule3.reads-go-on'],
    'is 503 hmhc_unavailable for what needs a frame, and nothing else notices',
    async (home) => {
      const house = await houseOf(home)
      const state = await home.get('/v1/state')
      home.running.sim.unplug()
      await link(home, true)
      expect(await turnOn(home, 'guest-light')).toMatchObject(UNAVAILABLE)
      expect(await turnOn(home, 'bedside-panel:0')).toMatchObject(UNAVAILABLE)
      expect(
        await home.call({ method: 'POST', path: `/v1/scenes/${encodeURIComponent(home.id('scene:dinner'))}/run` }),
      ).toMatchObject(UNAVAILABLE)
      expect(await houseOf(home)).toEqual(house)
      expect(await home.get('/v1/state')).toEqual(state)
      expect(await home.call({ method: 'GET', path: home.at('guest-light') })).toMatchObject({ status: 200 })
      expect(await home.call({ method: 'GET', path: '/v1/scenes' })).toMatchObject({ status: 200 })
      // What is wrong with the request itself is said all the same.
      expect(
        await home.call({ method: 'POST', path: home.at('guest-light', '/control'), body: { op: 'open' } }),
      ).toMatchObject({ status: 422 })
      expect(await turnOn(home, 'no-such-light')).toMatchObject({ status: 404 })

      home.running.sim.plug()
      await link(home, false)
      expect(await turnOn(home, 'guest-light')).toMatchObject({ status: 200, body: { state: { on: true } } })
    },
  )

  verifies('4.rule3.unavailable', 'is 503 also while its radio is down, though the line is open', async (home) => {
    home.running.sim.radio(false)
    await link(home, true)
    expect(await turnOn(home, 'guest-light')).toMatchObject(UNAVAILABLE)
    home.running.sim.radio(true)
    await link(home, false)
    expect(await turnOn(home, 'guest-light')).toMatchObject({ status: 200 })
  })
})
