import { describe, expect, test } from 'vitest'
import { tempHistory } from '#support/homes/history.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { silentLog } from '../../lib/log.ts'
import { type ActivityEntry, type Cause, GATEWAY_CAUSE, type HomeEvent } from '../model/events.ts'
import type { DeviceState, Readings } from '../model/device.ts'
import { Energy } from './energy.ts'
import { Recorder } from './recorder.ts'

const NOW = Date.UTC(2027, 0, 1)

function recording() {
  const clock = new ManualClock(NOW)
  const history = tempHistory({ clock })
  const energy = new Energy({ store: history.energy, clock, log: silentLog, timeZone: 'UTC', tariffs: null })
  const recorder = new Recorder({
    activity: history.activity,
    detections: history.detections,
    readings: history.readings,
    lastReadings: history.lastReadings,
    energy,
  })
  const entries = (): readonly ActivityEntry[] => [...history.activity.iterate(0, 2 ** 41)]
  return { history, energy, recorder, entries, whats: () => entries().map((entry) => entry.what) }
}

function changed(
  device: string,
  previous: DeviceState | null,
  state: DeviceState,
  cause: Cause,
  rest: Partial<Extract<HomeEvent, { kind: 'state' }>> = {},
): HomeEvent {
  return { kind: 'state', device, state, previous, changed: true, trigger: 'command', cause, asOf: NOW, ...rest }
}

const off = { on: false, mode: 'manual' } as const
const on = { on: true, mode: 'manual' } as const

describe('wrong or missing entries that Home Assistant users reported', () => {
  const touch: Cause = { source: 'unit', name: 'touched at the wall', ref: 'hall' }

  test('siblings of one automation are not blamed for each other (core 133843, frontend 13912, core 66487)', () => {
    const { recorder, entries } = recording()
    const automation: Cause = {
      source: 'automation',
      name: 'Dusk',
      ref: 'dusk',
      by: { source: 'unit', name: 'motion', ref: 'sensor' },
    }
    const scene: Cause = { source: 'scene', name: 'Evening', ref: 'evening', by: automation }
    recorder.onHomeEvent(changed('hall', off, on, automation))
    recorder.onHomeEvent(changed('bath', off, on, scene))
    recorder.onHomeEvent(changed('kitchen', off, on, automation))
    recorder.onHomeEvent(changed('kitchen', on, off, touch))
    expect(entries().map(({ subject, cause }) => ({ subject, cause }))).toEqual([
      { subject: { kind: 'device', id: 'hall' }, cause: automation },
      { subject: { kind: 'device', id: 'bath' }, cause: scene },
      { subject: { kind: 'device', id: 'kitchen' }, cause: automation },
      { subject: { kind: 'device', id: 'kitchen' }, cause: touch },
    ])
  })

  test('a change of an attribute while the light stays on is logged with its own cause (core 182424)', () => {
    const { recorder, entries } = recording()
    const api: Cause = { source: 'integration', name: 'API: Dashboard', integration: 'i', link: 'l' }
    recorder.onHomeEvent(
      changed('lamp', { on: true, bri: 30, mode: 'manual' }, { on: true, bri: 40, mode: 'manual' }, api),
    )
    expect(entries()).toMatchObject([
      { what: 'brightness set to 40 %', cause: api, data: { from: { bri: 30 }, to: { bri: 40 } } },
    ])
  })

  test('the cause is still known after its rule was deleted and everything restarted (core 117133, core 70310)', () => {
    const { recorder, entries, history } = recording()
    const cause: Cause = {
      source: 'automation',
      name: 'Deleted since',
      ref: 'gone',
      by: { source: 'unit', name: 'door', ref: 'gone-too' },
    }
    recorder.onHomeEvent(changed('hall', off, on, cause))
    for (let n = 0; n < 1_000; n++)
      recorder.onHomeEvent(
        changed('hall', n % 2 === 0 ? on : off, n % 2 === 0 ? off : on, touch, { asOf: NOW + 1 + n }),
      )
    history.writer.flush()
    expect(entries()[0]).toMatchObject({ what: 'turned on', cause })
  })

  test('two credentials of one person are two causes (core 68605)', () => {
    const { recorder, entries } = recording()
    const one: Cause = { source: 'integration', name: 'API: Anna', integration: 'anna', link: 'phone' }
    recorder.onHomeEvent(changed('hall', off, on, one))
    recorder.onHomeEvent(changed('hall', on, off, { ...one, link: 'script' }))
    expect(entries().map((entry) => entry.cause.link)).toEqual(['phone', 'script'])
  })
})

