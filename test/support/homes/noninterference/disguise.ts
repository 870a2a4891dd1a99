import {
  FIRST_EDIT,
  withEdit,
  type Gang,
  type Group,
  type Room,
  type Scene,
  type Unit,
} from '../../../../src/home/model/house.ts'
import { type AutomationDraft, type Step } from '../../../../src/home/model/rules.ts'
import type { SceneStep } from '../../../../src/home/model/steps.ts'
import type { Exposure } from '../../../../src/exposure/integration.ts'
import { type Visible, visibleIn } from '../../../../src/exposure/visible.ts'
import { membersOf } from '../../../../src/home/model/groups.ts'
import { House } from '../../../../src/home/house/house.ts'
import { deviceKey, type DeviceKey, type RegisterValues, type UnitSchedule } from '../../../../src/home/model/device.ts'
import type { HouseContent, HouseStore } from '../../../../src/home/ports/house-store.ts'
import { type Referring, referencesOf } from '../../../../src/home/model/rule-parts.ts'
import { Emitter } from '../../../../src/lib/emitter.ts'
import type { SeededRandom } from '../../../../src/sim/model/seeded-random.ts'
import { ManualClock } from '#support/clocks/manual-clock.ts'
import type { BusSide } from '#support/bus/quiet-bus.ts'
import type { Watched, SharedHome } from './shared-home.ts'

const KINDS: readonly [Pick<Unit, 'class' | 'model'>, ...Pick<Unit, 'class' | 'model'>[]] = [
  { class: 'light_switch', model: 'HMHHX1' },
  { class: 'sensor', model: 'HMSE' },
  { class: 'ac', model: 'HMAC' },
  { class: 'meter', model: 'HMMT' },
]

/** The visible part of an unopened house under an exposure. */
export function shownOf(content: HouseContent, exposure: Exposure): Visible {
  const store = { load: () => content } as unknown as HouseStore
  const house = new House({
    store,
    work: {
      change: () => {
        throw new Error('Changes no state.')
      },
    },
    events: new Emitter(() => {}),
    clock: new ManualClock(),
  })
  return visibleIn(house, exposure)
}

/** Another home that looks equal to the watched integration, with everything hidden drawn anew. */
export class Disguise {
  readonly #dice: SeededRandom
  readonly #seen: Visible
  readonly #world: SharedHome
  readonly #hiddenRooms: string[]
  readonly #hiddenFloors: string[]
  readonly #seesRules: boolean

  constructor(world: SharedHome, watched: Watched, dice: SeededRandom) {
    this.#dice = dice
    this.#world = world
    this.#seen = shownOf(world.content, watched.exposure)
    this.#hiddenRooms = world.content.rooms.map(({ id }) => id).filter((id) => !this.#seen.rooms.has(id))
    this.#hiddenFloors = world.content.floors.map(({ id }) => id).filter((id) => !this.#seen.floors.has(id))
    this.#seesRules = watched.knobs.automations === 'on'
  }

