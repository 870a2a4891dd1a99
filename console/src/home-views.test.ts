import { effect } from '@preact/signals'
import { expect, test, vi } from 'vitest'
import type { SensorState } from '@hm-gateway/client/src/browser.ts'
import type { Attention } from './lib/admin-contract.ts'
import { roomClimate } from './pages/home/room-climate.ts'
import { scaleOf } from './pages/home/scale.ts'
import { measures, stateWords } from './words/state.ts'
import { attentionPath } from './stores/attention-path.ts'
import { now, secondsLeft, setGatewayClock } from './stores/gateway-clock.ts'
import { dayOf, homeTime, inHome, withHomeDays } from './stores/home-time.ts'
import { house } from './stores/house.ts'
import { alarms, updateReading, setReadings } from './stores/readings.ts'

const lamp = { id: 'gw:owner:hall-light', name: 'Hall light' }
const floors = [
  { id: 'ground', name: 'Ground floor', rooms: [{ id: 'hall', name: 'Hall', devices: [lamp], units: [] }] },
]

test('problems link to the page that can solve them', () => {
  const pathFor = (kind: Attention['kind'], device: string | null = null): string =>
    attentionPath({ kind, device, level: 'attention', what: 'A sentence.', count: 1, at: null }, floors)
  expect(pathFor('unit_silent', 'hall-light')).toBe('/console/device/gw%3Aowner%3Ahall-light')
  expect(pathFor('battery', 'hidden-device')).toBe('/console/rooms')
  expect(pathFor('unit_without_place')).toBe('/console/rooms')
  expect(pathFor('certificate')).toBe('/console/system/certificates')
  expect(pathFor('incident')).toBe('/console/system')
})

test('the climate of a room comes from its sensors, or from its switches if there are none', () => {
  const byLamp = { is: 'light_switch', reading: { asOf: 0, temperature: 26, power: 40 } }
  const bySensor = { is: 'sensor', reading: { asOf: 0, temperature: 20.44, humidity: 43.2, power: 2 } }
  expect(roomClimate([byLamp, bySensor])).toEqual(['20.4\u00a0°C', '43\u00a0%', '42\u00a0W'])
  expect(roomClimate([byLamp])).toEqual(['26\u00a0°C', '40\u00a0W'])
  expect(roomClimate([{ is: 'lock', reading: null }])).toEqual([])
  expect(roomClimate([{ is: 'power_switch', reading: { asOf: 0, power: 0 } }])).toEqual([])
})

test('a plot covers all values from zero to a round number', () => {
  expect(scaleOf(1.63)).toEqual({ top: 2, steps: [2, 1, 0] })
  expect(scaleOf(13.8)).toEqual({ top: 20, steps: [20, 10, 0] })
  expect(scaleOf(0).top).toBeGreaterThan(0)
})

test('a moving cover has its direction in words, and a device without a report has no words', () => {
  const moving = { class: 'shutter', state: { asOf: 0, pos: 60, move: 'closing', mode: 'auto' } } as const
  expect(stateWords(moving)).toBe('Closing · 60\u00a0%')
  expect(stateWords({ ...moving, state: { ...moving.state, move: 'stopped' } })).toBe('Open 60\u00a0%')
  expect(stateWords({ class: 'lock', state: null })).toBeNull()
})

test('measurements have names and units', () => {
  const measured = measures({ motion: true, co2: 548, temperature: 20.44, door: 'none', battery: 8, energy: 1_234_567 })
  expect(measured.map(({ name, value }) => [name, value])).toEqual([
    ['Temperature', '20.4\u00a0°C'],
    ['CO₂', '548\u00a0ppm'],
    ['Energy counter', '1,234.6\u00a0kWh'],
    ['Motion', 'Detected'],
    ['Battery', '8\u00a0%'],
  ])
})

test('alarms come before all other measurements', () => {
  const sensor = { asOf: 0, battery: 90, temperature: 21, water: true, smoke: false, tamper: true }
  expect(stateWords({ class: 'sensor', state: sensor })).toBe(
    'No smoke · Water · Tampered with · 21\u00a0°C · Battery\u00a090\u00a0%',
  )
  expect(measures(sensor).filter(({ isAlarm }) => isAlarm)).toMatchObject([{ name: 'Water' }, { name: 'Tampering' }])
  expect(measures(sensor)[0]).toEqual({ name: 'Smoke', value: 'None', isAlarm: false })
})

