import { withEdit } from '../../../../src/home/model/house.ts'
import { type DeviceState, type DeviceKey, parseDeviceKey } from '../../../../src/home/model/device.ts'
import type { Cause } from '../../../../src/home/model/events.ts'
import { PRESENCES } from '../../../../src/home/model/presence.ts'
import type { Device } from '../../../../src/home/house/house.ts'
import { NEIGHBOUR_ID, type NoninterferenceHome, WATCHED_ID } from './home.ts'
import { editVisibleRule, HIDDEN_RULES } from './rule-events.ts'
import { ANNA, hiddenKeys, visibleKeys, watchedView } from './watched-view.ts'

const NEIGHBOUR: Cause = {
  source: 'integration',
  name: 'API: Neighbour',
  integration: NEIGHBOUR_ID,
  link: 'link100000',
}

/** An event in the home, at one of its devices; `value` from 0 to 99 chooses it. */
type HomeAction = (tested: NoninterferenceHome, key: DeviceKey, value: number) => void

const AT_DEVICES: readonly HomeAction[] = [
  (tested, key, value) => {
    // A module has only the states of its gangs: no frame reports its own (docs/hmhc.md).
    if (deviceAt(tested, key).class === 'gang_module') return
    tested.bus.report({
      kind: 'state',
      target: targetOf(tested, key),
      state: stateFor(tested, key, value),
      trigger: value % 2 === 0 ? 'touch' : 'motion',
    })
  },
  (tested, key, value) =>
    tested.bus.report({
      kind: 'readings',
      address: targetOf(tested, key).address,
      readings: { temperature: 15 + value / 10, motion: value > 50 },
    }),
  (tested, key, value) =>
    tested.bus.report({
      kind: 'detection',
      address: targetOf(tested, key).address,
      detection: 'motion',
      value: value % 3 > 0,
    }),
  (tested, key, value) =>
    tested.bus.report({ kind: 'energy', ...targetOf(tested, key), energyWh: 1_000 + value * 10, powerW: value }),
  (tested, key, value) =>
    tested.bus.report({
      kind: 'registers',
      target: targetOf(tested, key),
      values: { off_delay_s: value % 60, led_mode: value % 3 },
    }),
  (tested, key, value) =>
    void tested.home.control.perform(
      { device: key, command: { op: 'set_power', args: { on: value % 2 === 0 } } },
      value < 50 ? NEIGHBOUR : ANNA,
      'person',
    ),
  (tested, key, value) =>
    tested.bus.report({
      kind: 'touch',
      target: targetOf(tested, key),
      key: value % 2 === 0 ? 'up' : 'down',
      press: value % 3 === 0 ? 'long' : 'short',
    }),
]

/** Indexes of the events about the whole unit. */
const SENSED: readonly number[] = [1, 2]

/** An event at a visible device: the same in both homes. */
export function causeVisibleEvent(tested: NoninterferenceHome, which: number, value: number): void {
  const keys = visibleKeys(tested)
  const key = keys[which % keys.length]
  if (key === undefined) return
  const device = deviceAt(tested, key)
  const kind = value % (AT_DEVICES.length + 5)
  const happening = AT_DEVICES[kind]
  // Readings and detections belong to the unit: a gang visible alone does not show them.
  if (happening && (!SENSED.includes(kind) || device.gang === null)) return happening(tested, key, value)
  if (kind === AT_DEVICES.length) return tested.bus.setSilent(device.unit, !tested.bus.silent.has(device.unit.address))
  if (kind === AT_DEVICES.length + 1)
    return void tested.home.house.renameDevice(parseDeviceKey(key), `Seen ${value}`, ANNA)
  if (kind === AT_DEVICES.length + 2) return editVisibleRule(tested, which, value)
  if (kind === AT_DEVICES.length + 3) return turnKnob(tested)
  const scenes = watchedView(tested).scenes
  const scene = scenes[value % Math.max(1, scenes.length)]
  if (scene) tested.home.rules.scenes.run(scene.local, NEIGHBOUR, 'person')
}

/** An administrator switches a knob of the watched integration, with no other visible effect. */
function turnKnob(tested: NoninterferenceHome): void {
  const watched = watchedView(tested).integration
  tested.access.integrations.change(watched, { knobs: { mdns: watched.knobs.mdns === 'on' ? 'off' : 'on' } }, ANNA)
}

