import { describe, expect, test } from 'vitest'
import { StreamHome } from '#support/homes/stream-home.ts'
import { type HomeEvent, GATEWAY_CAUSE } from '../model/events.ts'
import type { Detection } from '../model/device.ts'

type ReadingsEvent = Extract<HomeEvent, { kind: 'readings' }>

async function home() {
  const made = await StreamHome.open()
  const events: ReadingsEvent[] = []
  made.events.on((event) => {
    if (event.kind === 'readings') events.push(event)
  })
  const detect = (unit: string, detection: Detection, value: boolean): void =>
    made.bus.report({ kind: 'detection', address: made.house.units.get(unit)!.address, detection, value })
  return { made, events, detect }
}

describe('readings', () => {
  test('a first detection counts as a start, and a repeated one as no change', async () => {
    const { events, detect } = await home()
    for (const value of [true, true, false]) detect('air', 'smoke', value)
    expect(events.map(({ previous, readings, changed }) => [previous?.smoke, readings.smoke, changed])).toEqual([
      [false, true, true],
      [true, true, false],
      [true, false, true],
    ])
  })

  test('a first end of a detection starts nothing', async () => {
    const { events, detect } = await home()
    detect('air', 'tamper', false)
    expect(events).toMatchObject([{ previous: { tamper: true }, readings: { tamper: false } }])
  })

  test('end when the id names another unit, also for subscribed clients', async () => {
    const { made, events, detect } = await home()
    const integration = made.integration()
    const client = await made.connect(made.token(integration))
    await client.subscribe('sensor')
    detect('air', 'smoke', true)
    await client.settled()
    const { clock, live } = made
    made.events.emit({ kind: 'rebound', unit: 'air', cause: GATEWAY_CAUSE, at: clock.now() })
    expect(live.readings('air')).toBeUndefined()
    expect(events.at(-1)).toMatchObject({ readings: {}, previous: { smoke: true }, changed: true })
    await client.settled()
    expect(client.events.map(({ state }) => state)).toMatchObject([{ smoke: true }, { asOf: clock.now() }])
    expect(client.events.at(-1)?.state).not.toHaveProperty('smoke')
    // The new unit's first report contains no reading of the old one.
    made.readings('air', { battery: 90 })
    expect(live.readings('air')?.readings).toEqual({ battery: 90 })
  })
})
