import { effect } from '@preact/signals'
import { expect, test } from 'vitest'
import { attentionOf } from '../../console/src/pages/home/attention-list.ts'
import { roomClimate } from '../../console/src/pages/home/room-climate.ts'
import { scaleOf } from '../../console/src/pages/home/scale.ts'
import { stateWords } from '../../console/src/state-words.ts'
import { now, setGatewayClock } from '../../console/src/stores/gateway-clock.ts'
import { house } from '../../console/src/stores/house.ts'
import { dayOf, homeTime, inHome } from '../../console/src/stores/home-time.ts'

const lamp = { id: 'gw:owner:hall-light', name: 'Hall light' }
const floors = [
  { id: 'ground', name: 'Ground floor', rooms: [{ id: 'hall', name: 'Hall', devices: [lamp], units: [] }] },
]

test('what needs attention names units as people call them, and leads to their pages', () => {
  const status = {
    incidents: [{ id: 1, at: 0, what: 'The configuration was restored.' }],
    units: { link: 'up', unreachable: ['hall-light'], otherClass: [], withoutPlace: 2 },
    disk: { state: 'low' },
    certificateUntil: '2027-01-01T00:00:00Z',
  } as unknown as Parameters<typeof attentionOf>[0]['status']
  const told = attentionOf({ status, batteries: new Map([[lamp.id, 8]]), floors, now: Date.UTC(2026, 11, 25) })
  expect(told.map(({ what, path }) => [what, path])).toEqual([
    ['The configuration was restored.', '/console/system'],
    ['The disk of the gateway is nearly full', '/console/system'],
    [expect.stringMatching(/^The certificate of the gateway ends on /), '/console/system'],
    ['2 units have no place yet', '/console/rooms'],
    ['Hall light does not answer', '/console/device/gw%3Aowner%3Ahall-light'],
    ['Hall light: battery 8 %', '/console/device/gw%3Aowner%3Ahall-light'],
  ])
})

test('of the climate of a room its sensors are asked, and its switches where there is none', () => {
  const byLamp = { is: 'light_switch', reading: { asOf: 0, temperature: 26, power: 40 } }
  const bySensor = { is: 'sensor', reading: { asOf: 0, temperature: 20.44, humidity: 43.2, power: 2 } }
  expect(roomClimate([byLamp, bySensor])).toEqual(['20.4 °C', '43 %', '42 W'])
  expect(roomClimate([byLamp])).toEqual(['26 °C', '40 W'])
  expect(roomClimate([{ is: 'lock', reading: null }])).toEqual([])
})

test('a plot begins at zero and ends at a round number that nothing passes', () => {
  expect(scaleOf(1.63)).toEqual({ top: 2, steps: [2, 1, 0] })
  expect(scaleOf(13.8)).toEqual({ top: 20, steps: [20, 10, 0] })
  expect(scaleOf(0).top).toBeGreaterThan(0)
})

test('a cover on its way says so, and what was never heard has no words', () => {
  const moving = { class: 'shutter', state: { asOf: 0, pos: 60, move: 'closing', mode: 'auto' } } as const
  expect(stateWords(moving)).toBe('Closing · 60 %')
  expect(stateWords({ ...moving, state: { ...moving.state, move: 'stopped' } })).toBe('Open 60 %')
  expect(stateWords({ class: 'lock', state: null })).toBeNull()
})

test('moments are told by the clocks of the gateway and the home, with the year where it is another', () => {
  house.value = { house: 'Home', timeZone: 'Asia/Tokyo', floors: [], rooms: [], units: [] } as unknown as NonNullable<
    typeof house.value
  >
  const at = Date.UTC(2026, 10, 23, 16)
  setGatewayClock(at + 3_600_000)
  const stop = effect(() => void now.value)
  expect(dayOf(at)).toBe('2026-11-24')
  expect(homeTime(at)).toBe(inHome(at, { hour: '2-digit', minute: '2-digit' }))
  const [yesterday, lastYear] = [1, 365].map((days) => homeTime(at - days * 86_400_000))
  expect(yesterday).toContain('23')
  expect(yesterday).not.toContain('2026')
  expect(lastYear).toContain('2025')
  stop()
  house.value = null
})
