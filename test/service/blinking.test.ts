import { describe, expect } from 'vitest'
import { verifies } from '#support/gateway/harness.ts'

const blink = (path: string) => ({ method: 'POST' as const, path: `${path}/identify` })

describe('POST /v1/devices/{id}/identify', () => {
  verifies('devices.blinking', 'lets a unit or gang blink for ten seconds and moves nothing', async (home) => {
    const { sim } = home.running
    for (const [local, address, gang] of [
      ['study-light', 75, null],
      ['kitchen-panel:0', 31, 0],
    ] as const) {
      const before = await home.get(home.at(local))
      expect(before).toMatchObject({ device: { capabilities: ['identify', 'buttons'] } })
      const answer = await home.running.hasten(home.call(blink(home.at(local))))
      expect(answer).toMatchObject({ status: 200, body: { device: home.id(local), seconds: 10 } })
      expect(sim.blinks(address, gang)).toBe(true)
      expect(await home.get(home.at(local))).toMatchObject({ device: { state: stateOf(before) } })
    }
  })

  verifies('devices.blinking', 'is refused for a unit that cannot blink', async (home) => {
    expect(await home.get(home.at('front-door'))).toMatchObject({ device: { capabilities: [] } })
    expect(await home.call(blink(home.at('front-door')))).toMatchObject({
      status: 422,
      body: { error: { code: 'validation', message: 'This unit cannot blink.' } },
    })
  })
})

function stateOf(answer: unknown): object {
  const { asOf: _asOf, ...state } = (answer as { device: { state: { asOf: number } } }).device.state
  return state
}
