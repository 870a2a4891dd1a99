import type { ExposedDevice, ExposedHouse } from '../exposure/exposed-house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import { tagOf } from './answers.ts'
import { deviceOf } from './device-json.ts'
import type { Whole } from './handler.ts'
import { JsonTemplate, SLOTS } from './house-json.ts'

/** Of all integrations together, as they were asked for one by one. */
export const KEPT_DEVICES_MAX = 4_000
/** The same of the lists of their settings, which are longer. */
export const KEPT_INTENTS_MAX = 1_000

/**
 * What was made for devices of views; beyond the bound that goes first which was made first. A view that is built anew
 * has other objects, so that nothing outlasts a change of the house, of what is exposed or of a knob. Held weakly: each
 * device leads to its whole house, of which there is another after each change.
 */
class Kept<V> {
  readonly #max: number
  readonly #kept = new WeakMap<ExposedDevice, V>()
  /** In the order in which they were made first, as a ring. */
  readonly #made: WeakRef<ExposedDevice>[] = []
  #next = 0

  constructor(max: number) {
    this.#max = max
  }

  get(device: ExposedDevice): V | undefined {
    return this.#kept.get(device)
  }

  set(device: ExposedDevice, made: V): V {
    if (!this.#kept.has(device)) this.#makeRoomFor(device)
    this.#kept.set(device, made)
    return made
  }

  #makeRoomFor(device: ExposedDevice): void {
    const oldest = this.#made[this.#next]?.deref()
    if (oldest !== undefined) this.#kept.delete(oldest)
    this.#made[this.#next] = new WeakRef(device)
    this.#next = (this.#next + 1) % this.#max
  }
}

/** `GET /v1/devices/{id}` as text, of which only what states decide is written anew when units have said something. */
export class KeptDevices {
  readonly #live: LiveHome
  readonly #kept = new Kept<{ readonly template: JsonTemplate; answer: Whole | null }>(KEPT_DEVICES_MAX)

  constructor(live: LiveHome) {
    this.#live = live
  }

  of(view: ExposedHouse, device: ExposedDevice): Whole {
    const kept = this.#kept.get(device) ?? this.#kept.set(device, { template: templateOf(view, device), answer: null })
    if (kept.template.fill(this.#live) || kept.answer === null) kept.answer = whole(kept.template.toString())
    return kept.answer
  }
}

function templateOf({ name }: ExposedHouse, device: ExposedDevice): JsonTemplate {
  return new JsonTemplate({ house: name, device: deviceOf(device, SLOTS) })
}

/** The settings of devices as text with its tag, made anew only when one of them changed. */
export class KeptIntents {
  readonly #kept = new Kept<{ readonly revision: number; readonly answer: Whole }>(KEPT_INTENTS_MAX)

  /** @param text of the whole answer, asked for where it has to be made. */
  of(device: ExposedDevice, revision: number, text: () => string): Whole {
    const kept = this.#kept.get(device)
    if (kept?.revision === revision) return kept.answer
    const made = text()
    const answer = { ...whole(made), etag: tagOf(made) }
    this.#kept.set(device, { revision, answer })
    return answer
  }
}

function whole(text: string): Whole {
  return { whole: text, bytes: Buffer.byteLength(text) }
}
