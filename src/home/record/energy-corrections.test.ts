import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempHistory } from '#support/homes/history.ts'
import { CORRECTIONS_KEPT_MAX } from '../../db/history/energy-corrections.ts'
import { DAY_MS, HOUR_MS } from '../../lib/durations.ts'
import { silentLog } from '../../lib/log.ts'
import type { Cause } from '../model/events.ts'
import { Energy } from './energy.ts'
import { EnergyCorrections } from './energy-corrections.ts'
import { ENERGY_PERIODS } from './energy-range.ts'
import { parseTariffs, type TariffPlan } from './tariff.ts'

const START = Date.UTC(2027, 2, 1)
const ANNA: Cause = { source: 'person', name: 'Anna' }
const DEVICES = ['module', 'module:0', 'module:1', 'modules', 'lamp']

function tariff(price: number): TariffPlan {
  const parsed = parseTariffs({ name: 'T', rates: [{ price: price * 2, from: '08:00', to: '20:00' }, { price }] })
  if (!parsed.ok) throw new Error(parsed.error)
  return parsed.value
}

function home(days = 40) {
  const clock = new ManualClock(START)
  const history = tempHistory({ clock })
  const energy = new Energy({
    store: history.energy,
    clock,
    log: silentLog,
    timeZone: 'Europe/Berlin',
    tariffs: tariff(0.3),
  })
  for (const [index, device] of DEVICES.entries())
    for (let day = 0; day < days; day++)
      energy.addPast(device, 1_000_003 + index, START + day * DAY_MS + HOUR_MS, START + day * DAY_MS + 22 * HOUR_MS)
  clock.advance(days * DAY_MS)
  const corrections = new EnergyCorrections({ store: history.energy, energy, activity: history.activity, clock })
  const ranges = [
    ...ENERGY_PERIODS.map((period) => ({ period })),
    { from: START, to: clock.now() },
    { from: START + 3 * DAY_MS, to: START + 9 * DAY_MS + 7 * HOUR_MS },
  ]
  /** Energy and cost over all ranges of all devices: from quarters, days and months. */
  const sums = () =>
    DEVICES.map((device) =>
      ranges.map((range) => {
        const { energy: wh, cost, series } = energy.answer({ devices: [device], range, standing: false })
        return { wh, cost, series }
      }),
    )
  const total = (device: string, range = { from: 0, to: clock.now() }) => {
    const { energy: wh, cost } = energy.answer({ devices: [device], range, standing: false })
    return { wh, cost: cost ?? 0 }
  }
  const rebuilt = async (price: number): Promise<void> => {
    const done = energy.setBasis('Europe/Berlin', tariff(price))
    for (let step = 0; step < 10; step++) clock.advance(5)
    await done
  }
  return { clock, history, energy, corrections, sums, total, rebuilt }
}

