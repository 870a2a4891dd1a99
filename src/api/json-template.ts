import type { ExposedDevice } from '../exposure/exposed-house.ts'
import { lastSeenOf } from '../exposure/last-seen.ts'
import { hasLiveOperations, operationsNow } from '../exposure/operations.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import { OPERATIONS_OF } from '../home/model/device.ts'
import type { LiveFields } from './device-json.ts'

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
