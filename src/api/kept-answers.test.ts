import { expect, test } from 'vitest'
import { QuietBus } from '#support/bus/quiet-bus.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import { homeInfo, unitOf } from '#support/homes/house-content.ts'
import { SERIAL, storedHouse } from '#support/homes/stored-house.ts'
import type { ExposedDevice } from '../exposure/exposed-house.ts'
import { ExposedHouse } from '../exposure/exposed-house.ts'
import { DEFAULT_KNOBS } from '../exposure/knobs.ts'
import { type HomeEvent, GATEWAY_CAUSE } from '../home/model/events.ts'
import { LiveHome } from '../home/live/live-home.ts'
import type { DeviceState } from '../home/model/device.ts'
import { Emitter } from '../lib/emitter.ts'
import { deviceOf, liveValues } from './device-json.ts'
import { KEPT_DEVICES_MAX, KEPT_INTENTS_MAX, KeptDevices, KeptIntents } from './kept-answers.ts'

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
  const view = (): ExposedHouse => new ExposedHouse(house, { ...integration, createdAt: 0 } as never, SERIAL)
  const confirm = (key: string, state: DeviceState): void => live.confirm(key, state, 'command', GATEWAY_CAUSE)
  return { house, live, view, confirm }
}

function deviceIn(view: ExposedHouse, key: string): ExposedDevice {
  const found = [...view.units, ...view.units.flatMap(({ gangs }) => gangs)].find((device) => device.key === key)
  if (found === undefined) throw new Error(`There is no ${key}.`)
  return found
}

test('a device is written anew when a unit has said something, and is always as its values are', () => {
  const { live, view: viewed, confirm } = lamps()
  const [kept, view] = [new KeptDevices(live), viewed()]
  const lamp = deviceIn(view, 'lamp-0')
  const first = kept.of(view, lamp)
  expect(kept.of(view, lamp)).toBe(first)
  confirm('lamp-0', { on: true, bri: 40, mode: 'manual' })
  confirm('strip:0', { on: true, mode: 'manual' })
  confirm('heater', { on: true, mode: 'manual', temp: 21, powerW: null } as unknown as DeviceState)
  for (const key of ['lamp-0', 'lamp-1', 'strip', 'strip:0', 'heater']) {
    const device = deviceIn(view, key)
    const { whole, bytes } = kept.of(view, device)
    expect(whole).toBe(JSON.stringify({ house: 'Seeheim', device: deviceOf(device, liveValues(live)) }))
    expect(bytes).toBe(Buffer.byteLength(whole))
  }
  expect(kept.of(view, lamp).whole).toContain('"bri":40')
  expect(kept.of(view, deviceIn(view, 'heater')).whole).toContain('"set_temp"')
})

test('a view that was built anew gets nothing of the one before', () => {
  const { house, live, view: viewed } = lamps()
  const [kept, before] = [new KeptDevices(live), viewed()]
  expect(kept.of(before, deviceIn(before, 'lamp-0')).whole).toContain('"name":"lamp-0"')
  house.renameDevice({ unit: 'lamp-0', gang: null }, 'Reading lamp', GATEWAY_CAUSE)
  const after = viewed()
  expect(kept.of(after, deviceIn(after, 'lamp-0')).whole).toContain('"name":"Reading lamp"')
})

test('the settings of a device are written anew with their revision, and their tag comes of the text alone', () => {
  const { view: viewed } = lamps()
  const [kept, view] = [new KeptIntents(), viewed()]
  const lamp = deviceIn(view, 'lamp-0')
  let made = 0
  const text = (): string => `{"made":${(made += 1)}}`
  const first = kept.of(lamp, 1, text)
  expect(kept.of(lamp, 1, text)).toBe(first)
  const second = kept.of(lamp, 2, text)
  expect([first.whole, second.whole, made]).toEqual(['{"made":1}', '{"made":2}', 2])
  expect(second.etag).not.toBe(first.etag)
  expect(kept.of(deviceIn(viewed(), 'lamp-0'), 2, () => '{"made":2}').etag).toBe(second.etag)
})

test('no more is kept than there may be: what was made first goes', () => {
  const { live, view: viewed } = lamps()
  const [devices, intents, view] = [new KeptDevices(live), new KeptIntents(), viewed()]
  const lamp = deviceIn(view, 'lamp-0')
  const [device, settings] = [devices.of(view, lamp), intents.of(lamp, 1, () => '{}')]
  const others = (count: number): ExposedDevice[] => Array.from({ length: count }, () => ({ ...lamp }))
  for (const other of others(KEPT_INTENTS_MAX - 1)) intents.of(other, 1, () => '{}')
  expect(intents.of(lamp, 1, () => '{}')).toBe(settings)
  intents.of({ ...lamp }, 1, () => '{}')
  expect(intents.of(lamp, 1, () => '{}')).not.toBe(settings)
  for (const other of others(KEPT_DEVICES_MAX - 1)) devices.of(view, other)
  expect(devices.of(view, lamp)).toBe(device)
  devices.of(view, { ...lamp })
  expect(devices.of(view, lamp)).not.toBe(device)
})
