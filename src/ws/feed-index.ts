import type { ExposedHouse } from '../exposure/exposed-house.ts'
import type { ExposedHouses } from '../exposure/exposed-houses.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { EventSubject } from './stream-event.ts'

/** A feed; `refresh` returns its integration's current view, or null if the integration was deleted. */
interface Refreshable {
  refresh(): ExposedHouse | null
}

interface FeedIndexParts {
  readonly integrations: Pick<IntegrationReader, 'version'>
  readonly views: Pick<ExposedHouses, 'revision'>
}

const NO_FEEDS: ReadonlySet<never> = new Set()

/**
 * Index of feeds by the devices and scenes that they see, so that an event costs time only for those feeds. All feeds
 * are refreshed after every commit and change of the house (Spec 1 point 3).
 */
export class FeedIndex<F extends Refreshable> {
  readonly #parts: FeedIndexParts
  readonly #views = new Map<F, ExposedHouse | null>()
  readonly #byThing = new Map<string, Set<F>>()
  #version = -1
  #revision = -1

  constructor(parts: FeedIndexParts) {
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

  /** Feeds that see the device, scene, mode or presence of an event; none for other subjects. */
  of(subject: EventSubject): ReadonlySet<F> {
    this.#refreshAll()
    const thing = thingOf(subject)
    return (thing !== null && this.#byThing.get(thing)) || NO_FEEDS
  }

  #refreshAll(): void {
    const { version } = this.#parts.integrations
    const { revision } = this.#parts.views
    if (version === this.#version && revision === this.#revision) return
    for (const [feed, earlierView] of this.#views) {
      const view = feed.refresh()
      if (view !== earlierView) this.#index(feed, view)
    }
    // Set last, so that all feeds are refreshed at the next event if one fails.
    this.#version = version
    this.#revision = revision
  }

  #index(feed: F, view: ExposedHouse | null): void {
    for (const thing of thingsOf(this.#views.get(feed) ?? null)) {
      const feeds = this.#byThing.get(thing)
      feeds?.delete(feed)
      if (feeds?.size === 0) this.#byThing.delete(thing)
    }
    for (const thing of thingsOf(view)) {
      const feeds = this.#byThing.get(thing) ?? new Set()
      this.#byThing.set(thing, feeds.add(feed))
    }
    this.#views.set(feed, view)
  }
}

const deviceThing = (key: DeviceKey): string => `device ${key}`
const MODE_THING = 'mode'
const presenceThing = (people: string): string => `presence ${people}`
const sceneThing = (local: string): string => `scene ${local}`

function thingOf(subject: EventSubject): string | null {
  switch (subject.kind) {
    case 'device':
    case 'unit':
    case 'touch':
      return deviceThing(subject.key)
    case 'scene':
      return sceneThing(subject.scene)
    case 'mode':
      return MODE_THING
    case 'presence':
      return presenceThing(subject.people)
    case 'listed':
    case 'message':
    case 'exposure':
    case 'integration':
      return null
  }
}

function* thingsOf(view: ExposedHouse | null): Generator<string> {
  if (view === null) return
  for (const { key } of view.devices()) yield deviceThing(key)
  for (const { local } of view.scenes) yield sceneThing(local)
  if (view.modes.length > 0) yield MODE_THING
  if (view.showsAnyone) yield presenceThing(view.integration.people ?? '')
}