test('a correction removes the energy of a unit and its gangs from quarters, days, months and costs', async () => {
  const { history, corrections, sums, total } = home()
  const before = sums()
  const old = DEVICES.map((device) => total(device))
  const range = { from: START + 2 * DAY_MS + 9 * HOUR_MS + 60_000, to: START + 12 * DAY_MS }
  const preview = corrections.preview('module', range)
  expect(sums()).toEqual(before)
  const corrected = await corrections.correct('module', range, ANNA)
  expect(corrected).toEqual({ ...preview, id: 1 })
  expect(corrected).toMatchObject({ from: START + 2 * DAY_MS + 9 * HOUR_MS, to: range.to, wholeDaysBefore: null })
  const now = DEVICES.map((device) => total(device))
  const removed = now.map(({ wh, cost }, at) => ({ wh: (old[at]?.wh ?? 0) - wh, cost: (old[at]?.cost ?? 0) - cost }))
  expect(removed.slice(3)).toEqual([
    { wh: 0, cost: 0 },
    { wh: 0, cost: 0 },
  ])
  expect(removed.reduce((sum, { wh }) => sum + wh, 0)).toBeCloseTo(corrected.energy, 3)
  expect(removed.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(corrected.cost ?? 0, 4)
  for (const device of ['module', 'module:0', 'module:1'])
    expect(total(device, { from: corrected.from, to: corrected.to })).toEqual({ wh: 0, cost: 0 })
  expect([...history.energy.iterate(corrected.from, corrected.to)].map(({ device }) => device)).not.toContain(
    'module:1',
  )
  expect(corrections.list()).toMatchObject([{ id: 1, device: 'module', by: 'Anna', mwh: corrected.energy * 1_000 }])
  const [entry] = history.activity.page({ subjects: { all: true }, from: 0, to: 2 ** 42, limit: 5 }).entries
  expect(entry).toMatchObject({ kind: 'edited', subject: { kind: 'device', id: 'module' }, cause: ANNA })
  expect(entry?.what).toMatch(/^28\.\d+ kWh from 2027-03-03 10:00 to 2027-03-13 01:00 taken out of its energy$/)

  expect(await corrections.undo(1, ANNA)).toMatchObject({ energy: corrected.energy, cost: corrected.cost })
  expect(sums()).toEqual(before)
  expect(corrections.list()).toEqual([])
  expect(await corrections.undo(1, ANNA)).toBeNull()
})

test('a correction outlasts a new tariff, and undoing it uses the new prices', { tags: ['long'] }, async () => {
  const { corrections, energy, total, rebuilt, clock } = home()
  const range = { from: START + 2 * DAY_MS, to: START + 12 * DAY_MS }
  const all = { from: 0, to: clock.now() }
  const wanted = energy.answer({ devices: ['lamp'], range: all, standing: false }).energy
  const { energy: taken } = await corrections.correct('lamp', range, ANNA)
  await rebuilt(0.5)
  expect(total('lamp').wh).toBeCloseTo(wanted - taken, 3)
  expect(total('lamp', range)).toEqual({ wh: 0, cost: 0 })
  await corrections.undo(1, ANNA)
  const undone = total('lamp')
  await rebuilt(0.4)
  await rebuilt(0.5)
  expect(total('lamp')).toEqual(undone)
  expect(undone.wh).toBe(wanted)
})

test('a correction during a rebuild is part of the new sums', { tags: ['long'] }, async () => {
  const { corrections, energy, total, clock } = home()
  const range = { from: START + 2 * DAY_MS, to: START + 12 * DAY_MS }
  const done = energy.setBasis('Europe/Berlin', tariff(0.5))
  for (let step = 0; step < DEVICES.length - 1; step++) clock.advance(5)
  await corrections.correct('module', range, ANNA)
  for (let step = 0; step < DEVICES.length + 1; step++) clock.advance(5)
  await done
  expect(total('module', range)).toEqual({ wh: 0, cost: 0 })
  expect(total('module:1').wh).toBeCloseTo(30 * 1_000.004 - 0.1, 0)
})

test('a correction without stored quarters removes and restores whole days', async () => {
  const { corrections, energy, total, clock, sums } = home(40)
  clock.advance(390 * DAY_MS)
  while (!energy.forgetOld(clock.now())) continue
  const before = sums()
  const range = { from: START + 2 * DAY_MS + 9 * HOUR_MS, to: START + 4 * DAY_MS + HOUR_MS }
  const corrected = await corrections.correct('lamp', range, ANNA)
  const days = { from: Date.UTC(2027, 2, 2, 23), to: Date.UTC(2027, 2, 5, 23) }
  expect(corrected).toMatchObject({ ...days, energy: 3_000.021 })
  expect(corrected.wholeDaysBefore).toBeGreaterThan(days.to)
  expect(total('lamp', days)).toEqual({ wh: 0, cost: 0 })
  expect(total('lamp').wh).toBeCloseTo(37 * 1_000.007, 3)
  await corrections.undo(1, ANNA)
  expect(sums()).toEqual(before)
})

test('quarters that were deleted meanwhile are restored as part of their days', { tags: ['long'] }, async () => {
  const { corrections, energy, total, clock } = home(40)
  const range = { from: START + 2 * DAY_MS, to: START + 3 * DAY_MS }
  const whole = total('lamp')
  await corrections.correct('lamp', range, ANNA)
  clock.advance(420 * DAY_MS)
  while (!energy.forgetOld(clock.now())) continue
  await corrections.undo(1, ANNA)
  expect(total('lamp').wh).toBe(whole.wh)
  expect(total('lamp').cost).toBeCloseTo(whole.cost, 5)
})

test(
  'a range across the start of the stored quarters takes whole days before it and quarters after it',
  { tags: ['long'] },
  async () => {
    const { corrections, energy, total, clock } = home(40)
    clock.advance(380 * DAY_MS)
    while (!energy.forgetOld(clock.now())) continue
    const range = { from: START + 10 * DAY_MS + 9 * HOUR_MS, to: START + 30 * DAY_MS + 12 * HOUR_MS }
    const before = total('lamp').wh
    const corrected = await corrections.correct('lamp', range, ANNA)
    expect(corrected).toMatchObject({ from: Date.UTC(2027, 2, 10, 23), to: range.to })
    expect(total('lamp').wh).toBeCloseTo(before - corrected.energy, 3)
    expect(corrected.energy).toBeCloseTo(20 * 1_000.007 + (11 / 21) * 1_000.007, 0)
  },
)

test('only the newest corrections can be undone', async () => {
  const { corrections } = home()
  for (let made = 0; made < CORRECTIONS_KEPT_MAX + 2; made++) {
    const from = START + DAY_MS + made * 900_000 + HOUR_MS
    await corrections.correct('lamp', { from, to: from + 900_000 }, ANNA)
  }
  expect(corrections.list()).toHaveLength(CORRECTIONS_KEPT_MAX)
  expect(await corrections.undo(2, ANNA)).toBeNull()
  expect(await corrections.undo(3, ANNA)).not.toBeNull()
})
