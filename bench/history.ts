import { join } from 'node:path'
import { type HistoryDb, openHistory } from '../src/db/history/history-db.ts'
import { HOURS_KEPT_MS, MINUTES_KEPT_MS, RAW_KEPT_MS } from '../src/db/history/reading-store.ts'
import { explain } from '../src/home/explain/explain.ts'
import type { ExplainSources, ExplainView } from '../src/home/explain/explanation.ts'
import type { Device } from '../src/home/house/house.ts'
import type { Cause } from '../src/home/model/events.ts'
import type { Unit } from '../src/home/model/house.ts'
import type { SubjectFilter } from '../src/home/ports/history-store.ts'
import { Energy } from '../src/home/record/energy.ts'
import { parseTariffs } from '../src/home/record/tariff.ts'
import type { Clock } from '../src/lib/clock.ts'
import { systemClock } from '../src/lib/clock.ts'
import { silentLog } from '../src/lib/log.ts'
import { systemRandom } from '../src/lib/random.ts'
import { threadMs } from './held-loop.ts'
import { atMost, percentile } from './report.ts'
import { scratch } from './scratch.ts'
import { DAY_MS, HOUR_MS } from '../src/lib/durations.ts'

const UNITS = 300
/** Loads with a counter, all part of the energy request for a year. */
const METERED = 30
const SENSORS = 24
const ROUNDS = 300
const FILL_AT_ONCE = 5_000
/** The unit with ten years of readings. */
const LONG_READ = 'unit-long'

/**
 * Requests for activity, explanations and energy over a long history. The targets hold for 10,000,000 rows of activity
 * and 5 years of readings and energy.
 */
export async function benchHistory(rows: number, years: number): Promise<void> {
  using folder = scratch()
  const now = systemClock.now()
  const clock: Clock = { ...systemClock, now: () => now }
  const history = openHistory({
    file: join(folder.path, 'history.db'),
    clock,
    random: systemRandom,
    log: silentLog,
    bytesMax: 2 ** 36,
  })
  try {
    const tariffs = parseTariffs({ name: 'Flex', rates: [{ price: 0.2, from: '22:00', to: '06:00' }, { price: 0.3 }] })
    const energy = new Energy({
      store: history.energy,
      clock,
      log: silentLog,
      timeZone: 'Europe/Berlin',
      tariffs: tariffs.ok ? tariffs.value : null,
    })
    await fillActivity(history, rows, years * 365 * DAY_MS, now)
    await fillReadings(history, years, now)
    await fillEnergy(history, energy, years, now)
    const size = `${rows.toLocaleString('en')} rows, ${years} years, ${Math.round(history.upkeep.usage().bytes / 2 ** 20)} MiB`
    const before = process.memoryUsage.rss()
    pages(history, now, size)
    explanations(history, now, size)
    years365(energy, now, size)
    await tenYears(history, now)
    const grown = Math.round((process.memoryUsage.rss() - before) / 2 ** 20)
    atMost('memory that all of these took', grown, { most: 64, unit: 'MiB', detail: size })
  } finally {
    history.close()
  }
}

async function fillActivity(history: HistoryDb, rows: number, span: number, now: number): Promise<void> {
  const motion: Cause = { source: 'unit', name: 'motion', ref: 'unit-1' }
  const causes: readonly Cause[] = [
    motion,
    { source: 'person', name: 'Anna' },
    { source: 'automation', name: 'Dusk', ref: 'dusk', by: motion },
  ]
  for (let row = 0; row < rows; row += 1) {
    // Few units are busy: the n-th unit has about 1/n of the first one's rows.
    const unit = Math.min(UNITS - 1, Math.floor((UNITS + 1) ** ((row * 0.618_033_988_75) % 1)) - 1)
    const on = row % 2 === 0
    history.activity.record({
      at: now - span + Math.floor((span * row) / rows),
      kind: 'state',
      subject: { kind: 'device', id: `unit-${unit}` },
      what: on ? 'turned on' : 'turned off',
      cause: causes[row % causes.length] ?? motion,
      data: { from: { on: !on }, to: { on } },
    })
    if (row % FILL_AT_ONCE === 0) await history.activity.committed()
  }
  await history.activity.committed()
}

async function fillReadings(history: HistoryDb, years: number, now: number): Promise<void> {
  for (let at = now - years * 365 * DAY_MS; at < now; at += HOUR_MS) {
    for (let sensor = 0; sensor < SENSORS; sensor += 1)
      history.readings.record(`unit-${sensor}`, 'temperature', at, 20 + (at % 7))
    if (at % (100 * HOUR_MS) < HOUR_MS) await history.activity.committed()
  }
  await history.activity.committed()
  while (history.readings.thin(now).moved > 0);
}

async function fillEnergy(history: HistoryDb, energy: Energy, years: number, now: number): Promise<void> {
  for (let at = now - years * 365 * DAY_MS; at < now; at += DAY_MS) {
    for (let load = 0; load < METERED; load += 1) energy.addPast(`unit-${load}`, 960_000 + load, at, at + DAY_MS)
    await history.activity.committed()
  }
}

