import type { ExposedDevice, ExposedHouse } from '../exposure/exposed-house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Random } from '../lib/random.ts'
import { Gzipped } from '../lib/gzipped.ts'
import { tagOf } from './answers.ts'
import { type DeviceFilter, fittingHouse, houseShape, stateShape } from './house-shape.ts'
import { type LiveFields, liveValues } from './device-json.ts'
import type { Prebuilt } from './handler.ts'
import { lastSeenOf } from '../exposure/last-seen.ts'
import { hasLiveOperations, operationsNow, shownCapabilities } from '../exposure/operations.ts'
import { type Operation, OPERATIONS_OF } from '../home/model/device.ts'

const NONCE_BYTES = 6

const EMPTY = new Gzipped(Buffer.alloc(0))

/** `latest` has the bytes of the last response; `isNew` is true until the first fill of the template. */
interface Document {
  readonly template: JsonTemplate
  isNew: boolean
  latest: Gzipped
  etag: string
}

/**
 * Documents of one integration. Its ETags count only changes of its own documents, not rebuilds, so that an ETag
 * reveals nothing about other integrations.
 */
interface CachedDocuments {
  readonly nonce: string
  tags: number
  view: ExposedHouse
  house: Document
  state: Document
}

/**
 * `GET /v1/house` and `GET /v1/state` as bytes, cached for each integration and refilled from fragments only after a
 * change of a visible state. The ETag changes only with the bytes, so it reveals nothing about hidden things.
 */
export class HouseJson {
  readonly #live: LiveHome
  readonly #random: Random
  readonly #cached = new Map<string, CachedDocuments>()

  constructor(live: LiveHome, random: Random) {
    this.#live = live
    this.#random = random
  }