/** A hidden thing changes a visible one. */
export function causeEventByHidden(tested: NoninterferenceHome, which: number, value: number): void {
  const keys = visibleKeys(tested)
  const key = keys[which % keys.length]
  if (key === undefined) return
  const hidden = hiddenKeys(tested)
  if (value % 4 === 0) return openedByHidden(tested)
  const rule: Cause = {
    source: 'automation',
    name: tested.disguise.name('Scheme'),
    ref: `gone-${tested.dice.whole(0, 9)}`,
  }
  const spied: Cause =
    hidden.length === 0
      ? rule
      : {
          source: 'automation',
          name: tested.disguise.name('Scheme'),
          ref: 'gone',
          by: {
            source: 'unit',
            name: tested.disguise.name('motion'),
            ref: hidden[tested.dice.whole(0, hidden.length - 1)] ?? '',
          },
        }
  const causes: readonly [Cause, ...Cause[]] = [rule, { ...rule, source: 'schedule' }, spied]
  tested.home.live.confirm(key, stateFor(tested, key, value), 'command', tested.dice.pick(causes))
}

/** A hidden scene would open a visible lock, but its author may not. */
function openedByHidden(tested: NoninterferenceHome): void {
  const { house, rules } = tested.home
  const plot = house.scenes.get('plot')
  if (!plot || watchedView(tested).showsScene(plot.id)) return
  const steps = [{ device: 'bolt', op: 'open' }] as const
  house.saveScene({ ...plot, steps, revision: plot.revision + 1, author: tested.nobody() }, 'edited', ANNA)
  rules.scenes.run(plot.id, ANNA, 'automation')
}

/** A random hidden event, different in each home. */
export function causeHiddenEvent(tested: NoninterferenceHome): void {
  const { dice } = tested
  const hidden = hiddenKeys(tested)
  const acts: (() => void)[] = [...INTEGRATIONS, ...PEOPLE, ...HIDDEN_RULES].map((act) => () => act(tested))
  if (hidden.length > 0) {
    for (const [kind, happening] of AT_DEVICES.entries()) {
      acts.push(() => {
        const key = dice.pick(hidden as [DeviceKey, ...DeviceKey[]])
        // A reading or detection belongs to the whole unit, even if its gangs are hidden.
        if (!SENSED.includes(kind) || !seenWhole(tested, deviceAt(tested, key).unit.id))
          happening(tested, key, dice.whole(0, 99))
      })
    }
    for (const act of STRUCTURE)
      acts.push(() => act(tested, deviceAt(tested, dice.pick(hidden as [DeviceKey, ...DeviceKey[]]))))
  }
  for (let count = dice.whole(0, 3); count > 0; count--) acts[dice.whole(0, acts.length - 1)]?.()
}

const INTEGRATIONS: readonly ((tested: NoninterferenceHome) => void)[] = [
  (tested) => {
    tested.access.integrations.create({ name: tested.disguise.name('Other'), exposure: { expose: 'All' } }, ANNA)
  },
  (tested) => {
    const other = othersOf(tested)
    if (other) {
      const automations = tested.dice.pick(['on', 'off'] as const)
      const structural = tested.dice.pick(['on', 'off'] as const)
      tested.access.integrations.change(other, { knobs: { automations } }, ANNA)
      // Refused if the other integration exposes no structure, as for an administrator.
      tested.access.integrations.change(
        tested.access.integrations.get(other.id) ?? other,
        { knobs: { structural } },
        ANNA,
      )
    }
  },
  (tested) => {
    const other = othersOf(tested)
    if (other)
      tested.access.credentials.create(
        { integration: other.id, kind: 'key', name: tested.disguise.name('Key'), platform: '' },
        ANNA,
      )
  },
  (tested) => {
    const other = othersOf(tested)
    if (other) tested.access.integrations.remove(other, ANNA)
  },
  (tested) =>
    void tested.api.dispatcher.answer({
      method: 'GET',
      path: '/v1/house',
      query: {},
      body: { kind: 'none' },
      token: 'hm_key_nobody',
      via: 'home',
      peer: `10.0.0.${tested.dice.whole(1, 20)}`,
    }),
]

/** People, whom no watched integration sees. */
const PEOPLE: readonly ((tested: NoninterferenceHome) => void)[] = [
  (tested) => {
    void tested.access.persons.create({ name: tested.disguise.name('Person'), password: null }, ANNA, null)
  },
  (tested) => {
    const [first, ...others] = tested.home.house.people.keys()
    if (first === undefined) return
    const cause = tested.dice.pick([NEIGHBOUR, ANNA])
    tested.home.presences.report(tested.dice.pick([first, ...others]), tested.dice.pick(PRESENCES), cause)
  },
]

/** A new HVAC mode of a power switch: its state and operations are read anew. */
function setClimate(tested: NoninterferenceHome): void {
  const heater = tested.home.house.devices.get('heater')
  if (!heater || watchedView(tested).byKey(heater.key)) return
  const values = { climate_load: tested.dice.whole(0, 2), heat_on: tested.dice.whole(30, 40) }
  void tested.home.settings.write(heater.key, { values, what: 'climate set' }, tested.dice.pick([NEIGHBOUR, ANNA]))
}

