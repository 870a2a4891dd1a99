import { expect } from 'vitest'
import { type TestHome, verifiesAlone } from '#support/gateway/harness.ts'
import { awaitState } from '#support/gateway/await-home.ts'

const SHUTTER_ADDRESS = 23

const verifies = verifiesAlone()

async function visibleMove(home: TestHome): Promise<unknown> {
  const { device } = (await home.get(home.at('living-shutter'))) as { device: { state: { move: string } } }
  return device.state.move
}

verifies('devices.lost-travel', 'a shutter whose mains is cut on its way does not stay "closing"', async (home) => {
  const control = home.call({ method: 'POST', path: home.at('living-shutter', '/control'), body: { op: 'close' } })
  expect((await control).status).toBe(200)
  await awaitState(home, 'living-shutter', ({ move }) => move === 'closing')
  home.running.sim.cutMains([SHUTTER_ADDRESS])
  const { pos } = await awaitState(home, 'living-shutter', ({ move }) => move === 'unknown')
  expect(await visibleMove(home)).toBe('unknown')
  home.running.sim.returnMains([SHUTTER_ADDRESS])
  await awaitState(home, 'living-shutter', ({ move }) => move === 'stopped')
  const { entries } = (await home.get(`/v1/activity?device=${encodeURIComponent(home.id('living-shutter'))}`)) as {
    entries: { what: string }[]
  }
  expect(entries.map(({ what }) => what).filter((what) => what.includes('unknown'))).toEqual([])
  expect(Number(pos)).toBeGreaterThan(0)
})
