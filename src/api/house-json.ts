import type { ExposedDevice, ExposedHouse } from '../exposure/exposed-house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Random } from '../lib/random.ts'
import { Gzipped } from '../lib/gzipped.ts'
import { tagOf } from './answers.ts'
import { type DeviceFilter, fittingHouse, houseShape, stateShape } from './house-shape.ts'
import { type LiveFields, liveValues } from './device-json.ts'
import type { Prebuilt } from './handler.ts'
import { lastSeenOf } from '../exposure/last-seen.ts'
import { hasLiveOperations, operationsNow } from '../exposure/operations.ts'
import { OPERATIONS_OF } from '../home/model/device.ts'

const NONCE_BYTES = 6

const NOTHING = new Gzipped(Buffer.alloc(0))

/** `given` are the bytes that were last given; `isNew` until the template has been filled for the first time. */
interface Document {
  readonly template: JsonTemplate
  isNew: boolean
  given: Gzipped
  etag: string
}

/**
 * What one integration was given so far. Its tags count only the changes of its own documents, not how often they were
 * built, so that a tag tells nothing about what other integrations see.
 */
interface Kept {
  readonly nonce: string
  tags: number
  view: ExposedHouse
  house: Document
  state: Document
}

/**
 * `GET /v1/house` and `GET /v1/state` as bytes, kept for each integration and filled anew from fragments only when a
 * state that it shows has changed. The tag changes only when the bytes change, so that it tells nothing about hidden
 * things.
 */
export class HouseJson {
  readonly #live: LiveHome
  readonly #random: Random
  readonly #kept = new Map<string, Kept>()

  constructor(live: LiveHome, random: Random) {
    this.#live = live
    this.#random = random
  }

  /** @param fits what was asked for; null for the whole house. */
  house(view: ExposedHouse, fits: DeviceFilter | null): Prebuilt {
    if (fits !== null) return tagged(houseShape(fittingHouse(view, fits), liveValues(this.#live)))
    const kept = this.#of(view)
    return this.#fresh(kept, kept.house)
  }

  /** @param fits what was asked for; null for every device. */
  state(view: ExposedHouse, fits: DeviceFilter | null): Prebuilt {
    if (fits !== null) return tagged(stateShape(view, [...view.stateful()].filter(fits), liveValues(this.#live)))
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
        template: new JsonTemplate(houseShape(view, SLOTS)),
        isNew: true,
        given: known?.house.given ?? NOTHING,
        etag: known?.house.etag ?? '',
      },
      state: {
        template: new JsonTemplate(stateShape(view, view.stateful(), SLOTS)),
        isNew: true,
        given: known?.state.given ?? NOTHING,
        etag: known?.state.etag ?? '',
      },
    }
    this.#kept.set(view.integration.id, built)
    return built
  }

  /** A document whose bytes are those that were last given keeps its tag, even if a new template made it. */
  #fresh(kept: Kept, document: Document): Prebuilt {
    if (document.template.fill(this.#live) || document.isNew) {
      const bytes = Buffer.from(document.template.toString())
      if (!bytes.equals(document.given.bytes)) {
        document.etag = nextTag(kept)
        document.given = new Gzipped(bytes)
      }
      document.isNew = false
    }
    return { prebuilt: document.given.bytes, etag: document.etag, gzipped: document.given }
  }
}

function nextTag(kept: Kept): string {
  kept.tags += 1
  return `"${kept.nonce}-${kept.tags.toString(36)}"`
}

/** A part of the house, made for one request: its tag comes from nothing but its own bytes. */
function tagged(part: object): Prebuilt {
  const prebuilt = Buffer.from(JSON.stringify(part))
  return { prebuilt, etag: tagOf(prebuilt) }
}

/** A place in a template for what the state of a device decides. */
export class Slot {
  readonly device: ExposedDevice
  readonly kind: 'state' | 'operations' | 'reachable' | 'lastSeen'
  /** The moment that was written last: most units have said nothing since. */
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
        return JSON.stringify(operationsNow(this.device, live))
      case 'reachable':
        return live.reachable(this.device.key) ? 'true' : 'false'
      case 'lastSeen':
        return this.#lastSeen(lastSeenOf(this.device, live))
    }
  }

  #lastSeen(at: number | null): string {
    if (this.#seen?.at !== at) this.#seen = { at, json: String(at) }
    return this.#seen.json
  }
}

/** Places for what states decide; operations only where a state does. */
export const SLOTS: LiveFields<Slot, Slot | readonly string[]> = {
  state: (device) => new Slot(device, 'state'),
  reachable: (unit) => new Slot(unit, 'reachable'),
  lastSeen: (unit) => new Slot(unit, 'lastSeen'),
  operations: (device) => (hasLiveOperations(device) ? new Slot(device, 'operations') : OPERATIONS_OF[device.class]),
}

/**
 * JSON text with slots: what depends on structure is written once, what depends on states is filled in when it changed.
 */
export class JsonTemplate {
  readonly #parts: string[] = ['']
  readonly #slots: { readonly part: number; readonly slot: Slot }[] = []
  #seenVersion = -1

  /** `value` is what JSON can say, with a `Slot` wherever something is filled in. */
  constructor(value: unknown) {
    this.#write(value)
  }

  /** Fills the slots; answers whether anything differs from the last time. */
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
