import type { DeviceState } from '../../../src/home/model/state.ts'
import type { Cause } from '../../../src/home/model/cause.ts'
import { type DeviceKey, parseDeviceKey } from '../../../src/home/model/device.ts'
import type { Device } from '../../../src/home/house/house.ts'
import { referencesOf } from '../../../src/home/rules/references.ts'
import type { ExposedHouse } from '../../../src/exposure/exposed-house.ts'
import { NEIGHBOUR_ID, type TwinHome, WATCHED_ID } from './twin-home.ts'

const ANNA: Cause = { source: 'person', name: 'Anna' }
const NEIGHBOUR: Cause = {
  source: 'integration',
  name: 'API: Neighbour',
  integration: NEIGHBOUR_ID,
  link: 'link100000',
}

/** Something that happens in the home, at one of its devices; `value` from 0 to 99 says how. */
type Happening = (twin: TwinHome, key: DeviceKey, value: number) => void

export function viewOf(twin: TwinHome): ExposedHouse {
  const watched = twin.stores.integrations.get(WATCHED_ID)
  if (!watched) throw new Error('Nobody is watched.')
  return twin.api.views.of(watched)
}

/** Devices that are seen whole, in the order in which they are seen. */
export function seenKeys(twin: TwinHome): DeviceKey[] {
  return [...viewOf(twin).devices()].filter((device) => !device.onlyGangs).map(({ key }) => key)
}

/** Devices that are not seen, and modules of which only gangs are. */
export function hiddenKeys(twin: TwinHome): DeviceKey[] {
  const seen = new Set(seenKeys(twin))
  return [...twin.home.house.devices.keys()].filter((key) => !seen.has(key))
}

const AT_DEVICES: readonly Happening[] = [
  (twin, key, value) =>
    twin.bus.report({
      kind: 'state',
      target: targetOf(twin, key),
      state: stateFor(twin, key, value),
      trigger: value % 2 === 0 ? 'touch' : 'motion',
    }),
  (twin, key, value) =>
    twin.bus.report({
      kind: 'readings',
      address: targetOf(twin, key).address,
      readings: { temperature: 15 + value / 10, motion: value > 50 },
    }),
  (twin, key, value) =>
    twin.bus.report({
      kind: 'detection',
      address: targetOf(twin, key).address,
      detection: 'motion',
      value: value % 3 > 0,
    }),
  (twin, key, value) =>
    twin.bus.report({ kind: 'energy', ...targetOf(twin, key), energyWh: 1_000 + value * 10, powerW: value }),
  (twin, key, value) =>
    twin.bus.report({
      kind: 'registers',
      target: targetOf(twin, key),
      values: { off_delay_s: value % 60, led_mode: value % 3 },
    }),
  (twin, key, value) =>
    void twin.home.control.perform(
      { device: key, command: { op: 'set_power', args: { on: value % 2 === 0 } } },
      value < 50 ? NEIGHBOUR : ANNA,
      'person',
    ),
]

/** Those of them that are about the unit as a whole. */
const SENSED: readonly number[] = [1, 2]

/** Happens at what is seen: the same in both twins. */
export function happenSeen(twin: TwinHome, which: number, value: number): void {
  const keys = seenKeys(twin)
  const key = keys[which % keys.length]
  if (key === undefined) return
  const device = deviceAt(twin, key)
  const kind = value % (AT_DEVICES.length + 3)
  const happening = AT_DEVICES[kind]
  // Readings and detections belong to the unit: a gang that is seen alone does not bring them.
  if (happening && (!SENSED.includes(kind) || device.gang === null)) return happening(twin, key, value)
  if (kind === AT_DEVICES.length) return twin.bus.setSilent(device.unit, !twin.bus.silent.has(device.unit.address))
  if (kind === AT_DEVICES.length + 1)
    return void twin.home.house.renameDevice(parseDeviceKey(key), `Seen ${value}`, ANNA)
  const scenes = viewOf(twin).scenes
  const scene = scenes[value % Math.max(1, scenes.length)]
  if (scene) twin.home.rules.runScene(scene.local, NEIGHBOUR, 'person')
}

