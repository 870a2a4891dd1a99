import type { ExposedDevice, ExposedHouse } from '../exposure/exposed-house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import { tagOf } from './answers.ts'
import { deviceOf } from './device-json.ts'
import type { PrebuiltText } from './handler.ts'
import { JsonTemplate, SLOTS } from './house-json.ts'

/** Limit of cached devices over all integrations. */
export const CACHED_DEVICES_MAX = 4_000
/** Limit of cached lists of settings, which are longer. */
export const CACHED_INTENTS_MAX = 1_000

/**
 * Cache of values by device of a view, with first-in-first-out eviction. A rebuilt view has new objects, so no value
 * outlasts a change of the house, the exposure or a knob. References are weak: each device references its whole house,
 * and each change makes a new house.
 */
class DeviceCache<V> {
  readonly #max: number
  readonly #values = new WeakMap<ExposedDevice, V>()
  /** Devices in the order of insertion, as a ring. */
  readonly #ring: WeakRef<ExposedDevice>[] = []
  #next = 0

  constructor(max: number) {
    this.#max = max
  }

  get(device: ExposedDevice): V | undefined {
    return this.#values.get(device)
  }

  set(device: ExposedDevice, value: V): V {
    if (!this.#values.has(device)) this.#makeRoomFor(device)
    this.#values.set(device, value)
    return value
  }

  #makeRoomFor(device: ExposedDevice): void {
    const oldest = this.#ring[this.#next]?.deref()
    if (oldest !== undefined) this.#values.delete(oldest)
    this.#ring[this.#next] = new WeakRef(device)
    this.#next = (this.#next + 1) % this.#max
  }
}

/** `GET /v1/devices/{id}` as text; after reports of units only the fields that states decide are rewritten. */
export class CachedDevices {
  readonly #live: LiveHome
  readonly #values = new DeviceCache<{ readonly template: JsonTemplate; answer: PrebuiltText | null }>(
    CACHED_DEVICES_MAX,
  )

  constructor(live: LiveHome) {
    this.#live = live
  }

  of(view: ExposedHouse, device: ExposedDevice): PrebuiltText {
    const cached =
      this.#values.get(device) ?? this.#values.set(device, { template: templateOf(view, device), answer: null })
    if (cached.template.fill(this.#live) || cached.answer === null)
      cached.answer = prebuiltText(cached.template.toString())
    return cached.answer
  }
}

function templateOf({ name }: ExposedHouse, device: ExposedDevice): JsonTemplate {
  return new JsonTemplate({ house: name, device: deviceOf(device, SLOTS) })
}

/** The settings of devices as text with an ETag, rebuilt only after a change of one of them. */
export class CachedIntents {
  readonly #values = new DeviceCache<{ readonly revision: number; readonly answer: PrebuiltText }>(CACHED_INTENTS_MAX)

  /** @param text builds the complete response, if needed. */
  of(device: ExposedDevice, revision: number, text: () => string): PrebuiltText {
    const cached = this.#values.get(device)
    if (cached?.revision === revision) return cached.answer
    const value = text()
    const answer = { ...prebuiltText(value), etag: tagOf(value) }
    this.#values.set(device, { revision, answer })
    return answer
  }
}

function prebuiltText(text: string): PrebuiltText {
  return { text, bytes: Buffer.byteLength(text) }
}