  /** @param fits filter of the request; null for the whole house. */
  house(view: ExposedHouse, fits: DeviceFilter | null): Prebuilt {
    if (fits !== null) return tagged(houseShape(fittingHouse(view, fits), liveValues(this.#live)))
    const cached = this.#of(view)
    return this.#refilled(cached, cached.house)
  }

  /** @param fits filter of the request; null for every device. */
  state(view: ExposedHouse, fits: DeviceFilter | null): Prebuilt {
    if (fits !== null) return tagged(stateShape(view, [...view.stateful()].filter(fits), liveValues(this.#live)))
    const cached = this.#of(view)
    return this.#refilled(cached, cached.state)
  }

  forget(integration: string): void {
    this.#cached.delete(integration)
  }

  #of(view: ExposedHouse): CachedDocuments {
    const known = this.#cached.get(view.integration.id)
    if (known?.view === view) return known
    const head = { nonce: known?.nonce ?? this.#random.bytes(NONCE_BYTES).toString('hex'), tags: known?.tags ?? 0 }
    const built: CachedDocuments = {
      ...head,
      view,
      house: {
        template: new JsonTemplate(houseShape(view, SLOTS)),
        isNew: true,
        latest: known?.house.latest ?? EMPTY,
        etag: known?.house.etag ?? '',
      },
      state: {
        template: new JsonTemplate(stateShape(view, view.stateful(), SLOTS)),
        isNew: true,
        latest: known?.state.latest ?? EMPTY,
        etag: known?.state.etag ?? '',
      },
    }
    this.#cached.set(view.integration.id, built)
    return built
  }

  /** Refills a document. Unchanged bytes keep their ETag, even from a new template. */
  #refilled(cached: CachedDocuments, document: Document): Prebuilt {
    if (document.template.fill(this.#live) || document.isNew) {
      const bytes = Buffer.from(document.template.toString())
      if (!bytes.equals(document.latest.bytes)) {
        document.etag = nextTag(cached)
        document.latest = new Gzipped(bytes)
      }
      document.isNew = false
    }
    return { prebuilt: document.latest.bytes, etag: document.etag, gzipped: document.latest }
  }
}

function nextTag(cached: CachedDocuments): string {
  cached.tags += 1
  return `"${cached.nonce}-${cached.tags.toString(36)}"`
}

/** A part of the house for one request; its ETag is computed from its bytes alone. */
function tagged(part: object): Prebuilt {
  const prebuilt = Buffer.from(JSON.stringify(part))
  return { prebuilt, etag: tagOf(prebuilt) }
}

/** A slot in a template for a field that the device's state decides. */
export class Slot {
  readonly device: ExposedDevice
  readonly kind: 'state' | 'operations' | 'capabilities' | 'reachable' | 'lastSeen'
  /** Last written operations and their text. */
  #operations: { readonly of: readonly Operation[]; readonly json: string } | null = null
  /** Last written time and its text; most units have not reported since. */
  #seen: { readonly at: number | null; readonly json: string } | null = null

  constructor(device: ExposedDevice, kind: Slot['kind']) {
    this.device = device
    this.kind = kind
  }

  json(live: LiveHome): string {
    switch (this.kind) {
      case 'state':
        return live.states.get(this.device.key)?.json ?? 'null'
      case 'operations':
        return this.#operationsJson(operationsNow(this.device, live))
      case 'capabilities':
        return JSON.stringify(shownCapabilities(this.device, live))
      case 'reachable':
        return live.reachable(this.device.key) ? 'true' : 'false'
      case 'lastSeen':
        return this.#lastSeen(lastSeenOf(this.device, live))
    }
  }

  /** Most units always have the operations of their class, the same array. */
  #operationsJson(operations: readonly Operation[]): string {
    if (this.#operations?.of !== operations) this.#operations = { of: operations, json: JSON.stringify(operations) }
    return this.#operations.json
  }

  #lastSeen(at: number | null): string {
    if (this.#seen?.at !== at) this.#seen = { at, json: String(at) }
    return this.#seen.json
  }
}

/** Slots for the fields that states decide; operations only for classes whose operations depend on the state. */
export const SLOTS: LiveFields<Slot, Slot | readonly string[]> = {
  capabilities: (device) => new Slot(device, 'capabilities'),
  state: (device) => new Slot(device, 'state'),
  reachable: (unit) => new Slot(unit, 'reachable'),
  lastSeen: (unit) => new Slot(unit, 'lastSeen'),
  operations: (device) => (hasLiveOperations(device) ? new Slot(device, 'operations') : OPERATIONS_OF[device.class]),
}

/** JSON text with slots: structure is written once, and slots are filled again when states change. */
export class JsonTemplate {
  readonly #parts: string[] = ['']
  readonly #slots: { readonly part: number; readonly slot: Slot }[] = []
  #seenVersion = -1

  /** `value` is JSON data with a `Slot` for each field to fill in. */
  constructor(value: unknown) {
    this.#write(value)
  }

  /** Fills the slots; returns true if anything differs from the last time. */
  fill(live: LiveHome): boolean {
    if (live.version === this.#seenVersion) return false
    this.#seenVersion = live.version
    let differs = false
    for (const { part, slot } of this.#slots) {
      const json = slot.json(live)
      if (this.#parts[part] === json) continue
      this.#parts[part] = json
      differs = true
    }
    return differs
  }

  toString(): string {
    return this.#parts.join('')
  }

  #write(value: unknown): void {
    if (value instanceof Slot) {
      this.#slots.push({ part: this.#parts.length, slot: value })
      this.#parts.push('', '')
    } else if (Array.isArray(value)) {
      this.#list('[', value, (item) => this.#write(item), ']')
    } else if (typeof value === 'object' && value !== null) {
      const write = ([name, field]: [string, unknown]): void => {
        this.#text(`${JSON.stringify(name)}:`)
        this.#write(field)
      }
      this.#list('{', Object.entries(value), write, '}')
    } else {
      this.#text(JSON.stringify(value))
    }
  }

  #list<T>(open: string, items: readonly T[], write: (item: T) => void, close: string): void {
    this.#text(open)
    items.forEach((item, index) => {
      if (index > 0) this.#text(',')
      write(item)
    })
    this.#text(close)
  }

  #text(json: string): void {
    this.#parts[this.#parts.length - 1] += json
  }
}