const STRUCTURE: readonly ((tested: NoninterferenceHome, device: Device) => void)[] = [
  setClimate,
  (tested, { unit }) => {
    if (!watchedView(tested).byKey(unit.id)) tested.bus.setSilent(unit, !tested.bus.silent.has(unit.address))
  },
  (tested, { key, unit, gang }) => {
    if (gang !== null || !watchedView(tested).byKey(unit.id))
      tested.home.house.renameDevice(parseDeviceKey(key), tested.disguise.name('Masked'), ANNA)
  },
  (tested, { unit, gang }) => {
    const rooms = [...tested.home.house.rooms.keys()].filter((id) => !watchedView(tested).showsRoom(id))
    const room = rooms[tested.dice.whole(0, rooms.length)] ?? null
    if (gang === null) tested.home.house.placeUnit({ ...unit, room }, ANNA)
    else
      tested.home.house.placeUnit(
        { ...unit, gangs: unit.gangs.map((other) => (other.gang === gang.gang ? { ...other, room } : other)) },
        ANNA,
      )
  },
  (tested, { unit, gang }) => {
    const light = tested.dice.chance(0.5)
    if (gang !== null)
      tested.home.house.placeUnit(
        { ...unit, gangs: unit.gangs.map((other) => (other.gang === gang.gang ? { ...other, light } : other)) },
        ANNA,
      )
    else if (!watchedView(tested).byKey(unit.id)) tested.home.house.placeUnit({ ...unit, light }, ANNA)
  },
  (tested) => {
    const room = [...tested.home.house.rooms.values()].find(({ id }) => !watchedView(tested).showsRoom(id))
    if (room) tested.home.house.renameRoom(room.id, tested.disguise.name('Cell'), ANNA)
  },
  (tested) => {
    const scene = [...tested.home.house.scenes.values()].find(({ id }) => !watchedView(tested).showsScene(id))
    if (!scene) return
    tested.home.house.saveScene(
      { ...scene, name: tested.disguise.name('Plot'), revision: scene.revision + 1 },
      'edited',
      ANNA,
    )
    if (scene.steps.every((step) => !('device' in step) || watchedView(tested).byKey(step.device) === undefined))
      tested.home.rules.scenes.run(scene.id, ANNA, 'person')
  },
  (tested) => {
    // Another integration edits its view of a scene: a step hidden from the watched one.
    const scene = [...tested.home.house.scenes.values()].find(
      ({ id, steps }) =>
        watchedView(tested).showsScene(id) &&
        steps.some((step) => 'device' in step && !watchedView(tested).byKey(step.device)),
    )
    const index = scene?.steps.findIndex((step) => 'device' in step && !watchedView(tested).byKey(step.device)) ?? -1
    const step = scene?.steps[index]
    if (!scene || !step || !('device' in step)) return
    const steps = scene.steps.with(index, {
      device: step.device,
      op: 'set_power',
      args: { on: tested.dice.chance(0.5) },
    })
    tested.home.house.saveScene(
      { ...scene, steps, revision: scene.revision + 1, edits: withEdit(scene.edits, [step.device]) },
      'edited',
      ANNA,
    )
  },
]

function othersOf(tested: NoninterferenceHome) {
  const others = tested.access.integrations.list().filter(({ id }) => id !== WATCHED_ID && id !== NEIGHBOUR_ID)
  return others[tested.dice.whole(0, Math.max(0, others.length - 1))]
}

function seenWhole(tested: NoninterferenceHome, unit: string): boolean {
  return watchedView(tested).byKey(unit)?.onlyGangs === false
}

function deviceAt(tested: NoninterferenceHome, key: DeviceKey): Device {
  const device = tested.home.house.devices.get(key)
  if (!device) throw new Error(`There is no ${key}.`)
  return device
}

function targetOf(tested: NoninterferenceHome, key: DeviceKey): { address: number; gang: number | null } {
  const { unit, gang } = deviceAt(tested, key)
  return { address: unit.address, gang: gang?.gang ?? null }
}

/** Another state of the same form. */
function stateFor(tested: NoninterferenceHome, key: DeviceKey, value: number): DeviceState {
  const state = tested.bus.stateOf(targetOf(tested, key))
  if ('bri' in state) return { ...state, on: value % 2 === 0, bri: value % 2 === 0 ? value : 0 }
  if ('on' in state) return { ...state, on: value % 2 === 0 }
  if ('locked' in state) return { locked: value % 2 === 0 }
  if ('pos' in state) return { ...state, pos: value }
  return state
}
