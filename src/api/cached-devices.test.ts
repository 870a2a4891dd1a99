import { expect, test } from 'vitest'
import { QuietBus } from '#support/bus/quiet-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { homeInfo, unitOf } from '#support/homes/house-content.ts'
import { SERIAL, storedHouse } from '#support/homes/stored-house.ts'
import type { ExposedDevice } from '../exposure/exposed-house.ts'
import { GroupMembers } from '../exposure/group-members.ts'
import { ExposedHouse } from '../exposure/exposed-house.ts'
import { DEFAULT_KNOBS } from '../exposure/knobs.ts'
import { type HomeEvent, GATEWAY_CAUSE } from '../home/model/events.ts'
import { LiveHome } from '../home/live/live-home.ts'
import type { DeviceState } from '../home/model/device.ts'
import { Emitter } from '../lib/emitter.ts'
import { deviceOf, liveValues } from './device-json.ts'
import { CACHED_DEVICES_MAX, CACHED_INTENTS_MAX, CachedDevices, CachedIntents } from './cached-devices.ts'

const LAMPS = 3

/** A home of some lamps, a module and a heated switch, as one integration sees it. */
function lamps() {
  const house = storedHouse({
    info: homeInfo({ name: 'Seeheim' }),
    floors: [],
    rooms: [],
    units: [
      ...Array.from({ length: LAMPS }, (_, n) => unitOf(`lamp-${n}`, n + 1, { class: 'light_dimmer', model: 'HMHH' })),
      unitOf('strip', 10, {
        class: 'gang_module',
        model: 'HMHHX2',
        gangs: [{ gang: 0, name: 'stove', class: 'switch_gang', room: null }],
      }),
      unitOf('heater', 11, { class: 'power_switch', model: 'HMPH' }),
    ],
    scenes: [],
  })
  const events = new Emitter<HomeEvent>((error) => {
    throw error
  })
  const live = new LiveHome({
    house,
    bus: new QuietBus(() => house.units.values()),
    events,
    clock: new ManualClock(1_000),
  })
  const integration = { id: 'me', name: 'Me', enabled: true, exposure: { expose: 'All' }, knobs: DEFAULT_KNOBS }
  const members = new GroupMembers(house, { get: () => undefined })
  const view = (): ExposedHouse => new ExposedHouse(house, { ...integration, createdAt: 0 } as never, SERIAL, members)
  const confirm = (key: string, state: DeviceState): void => live.confirm(key, state, 'command', GATEWAY_CAUSE)
  return { house, live, view, confirm }
}

function deviceIn(view: ExposedHouse, key: string): ExposedDevice {
  const found = [...view.units, ...view.units.flatMap(({ gangs }) => gangs)].find((device) => device.key === key)
  if (found === undefined) throw new Error(`There is no ${key}.`)
  return found
}

test('a device is serialised again after a report of its unit, and always has its current values', () => {
  const { live, view: viewed, confirm } = lamps()
  const [cache, view] = [new CachedDevices(live), viewed()]
  const lamp = deviceIn(view, 'lamp-0')
  const first = cache.of(view, lamp)
  expect(cache.of(view, lamp)).toBe(first)
  confirm('lamp-0', { on: true, bri: 40, mode: 'manual' })
  confirm('strip:0', { on: true, mode: 'manual' })
  confirm('heater', { on: true, mode: 'manual', temp: 21, powerW: null } as unknown as DeviceState)
  for (const key of ['lamp-0', 'lamp-1', 'strip', 'strip:0', 'heater']) {
    const device = deviceIn(view, key)
    const { text, bytes } = cache.of(view, device)
    expect(text).toBe(JSON.stringify({ house: 'Seeheim', device: deviceOf(device, liveValues(live)) }))
    expect(bytes).toBe(Buffer.byteLength(text))
  }
  expect(cache.of(view, lamp).text).toContain('"bri":40')
  expect(cache.of(view, deviceIn(view, 'heater')).text).toContain('"set_temp"')
})

test('a rebuilt view gets no cached device of the old view', () => {
  const { house, live, view: viewed } = lamps()
  const [cache, before] = [new CachedDevices(live), viewed()]
  expect(cache.of(before, deviceIn(before, 'lamp-0')).text).toContain('"name":"lamp-0"')
  house.renameDevice({ unit: 'lamp-0', gang: null }, 'Reading lamp', GATEWAY_CAUSE)
  const after = viewed()
  expect(cache.of(after, deviceIn(after, 'lamp-0')).text).toContain('"name":"Reading lamp"')
})

test('the settings of a device are serialised again with their revision, and their tag depends only on the text', () => {
  const { view: viewed } = lamps()
  const [cache, view] = [new CachedIntents(), viewed()]
  const lamp = deviceIn(view, 'lamp-0')
  let made = 0
  const text = (): string => `{"made":${(made += 1)}}`
  const first = cache.of(lamp, 1, text)
  expect(cache.of(lamp, 1, text)).toBe(first)
  const second = cache.of(lamp, 2, text)
  expect([first.text, second.text, made]).toEqual(['{"made":1}', '{"made":2}', 2])
  expect(second.etag).not.toBe(first.etag)
  expect(cache.of(deviceIn(viewed(), 'lamp-0'), 2, () => '{"made":2}').etag).toBe(second.etag)
})

test('the cache has a limit and drops its oldest entries first', () => {
  const { live, view: viewed } = lamps()
  const [devices, intents, view] = [new CachedDevices(live), new CachedIntents(), viewed()]
  const lamp = deviceIn(view, 'lamp-0')
  const [device, settings] = [devices.of(view, lamp), intents.of(lamp, 1, () => '{}')]
  const others = (count: number): ExposedDevice[] => Array.from({ length: count }, () => ({ ...lamp }))
  for (const other of others(CACHED_INTENTS_MAX - 1)) intents.of(other, 1, () => '{}')
  expect(intents.of(lamp, 1, () => '{}')).toBe(settings)
  intents.of({ ...lamp }, 1, () => '{}')
  expect(intents.of(lamp, 1, () => '{}')).not.toBe(settings)
  for (const other of others(CACHED_DEVICES_MAX - 1)) devices.of(view, other)
  expect(devices.of(view, lamp)).toBe(device)
  devices.of(view, { ...lamp })
  expect(devices.of(view, lamp)).not.toBe(device)
})