test('alarms of the home follow the reports of its units', () => {
  const alarm = { asOf: 0, smoke: true }
  const sensors = new Map<string, SensorState>([['cellar', { asOf: 0, tamper: true, water: true }]])
  setReadings(sensors)
  sensors.set('hall', alarm)
  updateReading('hall')
  const current = (): readonly string[] => alarms.value.map(({ id, kind }) => `${kind} ${id}`)
  expect(current()).toEqual(['smoke hall', 'water cellar', 'tamper cellar'])
  const before = alarms.value
  sensors.set('hall', { ...alarm, temperature: 20 })
  updateReading('hall')
  expect(alarms.value).toBe(before)
  sensors.set('hall', { ...alarm, smoke: false })
  updateReading('hall')
  expect(current()).toEqual(['water cellar', 'tamper cellar'])
})

test('a countdown never exceeds its whole period, even if the clocks differ', () => {
  const ten = { from: 5_000, until: 605_000 }
  expect(secondsLeft(ten, 4_300)).toBe(600)
  expect(secondsLeft(ten, 5_000)).toBe(600)
  expect(secondsLeft(ten, 604_001)).toBe(1)
  expect(secondsLeft(ten, 605_000)).toBe(0)
})

test('moments use the gateway clock and the home time zone, and show another year', () => {
  house.value = { house: 'Home', timeZone: 'Asia/Tokyo', floors: [], rooms: [], units: [] } as unknown as NonNullable<
    typeof house.value
  >
  const at = Date.UTC(2026, 10, 23, 16)
  setGatewayClock(at + 3_600_000)
  const stop = effect(() => void now.value)
  expect(dayOf(at)).toBe('2026-11-24')
  expect(homeTime(at)).toBe('01:00')
  expect(inHome(at - 6 * 3_600_000, { timeStyle: 'short' })).toBe('19:00')
  const [yesterday, lastYear] = [1, 365].map((days) => homeTime(at - days * 86_400_000))
  expect(yesterday).toContain('23')
  expect(yesterday).not.toContain('2026')
  expect(lastYear).toContain('2025')
  // Days in the gateway's sentences get the console's format, without line breaks.
  expect(withHomeDays('Hall light turned off at 18:47 on 2026-11-22: Anna.')).toBe(
    `Hall light turned off at 18:47 on ${inHome(at - 2 * 86_400_000, { day: 'numeric', month: 'short' }).replace(' ', '\u00a0')}: Anna.`,
  )
  expect(withHomeDays('at 18:47 on 2025-11-22')).toContain('2025')
  expect(withHomeDays('Scene 2026-11-22 ran at 18:47.')).toBe('Scene 2026-11-22 ran at 18:47.')
  expect(`${yesterday}${lastYear}`).not.toContain(' ')
  stop()
  house.value = null
})

test('a moment uses the gateway clock from its first event on', () => {
  house.value = { house: 'Home', timeZone: 'UTC', floors: [], rooms: [], units: [] } as unknown as NonNullable<
    typeof house.value
  >
  setGatewayClock(Date.UTC(2026, 10, 24, 1))
  const rendered: string[] = []
  const stop = effect(() => void rendered.push(homeTime(Date.UTC(2026, 10, 23, 11))))
  setGatewayClock(Date.UTC(2026, 10, 23, 11, 1))
  expect(rendered.at(-1)).toBe('11:00')
  stop()
  house.value = null
})

test('a moment renders again when the day ends, not on every tick', () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 23, 23, 58) })
  house.value = { house: 'Home', timeZone: 'UTC', floors: [], rooms: [], units: [] } as unknown as NonNullable<
    typeof house.value
  >
  setGatewayClock(Date.now())
  const at = Date.now() - 60_000
  const rendered: string[] = []
  const stop = effect(() => void rendered.push(homeTime(at)))
  vi.advanceTimersByTime(60_000)
  expect(rendered).toEqual(['23:57'])
  vi.advanceTimersByTime(120_000)
  expect(rendered).toHaveLength(2)
  expect(rendered[1]).toContain('23')
  stop()
  house.value = null
  vi.useRealTimers()
})