/** Something that is seen is moved by something that is not. */
export function happenBySomethingHidden(twin: TwinHome, which: number, value: number): void {
  const keys = seenKeys(twin)
  const key = keys[which % keys.length]
  if (key === undefined) return
  const hidden = hiddenKeys(twin)
  const rule: Cause = { source: 'automation', name: twin.disguise.name('Scheme'), ref: `gone-${twin.dice.whole(0, 9)}` }
  const spied: Cause =
    hidden.length === 0
      ? rule
      : {
          source: 'automation',
          name: twin.disguise.name('Scheme'),
          ref: 'gone',
          by: {
            source: 'unit',
            name: twin.disguise.name('motion'),
            ref: hidden[twin.dice.whole(0, hidden.length - 1)] ?? '',
          },
        }
  const causes: readonly [Cause, ...Cause[]] = [rule, { ...rule, source: 'schedule' }, spied]
  twin.home.live.confirm(key, stateFor(twin, key, value), 'command', twin.dice.pick(causes))
}

/** Something happens, or does not, where it is not seen: each twin its own way. */
export function happenHidden(twin: TwinHome): void {
  const { dice } = twin
  const hidden = hiddenKeys(twin)
  const acts: (() => void)[] = [...INTEGRATIONS, ...RULES].map((act) => () => act(twin))
  if (hidden.length > 0) {
    for (const [kind, happening] of AT_DEVICES.entries()) {
      acts.push(() => {
        const key = dice.pick(hidden as [DeviceKey, ...DeviceKey[]])
        // What a unit senses belongs to the unit, whatever is hidden of its gangs.
        if (!SENSED.includes(kind) || !seenWhole(twin, deviceAt(twin, key).unit.id))
          happening(twin, key, dice.whole(0, 99))
      })
    }
    for (const act of STRUCTURE)
      acts.push(() => act(twin, deviceAt(twin, dice.pick(hidden as [DeviceKey, ...DeviceKey[]]))))
  }
  for (let count = dice.whole(0, 3); count > 0; count--) acts[dice.whole(0, acts.length - 1)]?.()
}

const INTEGRATIONS: readonly ((twin: TwinHome) => void)[] = [
  (twin) => {
    twin.api.integrations.create(twin.disguise.name('Other'), { expose: 'All' }, {}, ANNA)
  },
  (twin) => {
    const other = othersOf(twin)
    if (other)
      twin.api.integrations.setKnobs(
        other,
        { automations: twin.dice.pick(['on', 'off']), structural: twin.dice.pick(['on', 'off']) },
        ANNA,
      )
  },
  (twin) => {
    const other = othersOf(twin)
    if (other)
      twin.api.credentials.create(
        { integration: other.id, kind: 'key', name: twin.disguise.name('Key'), platform: '' },
        ANNA,
      )
  },
  (twin) => {
    const other = othersOf(twin)
    if (other) twin.api.integrations.remove(other, ANNA)
  },
  (twin) =>
    void twin.api.dispatcher.answer({
      method: 'GET',
      path: '/v1/house',
      query: {},
      body: { kind: 'none' },
      token: 'hm_key_nobody',
      via: 'home',
      peer: '10.0.0.9',
    }),
]

const RULES: readonly ((twin: TwinHome) => void)[] = [
  (twin) => {
    // It is about things that are not there, or not seen: nobody who is watched sees it.
    twin.home.rules.automations.create(
      {
        name: twin.disguise.name('Scheme'),
        enabled: true,
        when: [{ time: '12:04' }, { device: 'spy', detection: 'motion' }],
        if: [{ device: 'spy', reading: 'temperature', above: 900 }],
        then: [{ device: 'safe', op: 'set_power', args: { on: true } }],
        mode: 'single',
      },
      null,
      ANNA,
    )
  },
  (twin) => {
    const rule = twin.dice.chance(0.5) ? hiddenRule(twin, 'automations') : undefined
    if (rule)
      twin.home.rules.automations.update(
        rule.id,
        { name: twin.disguise.name('Scheme'), enabled: twin.dice.chance(0.5) },
        rule.revision,
        ANNA,
      )
  },
  (twin) => {
    const rule = hiddenRule(twin, 'schedules')
    if (rule) twin.home.rules.schedules.update(rule.id, { name: twin.disguise.name('Ritual') }, rule.revision, ANNA)
  },
  (twin) => {
    const rule = hiddenRule(twin, 'automations')
    if (rule && twin.dice.chance(0.3)) twin.home.rules.automations.delete(rule.id, ANNA)
  },
]

