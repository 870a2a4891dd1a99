import { type ExposedDevice, type ExposedHouse, type ExposedRoom, operationsOf } from '../exposure/exposed-house.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Random } from '../lib/random.ts'
import type { Prebuilt } from './handler.ts'

const NONCE_BYTES = 6

/** A hole in a template: a part of the JSON that a device's state decides. */
interface Slot {
  readonly part: number
  readonly device: ExposedDevice
  readonly kind: 'state' | 'operations'
}

/** JSON text with holes: what depends on structure is written once, what depends on states is filled in when it changed. */
class Template {
  readonly #parts: string[] = []
  readonly #slots: Slot[] = []
  #seenVersion = -1

  text(json: string): this {
    this.#parts.push(json)
    return this
  }

  slot(device: ExposedDevice, kind: Slot['kind']): this {
    this.#slots.push({ part: this.#parts.length, device, kind })
    this.#parts.push('')
    return this
  }

  /** Fills the holes; answers whether anything differs from the last time. */
  fill(live: LiveHome): boolean {
    if (live.states.version === this.#seenVersion) return false
    this.#seenVersion = live.states.version
    let differs = false
    for (const slot of this.#slots) {
      const json =
        slot.kind === 'state' ? stateJson(live, slot.device.key) : JSON.stringify(operationsNow(slot.device, live))
      if (this.#parts[slot.part] === json) continue
      this.#parts[slot.part] = json
      differs = true
    }
    return differs
  }

  toString(): string {
    return this.#parts.join('')
  }
}

const NOTHING = Buffer.alloc(0)

/** `bytes` are those that were last given; `isNew` until the template has been filled for the first time. */
interface Document {
  readonly template: Template
  isNew: boolean
  bytes: Buffer
  etag: string
}

/**
 * What one integration was given so far. Its tags count only what its own documents said that was new to it, whenever and however
 * often they were built anew, so that they tell nothing of others.
 */
interface Kept {
  readonly nonce: string
  tags: number
  view: ExposedHouse
  house: Document
  state: Document
}

/**
 * `GET /v1/house` and `GET /v1/state` as bytes, kept for each integration and filled anew from fragments only when a state that
 * it shows has changed. The tag changes with the bytes and with nothing else, so that it tells nothing about hidden things.
 */
export class HouseJson {
  readonly #live: LiveHome
  readonly #random: Random
  readonly #kept = new Map<string, Kept>()

  constructor(live: LiveHome, random: Random) {
    this.#live = live
    this.#random = random
  }

  house(view: ExposedHouse): Prebuilt {
    const kept = this.#of(view)
    return this.#fresh(kept, kept.house)
  }

  state(view: ExposedHouse): Prebuilt {
    const kept = this.#of(view)
    return this.#fresh(kept, kept.state)
  }

  forget(integration: string): void {
    this.#kept.delete(integration)
  }

  #of(view: ExposedHouse): Kept {
    const known = this.#kept.get(view.integration.id)
    if (known?.view === view) return known
    const head = { nonce: known?.nonce ?? this.#random.bytes(NONCE_BYTES).toString('hex'), tags: known?.tags ?? 0 }
    const built: Kept = {
      ...head,
      view,
      house: {
        template: houseTemplate(view),
        isNew: true,
        bytes: known?.house.bytes ?? NOTHING,
        etag: known?.house.etag ?? '',
      },
      state: {
        template: stateTemplate(view),
        isNew: true,
        bytes: known?.state.bytes ?? NOTHING,
        etag: known?.state.etag ?? '',
      },
    }
    this.#kept.set(view.integration.id, built)
    return built
  }

  /** A document that says what it said when it was last given keeps its tag, also from a new template. */
  #fresh(kept: Kept, document: Document): Prebuilt {
    if (document.template.fill(this.#live) || document.isNew) {
      const bytes = Buffer.from(document.template.toString())
      if (!bytes.equals(document.bytes)) document.etag = nextTag(kept)
      document.bytes = bytes
      document.isNew = false
    }
    return { prebuilt: document.bytes, etag: document.etag }
  }
}

function nextTag(kept: Kept): string {
  kept.tags += 1
  return `"${kept.nonce}-${kept.tags.toString(36)}"`
}

function stateJson(live: LiveHome, key: DeviceKey): string {
  return live.states.get(key)?.json ?? 'null'
}

/** The operations a device accepts now: a power switch takes `set_temp` while it confirms a climate set point. */
export function operationsNow(device: ExposedDevice, live: LiveHome): readonly string[] {
  return operationsOf(device, (key) => {
    const state = live.states.get(key)?.state
    return state !== undefined && 'temp' in state && state.temp !== null
  })
}

function stateTemplate(view: ExposedHouse): Template {
  const template = new Template().text(`{"house":${JSON.stringify(view.name)},"devices":[`)
  let first = true
  for (const device of view.stateful()) {
    template
      .text(
        `${first ? '' : ','}{"id":${JSON.stringify(device.id)},"name":${JSON.stringify(device.name)},"class":"${device.class}","state":`,
      )
      .slot(device, 'state')
      .text('}')
    first = false
  }
  return template.text(']}')
}

function houseTemplate(view: ExposedHouse): Template {
  const template = new Template().text(
    `{"house":${JSON.stringify(view.name)},"gateway":${JSON.stringify(view.gateway)},"floors":`,
  )
  list(template, view.floors, (floor) => {
    template.text(`{"id":${JSON.stringify(floor.id)},"name":${JSON.stringify(floor.name)},"rooms":`)
    list(template, floor.rooms, (room) => writeRoom(template, room))
    template.text('}')
  })
  template.text(',"rooms":')
  list(template, view.rooms, (room) => writeRoom(template, room))
  template.text(',"units":')
  list(template, view.units, (unit) => writeUnit(template, unit))
  const scenes = view.scenes.map(({ id, name, room, floor }) => ({ id, name, room, floor }))
  return template.text(`,"scenes":${JSON.stringify(scenes)}}`)
}

function writeRoom(template: Template, room: ExposedRoom): void {
  template.text(
    `{"id":${JSON.stringify(room.id)},"name":${JSON.stringify(room.name)},"floor":${JSON.stringify(room.floor)},"units":`,
  )
  list(template, room.units, (unit) => writeUnit(template, unit))
  template.text('}')
}

/** A unit as Spec 2.3 shows it: a module has gangs and no state, everything else a state and no gangs. */
function writeUnit(template: Template, unit: ExposedDevice): void {
  const module = unit.class === 'gang_module'
  const head = {
    id: unit.id,
    name: unit.name,
    class: unit.class,
    kind: module ? 'module' : 'unit',
    model: unit.model,
    room: unit.room,
    floor: unit.floor,
  }
  template.text(`${JSON.stringify(head).slice(0, -1)},"operations":`)
  if (!module) {
    writeOperations(template, unit)
    template.text(',"state":').slot(unit, 'state').text('}')
    return
  }
  template.text('[],"gangs":')
  list(template, unit.gangs, (gang) => {
    const { id, name, class: gangClass, gang: position, room, floor } = gang
    template.text(
      `${JSON.stringify({ id, name, class: gangClass, gang: position, room, floor }).slice(0, -1)},"operations":`,
    )
    writeOperations(template, gang)
    template.text(',"state":').slot(gang, 'state').text('}')
  })
  template.text('}')
}

function writeOperations(template: Template, device: ExposedDevice): void {
  if (device.class === 'power_switch') template.slot(device, 'operations')
  else template.text(JSON.stringify(operationsOf(device, () => false)))
}

function list<T>(template: Template, items: readonly T[], write: (item: T) => void): void {
  template.text('[')
  items.forEach((item, index) => {
    if (index > 0) template.text(',')
    write(item)
  })
  template.text(']')
}
