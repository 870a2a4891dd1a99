import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { tempHistory } from '#support/homes/history.ts'
import { tempFolder } from '#support/temp-folder.ts'
import { type HistoryDb, openHistory } from '../../db/history/history-db.ts'
import { JUMPS_WAITING_MAX } from '../../db/history/energy-corrections.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/durations.ts'
import { silentLog } from '../../lib/log.ts'
import { systemRandom } from '../../lib/random.ts'
import { GATEWAY_CAUSE } from '../model/events.ts'
import { Energy } from './energy.ts'
import { EnergyJumps } from './energy-corrections.ts'

const START = Date.UTC(2027, 2, 1)

function recordOf(history: HistoryDb, clock: ManualClock) {
  const energy = new Energy({ store: history.energy, clock, log: silentLog, timeZone: 'UTC', tariffs: null })
  const jumps = new EnergyJumps({ store: history.energy, energy, activity: history.activity, clock })
  const sum = (device: string): number =>
    energy.answer({ devices: [device], range: { from: 0, to: clock.now() + DAY_MS }, standing: false }).energy
  const after = (ms: number, device: string, wh: number): void => {
    clock.advance(ms)
    energy.take(device, wh, clock.now())
  }
  return { energy, jumps, sum, after }
}

/** A socket that used 2 kWh on each of three days. */
function used(record: ReturnType<typeof recordOf>, device = 'socket'): number {
  record.after(0, device, 0)
  for (let hour = 1; hour <= 72; hour++) record.after(HOUR_MS, device, Math.round((hour * 2_000) / 24))
  expect(record.sum(device)).toBe(6_000)
  return 6_000
}

test('a used socket in place of a silent one adds nothing before an administrator decides', async () => {
  const clock = new ManualClock(START)
  const history = tempHistory({ clock })
  const record = recordOf(history, clock)
  const counted = used(record)
  record.after(5 * DAY_MS, 'socket', counted + 1_321_000)
  record.after(MINUTE_MS, 'socket', counted + 1_321_050)
  expect(record.sum('socket')).toBe(6_050)
  const [jump] = record.jumps.list()
  expect(jump).toMatchObject({ device: 'socket', mwh: 1_321_000_000, from: START + 3 * DAY_MS, to: START + 8 * DAY_MS })

  expect(await record.jumps.answer(jump?.id ?? 0, 'other_meter', GATEWAY_CAUSE)).toEqual(jump)
  expect(record.sum('socket')).toBe(6_050)
  expect(record.jumps.list()).toEqual([])
  expect(await record.jumps.answer(jump?.id ?? 0, 'count', GATEWAY_CAUSE)).toBeNull()
  const [entry] = history.activity.page({ subjects: { all: true }, from: 0, to: 2 ** 42, limit: 5 }).entries
  expect(entry).toMatchObject({
    kind: 'edited',
    subject: { kind: 'device', id: 'socket' },
    what: 'jump of the counter by 1,321 kWh from 2027-03-04 00:00 to 2027-03-09 00:00 left out: it is another meter',
  })
})

test('the answer "count" spreads the jump over its gap, and plausible use is never questioned', async () => {
  const clock = new ManualClock(START)
  const record = recordOf(tempHistory({ clock }), clock)
  const counted = used(record)
  record.after(5 * DAY_MS, 'socket', counted + 30_000)
  expect(record.jumps.list()).toEqual([])
  expect(record.sum('socket')).toBe(36_000)
  record.after(5 * DAY_MS, 'socket', counted + 130_000)
  const [jump] = record.jumps.list()
  await record.jumps.answer(jump?.id ?? 0, 'count', GATEWAY_CAUSE)
  expect(record.sum('socket')).toBe(136_000)
  const silence = { from: START + 8 * DAY_MS, to: START + 13 * DAY_MS }
  expect(record.energy.answer({ devices: ['socket'], range: silence, standing: false }).energy).toBe(100_000)
})

test('jumps wait over a restart, one by one, and the newest collects the rest beyond their bound', () => {
  const clock = new ManualClock(START)
  const options = { file: join(tempFolder(), 'history.db'), clock, random: systemRandom, log: silentLog }
  const before = openHistory(options)
  const record = recordOf(before, clock)
  for (let round = 0; round < JUMPS_WAITING_MAX + 3; round++) record.after(DAY_MS, 'module:1', round * 50_000)
  record.after(DAY_MS, 'lamp', 0)
  record.after(DAY_MS, 'lamp', 9_000)
  before.close()
  const history = openHistory(options)
  const again = recordOf(history, clock)
  const jumps = again.jumps.list()
  expect(jumps.map(({ device }) => device)).toEqual([...Array<string>(JUMPS_WAITING_MAX).fill('module:1'), 'lamp'])
  expect(jumps.reduce((sum, { mwh }) => sum + mwh, 0)).toBe((JUMPS_WAITING_MAX + 2) * 50_000_000 + 9_000_000)
  // The counter continued during the restart.
  again.after(MINUTE_MS, 'lamp', 9_010)
  expect(again.sum('lamp')).toBe(10)
  history.close()
})

test('a replaced unit starts new counters for itself and its gangs, even twice in a row', () => {
  const clock = new ManualClock(START)
  const file = join(tempFolder(), 'history.db')
  const options = { file, clock, random: systemRandom, log: silentLog }
  const history = openHistory(options)
  const { energy, sum, after } = recordOf(history, clock)
  for (const device of ['module', 'module:0', 'module:1', 'module-2']) after(0, device, 100)
  // Values of the old unit and of the new one in the same turn.
  after(MINUTE_MS, 'module:0', 150)
  energy.resetCounters('module')
  after(MINUTE_MS, 'module:0', 800)
  after(MINUTE_MS, 'module:0', 820)
  energy.resetCounters('module')
  after(MINUTE_MS, 'module:0', 90)
  after(MINUTE_MS, 'module:0', 95)
  after(MINUTE_MS, 'module:1', 900)
  after(MINUTE_MS, 'module', 900)
  after(MINUTE_MS, 'module-2', 130)
  expect([sum('module:0'), sum('module:1'), sum('module'), sum('module-2')]).toEqual([50 + 20 + 5, 0, 0, 30])
  energy.resetCounters('module-2')
  history.close()

  const reopened = openHistory(options)
  const again = recordOf(reopened, clock)
  again.after(MINUTE_MS, 'module-2', 500)
  again.after(MINUTE_MS, 'module:1', 907)
  expect([again.sum('module-2'), again.sum('module:1')]).toEqual([30, 7])
  reopened.close()
})

test('a replacement starts a new counter even while the history accepts no writes', () => {
  const clock = new ManualClock(START)
  const history = tempHistory({ clock })
  const { energy, sum, after } = recordOf(history, clock)
  after(0, 'socket', 100)
  history.writer.flush()
  history.writer.leaveOut(true)
  energy.resetCounters('socket')
  after(MINUTE_MS, 'socket', 700)
  history.writer.leaveOut(false)
  after(MINUTE_MS, 'socket', 720)
  after(MINUTE_MS, 'socket', 725)
  expect(sum('socket')).toBe(5)
})