const STRUCTURE: readonly ((twin: TwinHome, device: Device) => void)[] = [
  (twin, { unit }) => {
    if (!viewOf(twin).byKey(unit.id)) twin.bus.setSilent(unit, !twin.bus.silent.has(unit.address))
  },
  (twin, { key, unit, gang }) => {
    if (gang !== null || !viewOf(twin).byKey(unit.id))
      twin.home.house.renameDevice(parseDeviceKey(key), twin.disguise.name('Masked'), ANNA)
  },
  (twin, { unit, gang }) => {
    const rooms = [...twin.home.house.rooms.keys()].filter((id) => !viewOf(twin).showsRoom(id))
    const room = rooms[twin.dice.whole(0, rooms.length)] ?? null
    if (gang === null) twin.home.house.placeUnit({ ...unit, room }, ANNA)
    else
      twin.home.house.placeUnit(
        { ...unit, gangs: unit.gangs.map((each) => (each.gang === gang.gang ? { ...each, room } : each)) },
        ANNA,
      )
  },
  (twin) => {
    const room = [...twin.home.house.rooms.values()].find(({ id }) => !viewOf(twin).showsRoom(id))
    if (room) twin.home.house.renameRoom(room.id, twin.disguise.name('Cell'), ANNA)
  },
  (twin) => {
    const scene = [...twin.home.house.scenes.values()].find(({ id }) => !viewOf(twin).showsScene(id))
    if (!scene) return
    twin.home.house.saveScene(
      { ...scene, name: twin.disguise.name('Plot'), revision: scene.revision + 1 },
      'edited',
      ANNA,
    )
    if (scene.steps.every((step) => !('device' in step) || viewOf(twin).byKey(step.device) === undefined))
      twin.home.rules.runScene(scene.id, ANNA, 'person')
  },
  (twin) => {
    // Somebody else edits what they see of a scene: a step that the watched one does not.
    const scene = [...twin.home.house.scenes.values()].find(
      ({ id, steps }) =>
        viewOf(twin).showsScene(id) && steps.some((step) => 'device' in step && !viewOf(twin).byKey(step.device)),
    )
    const index = scene?.steps.findIndex((step) => 'device' in step && !viewOf(twin).byKey(step.device)) ?? -1
    const step = scene?.steps[index]
    if (!scene || !step || !('device' in step)) return
    const steps = scene.steps.with(index, { device: step.device, op: 'set_power', args: { on: twin.dice.chance(0.5) } })
    twin.home.house.saveScene(
      { ...scene, steps, revision: scene.revision + 1, edits: [...scene.edits, [step.device]] },
      'edited',
      ANNA,
    )
  },
]

function othersOf(twin: TwinHome) {
  const others = twin.api.integrations.list().filter(({ id }) => id !== WATCHED_ID && id !== NEIGHBOUR_ID)
  return others[twin.dice.whole(0, Math.max(0, others.length - 1))]
}

function hiddenRule(twin: TwinHome, kind: 'automations' | 'schedules') {
  const view = viewOf(twin)
  const seesRules = view.integration.knobs[kind] === 'on'
  const isHidden = (rule: Parameters<typeof referencesOf>[0]): boolean => {
    const { devices, scenes } = referencesOf(rule)
    return (
      !seesRules ||
      [...devices].some((key) => view.byKey(key)?.onlyGangs !== false) ||
      [...scenes].some((scene) => !view.showsScene(scene))
    )
  }
  const tame = twin.home.rules[kind]
    .list()
    .filter(
      (rule) =>
        isHidden(rule) &&
        (!rule.enabled ||
          kind === 'automations' ||
          rule.then.every((step) => 'device' in step && !view.byKey(step.device))),
    )
  return tame[twin.dice.whole(0, Math.max(0, tame.length - 1))]
}

function seenWhole(twin: TwinHome, unit: string): boolean {
  return viewOf(twin).byKey(unit)?.onlyGangs === false
}

function deviceAt(twin: TwinHome, key: DeviceKey): Device {
  const device = twin.home.house.devices.get(key)
  if (!device) throw new Error(`There is no ${key}.`)
  return device
}

function targetOf(twin: TwinHome, key: DeviceKey): { address: number; gang: number | null } {
  const { unit, gang } = deviceAt(twin, key)
  return { address: unit.address, gang: gang?.gang ?? null }
}

/** Another state of the same form. */
function stateFor(twin: TwinHome, key: DeviceKey, value: number): DeviceState {
  const state = twin.bus.stateOf(targetOf(twin, key))
  if ('bri' in state) return { ...state, on: value % 2 === 0, bri: value % 2 === 0 ? value : 0 }
  if ('on' in state) return { ...state, on: value % 2 === 0 }
  if ('locked' in state) return { locked: value % 2 === 0 }
  if ('pos' in state) return { ...state, pos: value }
  return state
}