function pages(history: HistoryDb, now: number, size: string): void {
  const devices = (from: number, to: number): SubjectFilter => ({
    only: Array.from({ length: to - from }, (_, n) => `device:unit-${from + n}`),
  })
  const filters: readonly (readonly [string, SubjectFilter])[] = [
    ['All', { all: true }],
    ['Selected: the rarest unit', devices(UNITS - 1, UNITS)],
    ['Selected: 20 rare units', devices(UNITS - 20, UNITS)],
    ['Selected: 250 of 300 units', devices(50, UNITS)],
  ]
  for (const [name, subjects] of filters) {
    timed(`activity page, ${name}`, 2, size, (round) =>
      history.activity.page({ subjects, from: 0, to: now - round * 1_000_000, limit: 50 }),
    )
  }
}

function explanations(history: HistoryDb, now: number, size: string): void {
  const devices = new Map<string, Device>()
  for (let number = 0; number < UNITS; number += 1) {
    const unit: Unit = {
      id: `unit-${number}`,
      name: `Unit ${number}`,
      address: number + 1,
      model: null,
      class: 'light_switch',
      room: 'room',
      position: number,
      gangs: [],
    }
    devices.set(unit.id, { key: unit.id, unit, gang: null, class: unit.class, name: unit.name, room: unit.room })
  }
  const sources: ExplainSources = {
    house: { devices, scenes: new Map() },
    since: () => 0,
    state: () => ({ state: { on: true, mode: 'auto' }, asOf: now }),
    reachable: () => true,
    linkDown: () => null,
    activity: history.activity,
    detections: history.detections,
    automations: () => [],
    limitedRun: () => null,
    schedules: () => [],
    movedDevices: () => [],
    settings: () => [],
    unitSchedules: () => undefined,
    timeZone: () => 'Europe/Berlin',
  }
  const view: ExplainView = {
    integration: '',
    device: (key) => devices.get(key)?.name ?? null,
    scene: () => null,
    place: () => null,
    automation: () => 'Dusk',
    schedule: () => null,
    mode: () => null,
    person: () => null,
    rule: () => null,
    calendar: () => null,
    actor: (name) => name,
    memberOf: () => null,
    unitsAround: () => ['unit-1', 'unit-2'],
    gangsOf: () => [],
    onlyGangs: () => false,
    showsSettings: true,
    showsUnitSchedules: true,
  }
  for (const [name, unit] of [
    ['the busiest unit', 'unit-0'],
    ['the rarest unit', `unit-${UNITS - 1}`],
  ] as const) {
    timed(`explain, ${name}`, 10, size, (round) =>
      explain({ about: { kind: 'device', id: unit }, from: now - DAY_MS - round, to: now - round, now }, view, sources),
    )
  }
}

function years365(energy: Energy, now: number, size: string): void {
  const devices = Array.from({ length: METERED }, (_, n) => `unit-${n}`)
  timed(`energy of a year, ${METERED} loads`, 20, size, (round) =>
    energy.answer({
      devices,
      range: { from: now - 365 * DAY_MS - round * HOUR_MS, to: now - round * HOUR_MS },
      standing: true,
    }),
  )
  timed(`energy of this month, ${METERED} loads`, 20, size, () =>
    energy.answer({ devices, range: { period: 'month' }, standing: true }),
  )
}

/** Stores ten years of one reading: every half minute of a week, minutes of weeks, hours of years. */
async function fillTenYears(history: HistoryDb, now: number): Promise<number> {
  const spans = [
    [HOURS_KEPT_MS, MINUTES_KEPT_MS, HOUR_MS],
    [MINUTES_KEPT_MS, RAW_KEPT_MS, 60_000],
    [RAW_KEPT_MS, 0, 30_000],
  ] as const
  let rows = 0
  for (const [begin, end, step] of spans) {
    for (let at = now - begin; at < now - end; at += step) {
      history.readings.record(LONG_READ, 'temperature', at, 20 + (rows % 7))
      rows += 1
      if (rows % FILL_AT_ONCE === 0) await history.activity.committed()
    }
  }
  await history.activity.committed()
  while (history.readings.thin(now).moved > 0);
  return rows
}

/** Holds of the event loop during requests for ten years of readings, one and several at once. */
async function tenYears(history: HistoryDb, now: number): Promise<void> {
  const rows = await fillTenYears(history, now)
  for (const together of [1, 8]) {
    const turns: number[] = []
    let last = threadMs()
    let reading = true
    const watch = (): void => {
      const at = threadMs()
      turns.push(at - last)
      last = at
      if (reading) setImmediate(watch)
    }
    setImmediate(watch)
    const begun = performance.now()
    await Promise.all(
      Array.from({ length: together }, (_, n) =>
        history.readings.range(LONG_READ, 'temperature', now - HOURS_KEPT_MS + n, now, 1_000),
      ),
    )
    const took = performance.now() - begun
    reading = false
    const detail = `${took.toFixed(0)} ms until all were answered; ${rows.toLocaleString('en')} rows`
    const work = `longest turn while ten years of readings are read, ${together} at once`
    atMost(work, Math.max(...turns), { most: 20, unit: 'ms', digits: 1, detail })
  }
}

function timed(work: string, targetMs: number, detail: string, run: (round: number) => unknown): void {
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now()
    run(round)
    times.push(performance.now() - begun)
  }
  const p99 = `p99 ${percentile(times, 0.99).toFixed(2)} ms; ${detail}`
  atMost(work, percentile(times, 0.5), { most: targetMs, unit: 'ms', digits: 2, detail: p99 })
}
