import { type List, LISTS } from '../api/contract/events.ts'
import type { ShownRules } from '../api/exposed-causes.ts'
import type { AuthFailure } from '../auth/authenticator.ts'
import type { ExposedHouse, ExposedHouses } from '../exposure/exposed-house.ts'
import type { IntegrationReader } from '../exposure/integration.ts'
import type { DeviceKey } from '../home/model/device.ts'
import type { Clock } from '../lib/clock.ts'
import { EventRing } from './event-ring.ts'
import { type EventDraft, shownOf, type StreamEvent, writeEvent } from './stream-event.ts'
import { ShownLists } from './shown-lists.ts'
import type { StreamSocket } from './stream-socket.ts'
import { topicExists } from './topics.ts'

/** Events that a socket which comes back can still get. */
export const RING_EVENTS = 2_000
/** More events than this in one turn of the event loop do not wait for its end. */
const BATCH_EVENTS_MAX = 256
/** Event numbers start at the clock's microseconds: no earlier start of the gateway has given out a larger one. */
const NUMBERS_PER_MS = 1_000

/** Sockets that asked for the same topics, and what they get at the end of this turn. */
interface Group {
  readonly topics: ReadonlySet<string>
  readonly members: Set<StreamSocket>
  batch: StreamEvent[]
}

export interface IntegrationFeedParts {
  readonly integrations: Pick<IntegrationReader, 'get'>
  readonly views: ExposedHouses
  readonly rules: ShownRules
  readonly clock: Clock
  /** Says for this moment why a socket's credential fails, or null; asked before an event is written to it. */
  readonly failuresNow: () => (socket: StreamSocket) => AuthFailure | null
  readonly disconnect: (socket: StreamSocket, failure: AuthFailure) => void
  /** Something waits for the end of this turn. */
  readonly onPending: () => void
  readonly onDelivered: (deliveries: number) => void
}

/**
 * All sockets that listen through one integration. Each event is looked up in the exposed view once, written once, and
 * given to groups of sockets with the same topics as one piece of bytes for each turn of the event loop.
 */
export class IntegrationFeed {
  readonly #integration: string
  readonly #parts: IntegrationFeedParts
  readonly #ring: EventRing
  readonly #groups = new Map<string, Group>()
  readonly #lists: ShownLists
  #view: ExposedHouse | null = null
  #shown = ''

  constructor(integration: string, parts: IntegrationFeedParts) {
    this.#integration = integration
    this.#parts = parts
    this.#ring = new EventRing(parts.clock.now() * NUMBERS_PER_MS, RING_EVENTS)
    this.#lists = new ShownLists(parts.rules)
    this.#tellLists()
  }