  world(): SharedHome {
    const { content, automations, schedules } = this.#world
    const all = this.#hiddenRooms.length === 0
    const extra = all
      ? []
      : this.#several(3, (index) =>
          this.#unit({
            id: `extra-${index}`,
            name: '',
            address: 100 + index,
            class: 'light_switch',
            model: 'HMHHX1',
            room: null,
            position: 0,
            gangs: [],
          }),
        )
    return {
      content: {
        info: content.info,
        floors: content.floors.map((floor) =>
          this.#seen.floors.has(floor.id) ? floor : { ...floor, name: this.name('Deep') },
        ),
        rooms: content.rooms.map((room) => this.#room(room)),
        units: [...content.units.map((unit) => this.#unit(unit)), ...extra],
        scenes: [
          ...content.scenes.map((scene) => this.#scene(scene)),
          ...(all ? [] : this.#several(2, (index) => this.#plot(index))),
        ],
        groups: content.groups.map((group) => this.#group(group)),
      },
      automations: automations
        .filter((rule) => this.#shows(rule) || this.#dice.chance(0.7))
        .map((rule) => (this.#shows(rule) ? rule : this.#scheme(rule))),
      schedules: schedules
        .filter((rule) => this.#shows(rule) || this.#dice.chance(0.7))
        .map((rule) =>
          this.#shows(rule)
            ? rule
            : { ...rule, name: this.name('Ritual'), enabled: this.#tame(rule) && this.#dice.chance(0.7) },
        ),
    }
  }

  /** Names of the other integrations. */
  others(): readonly string[] {
    return this.#several(3, () => this.name('Other'))
  }

  side(): BusSide {
    const usual: RegisterValues = {
      led_mode: 1,
      no_motion_min: 5,
      no_motion_h: 0,
      off_delay_min: 0,
      off_delay_s: 30,
      single_touch: 0,
      fade_speed: 10,
      key_immunity: 5,
    }
    const schedule = (gang: number | null, visible: boolean): UnitSchedule =>
      visible ? { slot: gang ?? 0, enabled: true, gang, days: [1], time: '06:30', op: 'on' } : this.#ownSchedule(gang)
    const shows = (unit: Unit, gang: number | null): boolean => {
      const key = deviceKey({ unit: unit.id, gang })
      return this.#seen.devices.has(key) && !this.#seen.onlyGangs.has(key)
    }
    return {
      registers: (unit, gang) =>
        shows(unit, gang)
          ? usual
          : {
              ...usual,
              led_mode: this.#dice.whole(0, 2),
              off_delay_s: this.#dice.whole(0, 59),
              key_immunity: this.#dice.whole(0, 99),
            },
      // A schedule of the whole module is one of each gang.
      schedules: (unit) => [
        schedule(
          null,
          [null, ...unit.gangs.map(({ gang }) => gang)].some((gang) => shows(unit, gang)),
        ),
        ...unit.gangs.map(({ gang }) => schedule(gang, shows(unit, gang))),
      ],
    }
  }

  #ownSchedule(gang: number | null): UnitSchedule {
    return {
      slot: gang ?? 0,
      enabled: this.#dice.chance(0.5),
      gang,
      days: [this.#dice.whole(1, 7)],
      time: `0${this.#dice.whole(0, 9)}:15`,
      op: 'on',
    }
  }

  name(word: string): string {
    return `${word} ${this.#dice.whole(0, 99_999)}`
  }

  #several<T>(most: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.#dice.whole(0, most) }, (_, index) => make(index))
  }

  #hiddenRoom(): string | null {
    return this.#hiddenRooms[this.#dice.whole(0, this.#hiddenRooms.length)] ?? null
  }

  #hiddenFloor(): string | null {
    return this.#hiddenFloors[this.#dice.whole(0, this.#hiddenFloors.length)] ?? null
  }

  #room(room: Room): Room {
    const floor = room.floor !== null && this.#seen.floors.has(room.floor) ? room.floor : this.#hiddenFloor()
    return this.#seen.rooms.has(room.id)
      ? { ...room, floor }
      : { ...room, floor: this.#hiddenFloor(), name: this.name('Cell'), position: this.#dice.whole(0, 9) }
  }

  /** Room of a thing: unchanged if visible, random otherwise. */
  #place(room: string | null, seen: boolean): string | null {
    return seen && room !== null && this.#seen.rooms.has(room) ? room : this.#hiddenRoom()
  }

  /** The number of hidden members is visible, and nothing else about them. */
  #group(group: Group): Group {
    if (!this.#seen.groups.has(group.id)) return { ...group, name: this.name('Ring'), members: [] }
    const members = group.members.map((key, index) => (this.#seen.devices.has(key) ? key : `hidden-${index}`))
    return { ...group, members: membersOf(members), revision: group.revision }
  }

  #unit(unit: Unit): Unit {
    const seen = this.#seen.devices.has(unit.id) && !this.#seen.onlyGangs.has(unit.id)
    const gangs = unit.gangs.flatMap((gang): Gang[] => {
      if (this.#seen.devices.has(deviceKey({ unit: unit.id, gang: gang.gang })))
        return [{ ...gang, room: this.#place(gang.room, true) }]
      return this.#dice.chance(0.3)
        ? []
        : [
            {
              ...gang,
              name: this.name('masked'),
              class: this.#dice.pick(['switch_gang', 'shutter_gang']),
              light: this.#dice.chance(0.5),
              room: this.#hiddenRoom(),
            },
          ]
    })
    const placed = { ...unit, gangs, room: this.#place(unit.room, seen) }
    if (this.#seen.devices.has(unit.id)) return placed
    // A visible reference keeps it a light, so that the reference stays valid. Other units become anything.
    const free = unit.gangs.length === 0 && unit.id.startsWith('extra')
    const kind: Pick<Unit, 'class' | 'model'> = free ? this.#dice.pick(KINDS) : unit
    return {
      ...placed,
      name: this.name('Masked'),
      class: kind.class,
      model: kind.model,
      position: this.#dice.whole(0, 50),
    }
  }

  #scene(scene: Scene): Scene {
    if (!this.#seen.scenes.has(scene.id))
      return { ...scene, name: this.name('Plot'), room: this.#hiddenRoom(), position: this.#dice.whole(0, 9) }
    const seesRoom = scene.room !== null && this.#seen.rooms.has(scene.room)
    const seesFloor = scene.floor !== null && this.#seen.floors.has(scene.floor)
    const place = {
      room: seesRoom ? scene.room : this.#hiddenRoom(),
      floor: seesFloor ? scene.floor : this.#hiddenFloor(),
    }
    const hidden = scene.steps.flatMap((step) =>
      'device' in step && !this.#seen.devices.has(step.device) ? [step.device] : [],
    )
    if (hidden.length === 0) return { ...scene, ...place }
    // Equal hidden members, equally often, at random positions among the visible steps, with a random number of edits.
    const steps = scene.steps.filter((step) => !('device' in step) || this.#seen.devices.has(step.device))
    const deeds = [...hidden, ...this.#several(2, () => this.#dice.pick(hidden as [DeviceKey, ...DeviceKey[]]))]
    for (const device of deeds) steps.splice(this.#dice.whole(0, steps.length), 0, this.#hiddenStep(device))
    const edits = this.#several(3, () => hidden.slice(0, 1))
    return {
      ...scene,
      ...place,
      steps,
      revision: 1 + edits.length,
      edits: edits.reduce<Scene['edits']>(withEdit, [FIRST_EDIT]),
    }
  }

  #hiddenStep(device: DeviceKey): SceneStep {
    return { device, op: 'set_power', args: { on: this.#dice.chance(0.5) } }
  }

  #plot(index: number): Scene {
    return {
      id: `extra-plot-${index}`,
      name: this.name('Plot'),
      icon: null,
      floor: null,
      room: this.#hiddenRoom(),
      steps: this.#hiddenLights().map((device) => this.#hiddenStep(device)),
      revision: 1,
      edits: [FIRST_EDIT],
      origin: null,
      author: null,
      position: this.#dice.whole(0, 9),
    }
  }

  /** Hidden lights that every disguise has. */
  #hiddenLights(): DeviceKey[] {
    return ['safe', 'pump'].filter((id) => !this.#seen.devices.has(id))
  }

  #shows(rule: Referring): boolean {
    if (!this.#seesRules) return false
    const { devices, scenes, modes } = referencesOf(rule)
    return (
      (modes.size === 0 || this.#seen.mode) &&
      [...devices].every((key) => this.#seen.devices.has(key) && !this.#seen.onlyGangs.has(key)) &&
      [...scenes].every((scene) => this.#seen.scenes.has(scene))
    )
  }

  /** A hidden rule is random as long as no effect is visible: the other home lacks it or has another. */
  #scheme(rule: AutomationDraft): AutomationDraft {
    const name = this.name('Scheme')
    return this.#tame(rule)
      ? {
          ...rule,
          name,
          enabled: this.#dice.chance(0.8),
        }
      : { ...rule, name, enabled: this.#dice.chance(0.8), if: [{ device: 'eye', reading: 'temperature', above: 500 }] }
  }

  #tame({ then }: { readonly then: readonly Step[] }): boolean {
    return then.every((step) => {
      if ('device' in step) return !this.#seen.devices.has(step.device)
      return 'mode' in step ? !this.#seen.mode : !('scene' in step)
    })
  }
}
