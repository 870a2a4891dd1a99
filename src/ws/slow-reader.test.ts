import { describe, expect } from 'vitest'
import { unitOf } from '#support/homes/house-content.ts'
import { StreamHome } from '#support/homes/stream-home.ts'
import { proves } from '#support/gateway/verifies.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const units = Array.from({ length: 50 }, (_, index) =>
  unitOf(`u${index}`, index + 1, { name: 'x'.repeat(60), model: null }),
)

describe('a client that does not read', () => {
  proves('stream.knob-bites-waiting', 'gets no settings that waited when advanced_config went off', async () => {
    const home = await StreamHome.open({ units: units.map((unit) => ({ ...unit, model: 'HMHH' })) })
    const integration = home.integration({ expose: 'All' }, { advanced_config: 'read' })
    const slow = await home.connect(home.token(integration))
    await slow.subscribe('*')
    const cause = { source: 'gateway', name: 'test' } as const
    const setting = (asOf: number): void =>
      home.events.emit({ kind: 'settings', device: 'u0', values: { led_mode: 1 }, asOf, cause })
    setting(5)
    await slow.until(() => slow.events.some(({ at, intents }) => at === 5 && intents !== undefined))
    slow.socket.pause()
    let bri = 0
    while (home.stream.counts().collapsed < 1_000) {
      bri = (bri + 1) % 101
      for (const { id } of units) home.state(id, { on: true, bri, mode: 'manual' })
      await turn()
    }
    setting(77)
    await turn()
    home.change(integration, { knobs: { ...integration.knobs, advanced_config: 'off' } })
    home.state('u1', { on: true, bri, mode: 'eco' })
    slow.socket.resume()
    await expect.poll(() => slow.events.some(({ state }) => state?.['mode'] === 'eco')).toBe(true)
    expect(slow.events.filter(({ at }) => at === 77)).toEqual([])
  })
})
