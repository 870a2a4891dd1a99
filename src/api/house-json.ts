import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { LiveHome } from '../home/live/live-home.ts'
import type { Random } from '../lib/random.ts'
import { Gzipped } from '../lib/gzipped.ts'
import { tagOf } from './answers.ts'
import type { DeviceFilter } from './device-filter.ts'
import { liveValues } from './device-json.ts'
import type { Prebuilt } from './handler.ts'
import { fittingHouse, houseShape, stateShape } from './house-shape.ts'
import { JsonTemplate, SLOTS } from './json-template.ts'

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
