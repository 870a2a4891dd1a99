import { describe, expect, vi } from 'vitest'
import { WAITING_OF_ONE_MAX } from '../../src/hmhc/exchange/exchange-queue.ts'
import { FRAMES_WAITING_MAX } from '../../src/hmhc/unit/group-control.ts'
import { LIMITS } from '../../src/sim/adapter/adapter.ts'
import { batchResults } from '#support/gateway/batches.ts'
import { EVERYTHING_ALLOWED, type TestHome, type TestIntegration, verifies } from '#support/gateway/harness.ts'

const ON = { op: 'set_power', args: { on: true } }
const OFF = { op: 'set_power', args: { on: false } }
/** One frame for each command: commands for the same device never share a frame. */
const OFTEN = 30
const FLOODED = ['study-light', 'guest-light', 'living-lamp', 'studio-light', 'bathroom-panel:1'] as const

type Results = Awaited<ReturnType<typeof batchResults>>

/** Sends far more commands of one credential than the queue limit; resolves to all results. */
async function flood(home: TestHome, by: TestIntegration): Promise<Results> {
  const calls = FLOODED.map((local) => {
    const device = home.id(local, by)
    return batchResults(home, { controls: Array.from({ length: OFTEN }, () => ({ device, ...OFF })) }, by)
  })
  return (await Promise.all(calls)).flat()
}

interface Watched {
  /** Number of confirmed states of other devices between the device's command on the bus and its own state. */
  readonly ahead: () => number
  /** Resolves once this many commands wait. Checks at each command on the bus, which alone fills the queue. */
  readonly waiting: (count: number) => Promise<void>
  stop(): void
}

function watchedBus(home: TestHome, local: string): Watched {
  const { bus, events } = home.running.gateway.home
  const address = home.running.gateway.home.house.devices.get(local)?.unit.address
  let isPending = false
  let ahead = 0
  let look = (): void => {}
  const original = bus.control.bind(bus)
  const spy = vi.spyOn(bus, 'control').mockImplementation((target, ...rest) => {
    isPending ||= target.address === address
    const answer = original(target, ...rest)
    look()
    return answer
  })
  const unlisten = events.on((event) => {
    if (event.kind !== 'state' || event.trigger !== 'command') return
    if (event.device === local) isPending = false
    else if (isPending) ahead += 1
  })
  return {
    ahead: () => ahead,
    waiting: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (bus.counters().waiting >= count) resolve()
        }
      }),
    stop: () => {
      spy.mockRestore()
      unlisten()
    },
  }
}

describe('commands of several credentials', () => {
  verifies(
    ['limits.turns', 'limits.waiting'],
    'of a flooding credential are 429 beyond the queue limit, and commands of others keep their turn',
    async (home) => {
      const other = await home.integrate({ settings: EVERYTHING_ALLOWED })
      const bus = watchedBus(home, 'lenas-light')
      const crowded = bus.waiting(WAITING_OF_ONE_MAX / 2)
      const flooded = flood(home, home.main)
      await home.running.hasten(crowded)
      const path = home.at('lenas-light', '/control', other)
      const answer = await home.call({ method: 'POST', path, body: ON, token: other.token })
      bus.stop()
      expect(answer.status, answer.text).toBe(200)
      expect(bus.ahead()).toBeLessThanOrEqual(LIMITS.inFlightMax)

      const results = await flooded
      const refused = results.filter((result) => 'error' in result)
      expect(results).toHaveLength(FLOODED.length * OFTEN)
      // Commands sent before the last call left room for a few.
      expect(refused.length).toBeGreaterThan(OFTEN)
      expect(refused.find(({ error }) => (error as { code: string }).code === 'rate_limited')).toEqual({
        device: expect.any(String) as string,
        error: {
          code: 'rate_limited',
          message: 'Too many commands of this credential are waiting for their units. Wait and try again.',
          retryAfter: 5,
        },
      })
    },
  )

  verifies('limits.waiting', 'of a single call never exceed the queue limit', async (home) => {
    const device = home.id('studio-light')
    const results = await batchResults(home, { controls: Array.from({ length: 100 }, () => ({ device, ...ON })) })
    expect(FRAMES_WAITING_MAX).toBeLessThan(WAITING_OF_ONE_MAX)
    expect(results.filter((result) => 'state' in result)).toHaveLength(100)
  })

  verifies('limits.turns', 'count for the requesting credential, including commands of its scenes', async (home) => {
    const { bus } = home.running.gateway.home
    const control = vi.spyOn(bus, 'control')
    const group = vi.spyOn(bus, 'controlGroup')
    await home.call({ method: 'POST', path: home.at('lenas-light', '/control'), body: ON })
    await home.call({ method: 'POST', path: home.at('scene:dinner', '/control'), body: { op: 'run' } })
    const askers = [...control.mock.calls.map((call) => call[3]), ...group.mock.calls.map((call) => call[2])]
    control.mockRestore()
    group.mockRestore()
    expect(askers.length).toBeGreaterThanOrEqual(2)
    expect(new Set(askers)).toEqual(new Set([home.main.link]))
  })
})
