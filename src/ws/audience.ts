import type { ExposedHouse, ExposedHouses } from '../exposure/exposed-house.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { EventSubject } from './stream-event.ts'

/** A feed as far as it is looked for: what its integration sees now, or null where it is gone. */
interface Looking {
  refresh(): ExposedHouse | null
}

interface AudienceParts {
  readonly integrations: Pick<IntegrationReader, 'version'>
  readonly views: Pick<ExposedHouses, 'revision'>
}

const NOBODY: ReadonlySet<never> = new Set()

/**
 * The feeds by the things that they see, so that an event costs those who see its thing, and nobody else. It is as
 * fresh as each of the feeds: all look again once anything was committed, or the house has changed (Spec 1 point 3).
 */
export class Audience<F extends Looking> {
  readonly #parts: AudienceParts
  readonly #views = new Map<F, ExposedHouse | null>()
  readonly #byThing = new Map<string, Set<F>>()
  #version = -1
  #revision = -1

  constructor(parts: AudienceParts) {
    this.#parts = parts
  }

  add(feed: F): void {
    this.#views.set(feed, null)
    this.#index(feed, feed.refresh())
  }

  remove(feed: F): void {
    this.#index(feed, null)
    this.#views.delete(feed)
  }

  /** Those whose integration sees what an event is about; of what is no device and no scene, nobody. */
  of(subject: EventSubject): ReadonlySet<F> {
    this.#lookAgain()
    const thing = thingOf(subject)
    return (thing !== null && this.#byThing.get(thing)) || NOBODY
  }

  #lookAgain(): void {
    const { version } = this.#parts.integrations
    const { revision } = this.#parts.views
    if (version === this.#version && revision === this.#revision) return
    for (const [feed, before] of this.#views) {
      const view = feed.refresh()
      if (view !== before) this.#index(feed, view)
    }
    // Last: where one could not be looked up, all are looked up again at the next event.
    this.#version = version
    this.#revision = revision
  }

  #index(feed: F, view: ExposedHouse | null): void {
    for (const thing of thingsOf(this.#views.get(feed) ?? null)) {
      const seeing = this.#byThing.get(thing)
      seeing?.delete(feed)
      if (seeing?.size === 0) this.#byThing.delete(thing)
    }
    for (const thing of thingsOf(view)) {
      const seeing = this.#byThing.get(thing) ?? new Set()
      this.#byThing.set(thing, seeing.add(feed))
    }
    this.#views.set(feed, view)
  }
}

const deviceThing = (key: DeviceKey): string => `device ${key}`
const sceneThing = (local: string): string => `scene ${local}`

function thingOf(subject: EventSubject): string | null {
  switch (subject.kind) {
    case 'device':
    case 'unit':
      return deviceThing(subject.key)
    case 'scene':
      return sceneThing(subject.scene)
    case 'listed':
    case 'exposure':
    case 'integration':
      return null
  }
}

function* thingsOf(view: ExposedHouse | null): Generator<string> {
  if (view === null) return
  for (const { key } of view.devices()) yield deviceThing(key)
  for (const { local } of view.scenes) yield sceneThing(local)
}
