import { describe, expect, test } from 'vitest'
import { QuietBus } from '#support/bus/quiet-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { homeInfo, unitOf } from '#support/homes/house-content.ts'
import { storedHouse } from '#support/homes/stored-house.ts'
import { Emitter } from '../../lib/emitter.ts'
import type { HomeEvent, Cause } from '../model/events.ts'
import type { Unit } from '../model/house.ts'
import { LiveHome } from './live-home.ts'
import { UnitControl } from './unit-control.ts'

const ANNA: Cause = { source: 'person', name: 'Anna' }
const lamp = unitOf('lamp', 1)
const ON = { device: 'lamp', command: { op: 'set_power', args: { on: true } } } as const

/** A home whose units answer a command only when the test lets them. */
function slowHome() {
  const clock = new ManualClock(1_000)
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const house = storedHouse({ units: [lamp] }, { events, clock })
  const bus = new QuietBus(() => [lamp, { ...lamp, id: 'other', address: 2 }])
  const live = new LiveHome({ house, bus, events, clock })
  const activity = { record: () => {}, committed: () => Promise.resolve() }
  const control = new UnitControl({ house, live, bus, clock, activity })
  bus.setLink(null)
  const answers = Promise.withResolvers<void>()
  bus.held = answers.promise
  const replace = (units: readonly Unit[]): void =>
    house.replace({ info: homeInfo(), floors: [], rooms: [], units, scenes: [], groups: [] }, ANNA)
  return { live, control, replace, answer: answers.resolve }
}

describe('a pending command', () => {
  test.each([
    ['one', (control: UnitControl) => control.perform(ON, ANNA, 'person')],
    ['many', async (control: UnitControl) => (await control.performMany([ON], ANNA, 'person'))[0]],
  ])('fails without an answer if its unit is replaced meanwhile: %s', async (_, send) => {
    const home = slowHome()
    const answering = send(home.control)
    home.replace([{ ...lamp, address: 2 }])
    home.answer()
    expect(await answering).toEqual({ ok: false, error: { kind: 'no_answer' } })
    expect(home.live.states.get('lamp')?.state).not.toMatchObject({ on: true })
  })

  test('fails with not_there if its unit leaves the house', async () => {
    const home = slowHome()
    const answering = home.control.perform(ON, ANNA, 'person')
    home.replace([])
    home.answer()
    expect(await answering).toEqual({ ok: false, error: { kind: 'not_there' } })
  })
})