describe('the recorder', () => {
  test('skips unchanged values', () => {
    const { recorder, whats } = recording()
    recorder.onHomeEvent(changed('hall', on, on, GATEWAY_CAUSE, { changed: false }))
    recorder.onHomeEvent(changed('hall', null, on, GATEWAY_CAUSE, { trigger: 'sync' }))
    recorder.onHomeEvent({ kind: 'structure', cause: GATEWAY_CAUSE, at: NOW })
    expect(whats()).toEqual([])
  })

  test('marks a change that was seen only afterwards', () => {
    const { recorder, whats } = recording()
    recorder.onHomeEvent(changed('hall', off, on, GATEWAY_CAUSE, { trigger: 'sync' }))
    expect(whats()).toEqual(['turned on, seen only after a reconnect'])
  })

  test('records two entries for the same remote key twice', () => {
    const { recorder, whats } = recording()
    recorder.onHomeEvent(changed('tv', { key: null }, { key: 'up' }, GATEWAY_CAUSE))
    recorder.onHomeEvent(changed('tv', { key: 'up' }, { key: 'up' }, GATEWAY_CAUSE, { changed: false }))
    expect(whats()).toEqual(['key up sent', 'key up sent'])
  })

  test('stores every detection, and one entry for continuous motion', () => {
    const { recorder, history, whats } = recording()
    const reports = [
      [0, true],
      [60, true],
      [120, true],
      [500, true],
      [510, false],
      [520, true],
    ] as const
    for (const [seconds, value] of reports)
      recorder.onHomeEvent({ kind: 'detection', unit: 'sensor', detection: 'motion', value, at: NOW + seconds * 1_000 })
    for (const value of [true, false])
      recorder.onHomeEvent({ kind: 'detection', unit: 'sensor', detection: 'door', value, at: NOW + 600_000 })
    expect(history.detections.page('sensor', null, 50)?.detections).toHaveLength(8)
    expect(whats()).toEqual(['motion detected', 'motion detected', 'motion detected', 'door opened', 'door closed'])
  })

  test('stores a reading when it changes, and now and then otherwise', () => {
    const { recorder, history } = recording()
    const reports = [
      [0, 20],
      [60, 20],
      [120, 21],
      [660, 21],
      [720, 21],
    ] as const
    for (const [seconds, temperature] of reports) {
      recorder.onHomeEvent({
        kind: 'readings',
        device: 'sensor',
        readings: { temperature, motion: true },
        previous: null,
        changed: true,
        asOf: NOW + seconds * 1_000,
      })
    }
    const points = [...history.readings.iterate(NOW, NOW + 1e7)]
    expect(points.filter((point) => point.kind === 'temperature').map((point) => [point.at - NOW, point.mean])).toEqual(
      [
        [0, 20],
        [120_000, 21],
        [720_000, 21],
      ],
    )
    expect(points.filter((point) => point.kind === 'motion').map((point) => point.mean)).toEqual([1, 1])
  })

  test('stores the last value of every reading, and no plot of the energy counter', () => {
    const { recorder, history } = recording()
    const reported = (seconds: number, readings: Readings): void =>
      recorder.onHomeEvent({
        kind: 'readings',
        device: 'panel:2',
        readings,
        previous: null,
        changed: true,
        asOf: NOW + seconds * 1_000,
      })
    reported(0, { power: 60, energy: 1_000, tamper: true })
    reported(10, { power: 61, energy: 1_001, tamper: true })
    reported(20, { power: 0, energy: 1_002, tamper: false })
    reported(30, { power: 60, energy: 1_002, tamper: false })
    reported(95, { power: 61, energy: 1_003, tamper: false })
    expect(history.lastReadings.all()).toEqual([
      { device: 'panel:2', kind: 'energy', at: NOW + 95_000, value: 1_003 },
      { device: 'panel:2', kind: 'power', at: NOW + 95_000, value: 61 },
      { device: 'panel:2', kind: 'tamper', at: NOW + 20_000, value: 0 },
    ])
    const points = [...history.readings.iterate(NOW, NOW + 1e7)]
    expect(points.filter(({ kind }) => kind === 'power').map(({ at, mean }) => [at - NOW, mean])).toEqual([
      [0, 60],
      [20_000, 0],
      [30_000, 60],
      [95_000, 61],
    ])
    expect(new Set(points.map(({ kind }) => kind))).toEqual(new Set(['power', 'tamper']))
  })

  test('deletes the last values of a replaced unit and its gangs', () => {
    const { recorder, history } = recording()
    const readings = { power: 60 }
    const reported = (device: string): void =>
      recorder.onHomeEvent({ kind: 'readings', device, readings, previous: null, changed: true, asOf: NOW })
    for (const device of ['panel', 'panel:1', 'panel2', 'panel-b:1', 'lamp']) reported(device)
    recorder.onHomeEvent({ kind: 'rebound', unit: 'panel', cause: GATEWAY_CAUSE, at: NOW })
    const devices = (): readonly string[] => history.lastReadings.all().map(({ device }) => device)
    expect(devices().toSorted()).toEqual(['lamp', 'panel-b:1', 'panel2'])
    reported('panel')
    expect(devices()).toContain('panel')
  })

  test('records energy, lost and found units and the adapter', () => {
    const { recorder, whats, energy } = recording()
    recorder.onHomeEvent({ kind: 'energy', device: 'lamp', energyWh: 100, powerW: 5, at: NOW })
    recorder.onHomeEvent({ kind: 'energy', device: 'lamp', energyWh: 103, powerW: 5, at: NOW + 60_000 })
    for (const reachable of [false, true]) recorder.onHomeEvent({ kind: 'unit', unit: 'lamp', reachable, at: NOW })
    for (const down of ['port', null] as const) recorder.onHomeEvent({ kind: 'link', down, at: NOW })
    expect(whats()).toEqual([
      'stopped answering',
      'answers again',
      'the unit adapter was lost: its port cannot be opened',
      'the unit adapter carries frames again',
    ])
    expect(energy.answer({ devices: ['lamp'], range: { from: NOW, to: NOW + 900_000 }, standing: false }).energy).toBe(
      3,
    )
  })
})