  /** Sockets with at least one topic. */
  get size(): number {
    let size = 0
    for (const group of this.#groups.values()) size += group.members.size
    return size
  }

  /** The number of the latest event. */
  get seq(): number {
    return this.#ring.last
  }

  /** Takes an event in, if this integration is shown it. */
  publish(draft: EventDraft): void {
    const view = this.refresh()
    if (view) this.#write(draft, view)
  }

  /** Gives a socket further topics, or none at all with an empty list. All of them exist in its view. */
  subscribe(socket: StreamSocket, topics: readonly string[]): void {
    // What waits was for those who had asked before.
    this.endTurn()
    this.#move(socket, topics.length === 0 ? new Set() : new Set([...socket.topics, ...topics]))
  }

  /** Takes a socket out, with what waits for it. */
  leave(socket: StreamSocket): void {
    this.#move(socket, new Set())
  }

  /** What a socket missed of some topics and may be shown now, oldest first; null where it is no longer held. */
  missed(since: number, topics: ReadonlySet<string>): readonly StreamEvent[] | null {
    return (
      this.#ring.since(since)?.filter((event) => {
        const shown = this.#view && shownOf(event.subject, event.event, this.#view, this.#lists.shows)
        return shown?.topics.some((topic) => topics.has(topic)) === true
      }) ?? null
    )
  }

  /**
   * Looks the integration up as it is now (Spec 1 point 3). When what it sees has changed, events that wait and are no
   * longer for it are dropped, topics of what is gone end, and its sockets get an `exposure` event; an `integration`
   * event where an administrator changed the integration itself.
   */
  refresh(): ExposedHouse | null {
    const integration = this.#parts.integrations.get(this.#integration)
    if (!integration) return null
    const view = this.#parts.views.of(integration)
    if (view === this.#view) return view
    const before = this.#view
    this.#view = view
    const shown = shownText(view)
    const differs = shown !== this.#shown
    this.#shown = shown
    this.#lists.viewChanged()
    this.#parts.onPending()
    if (before === null) return view
    this.#dropHidden(view)
    if (differs) this.#exposureChanged(view)
    if (before.integration !== view.integration && (differs || knobsText(before) !== knobsText(view)))
      this.#integrationChanged(view)
    return view
  }

  /** Drops events that wait or are held and say what a device was: it is not known any more. */
  forget(device: DeviceKey): void {
    const stays = ({ subject }: StreamEvent): boolean =>
      (subject.kind !== 'device' && subject.kind !== 'unit') || subject.key !== device
    this.#ring.keep(stays)
    this.#keepWaiting(stays)
  }

  /** Automations or schedules have changed; whether this integration sees any of it is found out at the turn's end. */
  listChanged(list: List): void {
    this.#lists.changed(list)
    this.#parts.onPending()
  }

  /**
   * Tells what has changed in the lists, and writes what waits. Only here, so that neither the number nor the order of
   * these events depends on what else, unseen, happened in the turn.
   */
  endTurn(): void {
    this.#tellLists()
    this.#deliver()
  }

  /** Writes what waits, to each socket in one piece. */
  flush(): void {
    this.refresh()
    this.#deliver()
  }

  #deliver(): void {
    const failureOf = this.#parts.failuresNow()
    for (const group of this.#groups.values()) {
      if (group.batch.length === 0) continue
      const { batch } = group
      group.batch = []
      const [first] = batch
      const bytes = batch.length === 1 && first ? first.frame : Buffer.concat(batch.map((event) => event.frame))
      let reached = 0
      for (const socket of group.members) {
        const failure = failureOf(socket)
        if (failure !== null) {
          this.#parts.disconnect(socket, failure)
          continue
        }
        socket.deliver(bytes, batch)
        reached += 1
      }
      this.#parts.onDelivered(reached * batch.length)
    }
  }

  #write(draft: EventDraft, view: ExposedHouse): void {
    const shown = shownOf(draft.subject, draft.event, view, this.#lists.shows)
    if (!shown) return
    const event = writeEvent(draft, shown, view.name, this.#ring.last + 1)
    this.#ring.push(event)
    let full = false
    for (const group of this.#groups.values()) {
      if (!shown.topics.some((topic) => group.topics.has(topic))) continue
      full = group.batch.push(event) >= BATCH_EVENTS_MAX || full
      this.#parts.onPending()
    }
    if (full) this.flush()
  }

  /**
   * Drops events that wait, also for slow readers, and are no longer for this integration: a knob hides settings too.
   */
  #dropHidden(view: ExposedHouse): void {
    const allowed = (event: StreamEvent): boolean =>
      shownOf(event.subject, event.event, view, this.#lists.shows) !== null
    this.#keepWaiting(allowed)
  }

  #keepWaiting(allowed: (event: StreamEvent) => boolean): void {
    for (const group of this.#groups.values()) {
      group.batch = group.batch.filter(allowed)
      for (const socket of group.members) socket.keep(allowed)
    }
  }

  #exposureChanged(view: ExposedHouse): void {
    this.#deliver()
    for (const group of [...this.#groups.values()]) {
      const kept = [...group.topics].filter((topic) => topicExists(topic, view))
      for (const socket of [...group.members]) {
        if (kept.length < group.topics.size) this.#move(socket, new Set(kept))
      }
    }
    const state = '{"changed":true,"read":["/v1/house","/v1/state"]}'
    this.#write({ event: 'exposure', at: this.#parts.clock.now(), subject: { kind: 'exposure' }, state }, view)
  }

  #integrationChanged(view: ExposedHouse): void {
    const lists = LISTS.filter((list) => this.#lists.shows(list, null, view))
    const read = ['integration', 'house', 'state', ...lists].map((name) => `/v1/${name}`)
    const state = JSON.stringify({ id: view.integration.id, change: 'edited', read })
    this.#write({ event: 'integration', at: this.#parts.clock.now(), subject: { kind: 'integration' }, state }, view)
  }

  #tellLists(): void {
    const view = this.refresh()
    if (!view) return
    for (const { list, local, ...state } of this.#lists.changes(view)) {
      const subject = { kind: 'listed', list, id: local, gone: state.change === 'deleted' } as const
      this.#write({ event: list, at: this.#parts.clock.now(), subject, state: JSON.stringify(state) }, view)
    }
  }

  /** Puts a socket into the group of its topics; nothing may wait in its old one. */
  #move(socket: StreamSocket, topics: ReadonlySet<string>): void {
    const from = groupKey(socket.topics)
    const to = groupKey(topics)
    const old = this.#groups.get(from)
    old?.members.delete(socket)
    if (old?.members.size === 0) this.#groups.delete(from)
    socket.topics = topics
    if (topics.size === 0) return
    const group = this.#groups.get(to) ?? { topics, members: new Set(), batch: [] }
    group.members.add(socket)
    this.#groups.set(to, group)
  }
}

function groupKey(topics: ReadonlySet<string>): string {
  return [...topics].toSorted().join('\n')
}

/** What a client could see of a view's structure: two views with the same text are the same to it. */
const SHOWN_FIELDS = [
  'name',
  'timeZone',
  'currency',
  'floors',
  'rooms',
  'units',
  'scenes',
  'gangs',
  'id',
  'class',
  'model',
  'room',
  'floor',
  'gang',
  'light',
  'onlyGangs',
]

/** What `GET /v1/integration` tells of an integration that can change. */
function knobsText({ integration: { name, knobs } }: ExposedHouse): string {
  return JSON.stringify([name, knobs])
}

function shownText(view: ExposedHouse): string {
  const { name, timeZone, currency, floors, rooms, units, scenes } = view
  return JSON.stringify({ name, timeZone, currency, floors, rooms, units, scenes }, SHOWN_FIELDS)
}
